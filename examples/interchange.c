/*
 * The same sum twice, with the two loops interchanged.
 *
 *	memlamp record ./interchange
 *	memlamp info interchange.mlt
 *	memlamp dump --site along_rows --count 5 interchange.mlt
 *	memlamp dump --site down_columns --count 5 interchange.mlt
 *
 * What to look at: both phases make the same references to the same matrix, only
 * in another order. along_rows() goes from one element to its neighbour;
 * down_columns() jumps 8000 bytes each time. Counts cannot tell them apart; the
 * order of the addresses does.
 */
#include <stdio.h>

#include "memlamp.h"

enum { ROWS = 1000, COLS = 1000 };

static double matrix[ROWS][COLS];

static void fill(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			matrix[i][j] = i ^ j;
}

static double along_rows(void)
{
	double sum = 0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			sum += matrix[i][j];
	return sum;
}

static double down_columns(void)
{
	double sum = 0;

	for (int j = 0; j < COLS; j++)
		for (int i = 0; i < ROWS; i++)
			sum += matrix[i][j];
	return sum;
}

int main(void)
{
	fill();
	MEMLAMP_BEGIN("along rows");
	double a = along_rows();
	MEMLAMP_END("along rows");
	MEMLAMP_BEGIN("down columns");
	double b = down_columns();
	MEMLAMP_END("down columns");
	printf("%g %g\n", a, b);
	return 0;
}
