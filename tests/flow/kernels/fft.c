/* one pass of butterflies for each length */
#include "tests/flow/kernels/kernel.h"

KERNEL kernel(int n, double re[n], double im[n], double c[n / 2], double s[n / 2])
{
	for (int half = 1; half < n; half *= 2)
		for (int i = 0; i < n; i += 2 * half)
			for (int k = 0; k < half; k++) {
				double x = re[i + k + half] * c[k * (n / 2 / half)] -
					   im[i + k + half] * s[k * (n / 2 / half)];
				double y = re[i + k + half] * s[k * (n / 2 / half)] +
					   im[i + k + half] * c[k * (n / 2 / half)];
				re[i + k + half] = re[i + k] - x;
				im[i + k + half] = im[i + k] - y;
				re[i + k] = re[i + k] + x;
				im[i + k] = im[i + k] + y;
			}
}

static double re[16] __attribute__((aligned(64)));
static double im[16] __attribute__((aligned(64)));
static double c[8] __attribute__((aligned(64)));
static double s[8] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
	begin(argc, argv);
	fill_double((void *)re, sizeof(re));
	fill_double((void *)im, sizeof(im));
	fill_double((void *)c, sizeof(c));
	fill_double((void *)s, sizeof(s));
	kernel(16, re, im, c, s);
	show(re, sizeof(re));
	show(im, sizeof(im));
	show(c, sizeof(c));
	show(s, sizeof(s));
	return 0;
}
