/* Large blocks that glibc clears, copies and moves, and a string that it searches. */
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 16 };

int main(void)
{
	char *cleared = malloc(SIZE), *copied = malloc(SIZE), *moved = malloc(SIZE + 64);

	memset(cleared, 1, SIZE);
	memcpy(copied, cleared, SIZE);
	memset(moved, 2, SIZE + 64);
	memmove(moved + 64, moved, SIZE);
	return strnlen(copied, SIZE) != SIZE;
}
