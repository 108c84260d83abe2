/*
 * A program that makes few references: a cell every few milliseconds. When it has written
 * a hundred it makes the file `reached`, and goes on until it is killed or has written all.
 */
#include <stdio.h>
#include <unistd.h>

enum { CELLS = 2000, REACHED = 100 };
static volatile long cell[CELLS];

int main(void)
{
	for (int i = 0; i < CELLS; i++) {
		cell[i] = i;
		if (i + 1 == REACHED)
			fclose(fopen("reached", "w"));
		usleep(2000);
	}
	return 0;
}
