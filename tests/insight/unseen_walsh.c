/* kind: padding
 * region: block
 * A Walsh transform of each column of 64 rows of 1024 bytes, which all start in one set
 * of L1; rows are a line longer when mended. Rows of the look-alike have 960 bytes. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { ROWS = 64, COLUMNS = V == 2 ? 120 : 128, PITCH = COLUMNS + (V == 1 ? 8 : 0) };
static _Alignas(64) double block[ROWS][PITCH];

__attribute__((noinline)) static void transform(void)
{
	for (int c = 0; c < COLUMNS; c++)
		for (int half = 1; half < ROWS; half *= 2)
			for (int at = 0; at < ROWS; at += 2 * half)
				for (int r = at; r < at + half; r++) {
					double a = block[r][c];        /* HERE */
					double b = block[r + half][c]; /* HERE */

					block[r][c] = (a + b) * 0.5;        /* HERE */
					block[r + half][c] = (a - b) * 0.5; /* HERE */
				}
}

int main(void)
{
	double s = 0;

	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++)
			block[r][c] = (r * 13 + c * 7) % 31;
	for (int t = 0; t < 8; t++)
		transform();
	for (int r = 0; r < ROWS; r++)
		s += block[r][r];
	printf("%g\n", s);
}
