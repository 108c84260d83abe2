/* kind: fields
 * region: grid
 * used: total, elastic, absorb and fission
 * A lookup reads four neighbouring doubles of an element of twelve. A compiler may load two
 * fields at once: all four must be named all the same. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
struct point {
	double energy, pad_a[3];
	double total, elastic, absorb, fission;
	double pad_b[4];
};
struct cross {
	double total, elastic, absorb, fission;
};
enum { N = V == 2 ? 60 : 3000, R = V == 2 ? 3000 : 50 };

__attribute__((noinline)) static void lookup(const struct point *grid, const struct cross *slim,
					     struct cross *restrict sum)
{
	for (int i = 0; i < N; i++) { /* HERE */
#if V == 1
		sum->total += slim[i].total;
		sum->elastic += slim[i].elastic;
		sum->absorb += slim[i].absorb;
		sum->fission += slim[i].fission;
#else
		sum->total += grid[i].total; /* HERE */
		sum->elastic += grid[i].elastic; /* HERE */
		sum->absorb += grid[i].absorb; /* HERE */
		sum->fission += grid[i].fission; /* HERE */
#endif
	}
}

int main(void)
{
	struct point *grid = aligned_alloc(64, N * sizeof(*grid));
	struct cross *slim = aligned_alloc(64, N * sizeof(*slim)), sum = { 0 };

	for (int i = 0; i < N; i++) {
		grid[i] = (struct point){ .energy = i, .total = i, .elastic = 2, .absorb = 3, .fission = i };
		slim[i] = (struct cross){ i, 2, 3, i };
	}
	for (int r = 0; r < R; r++)
		lookup(grid, slim, &sum);
	printf("%g %g %g %g %g\n", sum.total, sum.elastic, sum.absorb, sum.fission, grid[5].energy);
}
