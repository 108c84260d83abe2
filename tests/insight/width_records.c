/* kind: value width
 * region: cells
 * options: --values
 * A cell of a map has a height and three small integers of 4 and 8 bytes; of 1 when mended. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
#if V == 1
typedef uint8_t small;
typedef uint8_t large;
#else
typedef int small;
typedef long large;
#endif
enum { N = V == 2 ? 60 : 30000, ROUNDS = V == 2 ? 100 : 3 };

struct cell {
	float height;
	small soil, owner;
	large visits;
};

__attribute__((noinline)) static void fill(struct cell *cells)
{
	for (int i = 0; i < N; i++) { /* HERE */
		cells[i].height = (float)(i % 1000) / 7; /* HERE */
		cells[i].soil = i % 5; /* HERE */
		cells[i].owner = i % 17; /* HERE */
		cells[i].visits = 0; /* HERE */
	}
}

__attribute__((noinline)) static float walk(struct cell *cells, unsigned place)
{
	float sum = 0;

	for (int i = 0; i < N; i++) {
		place = place * 1664525u + 1013904223u;
		struct cell *c = &cells[(place >> 8) % N];
		sum += c->height * (float)(c->soil + c->owner); /* HERE */
		c->visits = (c->visits + 1) & 127; /* HERE */
	}
	return sum;
}

int main(void)
{
	struct cell *cells = malloc(N * sizeof(*cells));
	float sum = 0;

	fill(cells);
	for (unsigned r = 0; r < ROUNDS; r++)
		sum += walk(cells, r);
	printf("%g\n", sum);
	free(cells);
}
