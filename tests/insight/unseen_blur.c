/* kind: stride
 * region: tmp or out
 * A blur in two passes: the one along rows is good, the one down columns is not. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { W = V == 2 ? 24 : 330, H = V == 2 ? 20 : 220 };

__attribute__((noinline)) static void across(const float *in, float *tmp)
{
	for (int y = 0; y < H; y++)
		for (int x = 1; x < W - 1; x++)
			tmp[y * W + x] = in[y * W + x - 1] + 2 * in[y * W + x] + in[y * W + x + 1];
}

__attribute__((noinline)) static void down(const float *tmp, float *out)
{
#if V == 0
	for (int x = 0; x < W; x++)
		for (int y = 1; y < H - 1; y++)
			out[y * W + x] = /* HERE */
				tmp[(y - 1) * W + x] + 2 * tmp[y * W + x] + tmp[(y + 1) * W + x]; /* HERE */
#else
	for (int y = 1; y < H - 1; y++)
		for (int x = 0; x < W; x++)
			out[y * W + x] =
				tmp[(y - 1) * W + x] + 2 * tmp[y * W + x] + tmp[(y + 1) * W + x];
#endif
}

int main(void)
{
	float *in = malloc(W * H * sizeof(float)), *tmp = malloc(W * H * sizeof(float));
	float *out = malloc(W * H * sizeof(float)), s = 0;

	for (int i = 0; i < W * H; i++)
		in[i] = i % 91, tmp[i] = out[i] = 0;
	for (int r = 0; r < (V == 2 ? 100 : 4); r++) {
		across(in, tmp);
		down(tmp, out);
		for (int i = 0; i < W * H; i++)
			s += out[i];
	}
	printf("%g\n", s);
}
