/* where a word stands in a text */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, int m, char text[n], char word[m], int found[n])
{
	for (int i = 0; i < n - m + 1; i++) {
		int same = 0;
		for (int j = 0; j < m; j++)
			same += text[i + j] == word[j];
		found[i] = same == m;
	}
}

static char text[4 * N] __attribute__((aligned(64)));
static char word[3] __attribute__((aligned(64)));
static int found[4 * N] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_char((void *)text, sizeof(text));
	fill_char((void *)word, sizeof(word));
	fill_int((void *)found, sizeof(found));
	kernel(4 * N, 3, text, word, found);
	show(text, sizeof(text));
	show(word, sizeof(word));
	show(found, sizeof(found));
	return 0;
}
