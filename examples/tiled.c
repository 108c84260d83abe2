/*
 * C = C + A * B with loop tiling (figure 2 of Haugen and Kurzak, "Search Space Pruning
 * Constraints Visualization"). BLK is the size of a tile, ORDER the order of the six
 * loops: k_ j_ i_ run over tiles, k j i inside a tile. A loop over tiles has to stand
 * outside the loop inside them. spaces/tiled.txt is the search space.
 */
#include <stdio.h>

#ifndef N
#define N 64
#endif
#ifndef BLK
#define BLK 16
#endif
#ifndef ORDER
#define ORDER k_, j_, i_, k, j, i
#endif

#define END(x)                 (x + BLK < N ? x + BLK : N)
#define LOOP_k_                for (int k_ = 0; k_ < N; k_ += BLK)
#define LOOP_j_                for (int j_ = 0; j_ < N; j_ += BLK)
#define LOOP_i_                for (int i_ = 0; i_ < N; i_ += BLK)
#define LOOP_k                 for (int k = k_; k < END(k_); k++)
#define LOOP_j                 for (int j = j_; j < END(j_); j++)
#define LOOP_i                 for (int i = i_; i < END(i_); i++)
#define NEST(a, b, c, d, e, f) LOOP_##a LOOP_##b LOOP_##c LOOP_##d LOOP_##e LOOP_##f
#define LOOPS(...)             NEST(__VA_ARGS__)

static double A[N][N], B[N][N], C[N][N];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			A[i][j] = i - j;
			B[i][j] = i + j;
		}
	LOOPS(ORDER)
	C[i][j] += A[i][k] * B[k][j];
	for (int i = 0; i < N; i++)
		sum += C[i][i] * (i + 1);
	printf("%g\n", sum);
	return 0;
}
