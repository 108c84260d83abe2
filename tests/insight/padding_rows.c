/* kind: padding or stride
 * region: m
 * Rows of 1024 bytes: the columns of many rows share a few sets. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { ROWS = V == 2 ? 6 : 32, COLS = 128 + (V == 1 ? 8 : 0) };
static double m[ROWS][COLS];

int main(void)
{
	double s = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < 128; j++)
			m[i][j] = i + j;
	for (int r = 0; r < 20; r++)
		for (int j = 0; j < 128; j += 8)
			for (int k = 0; k < 8; k++)
				for (int i = 0; i < ROWS; i++)
					s += m[i][j + k]; /* HERE */
	printf("%g\n", s);
}
