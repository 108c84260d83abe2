/*
 * The heat equation on a rod, in place, time step after time step: always from left to
 * right, and then by turns from left to right and back.
 *
 *	memlamp record ./heat
 *	memlamp sim heat.mlt --machine 'L1 256 4w 16B'
 *	memlamp sim heat.mlt --machine 'L1 256 4w 16B mru'	(and opt, pes, random)
 *
 * Machine: 16 lines of 16 bytes, 4 sets of 4 ways. Layout: 256 floats, 64 lines, from
 * the start of a page.
 *
 * What to look at: in the phase "sweeps" LRU always drops the line that is wanted
 * next, and each of the 64 lines misses in each of the 10 sweeps. MRU, which keeps
 * what is old, is as good as can be (opt). In the phase "ping-pong" LRU itself is as
 * good as can be: the turn finds the last 16 lines still there. The same program on
 * a fully associative cache (--machine 'L1 256 full 16B mru') shows how MRU fails.
 *
 * volatile keeps the compiler from joining or reordering the accesses.
 */
#include <stdio.h>

#include "memlamp.h"

enum { CELLS = 256, SWEEPS = 10 };

static volatile _Alignas(4096) float rod[CELLS];

static void start(void)
{
	for (int i = 0; i < CELLS; i++)
		rod[i] = i < CELLS / 2 ? 100 : 0;
}

static inline void update(int i)
{
	float here = rod[i];

	rod[i] = here + 0.25f * (rod[i - 1] - 2 * here + rod[i + 1]);
}

static void left_to_right(void)
{
	for (int i = 1; i < CELLS - 1; i++)
		update(i);
}

static void right_to_left(void)
{
	for (int i = CELLS - 2; i > 0; i--)
		update(i);
}

int main(void)
{
	start();
	MEMLAMP_BEGIN("sweeps");
	for (int t = 0; t < SWEEPS; t++)
		left_to_right();
	MEMLAMP_END("sweeps");
	float middle = rod[CELLS / 2];
	start();
	MEMLAMP_BEGIN("ping-pong");
	for (int t = 0; t < SWEEPS; t++)
		if (t % 2)
			right_to_left();
		else
			left_to_right();
	MEMLAMP_END("ping-pong");
	printf("%g %g\n", (double)middle, (double)rod[CELLS / 2]);
	return 0;
}
