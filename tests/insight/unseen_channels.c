/* kind: padding or stride
 * region: image
 * Each pixel sums 16 planes of a power of two; planes are a line longer when mended. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
enum { PIXELS = V == 2 ? 64 : 4096, PLANE = PIXELS + (V ? 16 : 0), PLANES = 16 };
static _Alignas(64) float image[PLANES][PLANE];
static float grey[PIXELS];

__attribute__((noinline)) static void mix(const float *weight)
{
	for (int p = 0; p < PIXELS; p++) {
		float s = 0;

		for (int c = 0; c < PLANES; c++)
			s += image[c][p] * weight[c]; /* HERE */
		grey[p] = s;
	}
}

int main(void)
{
	float weight[PLANES], s = 0;

	for (int c = 0; c < PLANES; c++) {
		weight[c] = 1.0f / (c + 1);
		for (int p = 0; p < PIXELS; p++)
			image[c][p] = p % 251;
	}
	for (int r = 0; r < (V == 2 ? 400 : 12); r++)
		mix(weight);
	for (int p = 0; p < PIXELS; p++)
		s += grey[p];
	printf("%g\n", s);
}
