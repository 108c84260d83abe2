// kind: value width
// region: levels
// options: --values
// Levels of a picture from 0 to 255 as long; as bytes when mended.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
#if V == 1
typedef uint8_t level;
#else
typedef long level;
#endif

__attribute__((noinline)) static void paint(level *levels, int n)
{
	for (int i = 0; i < n; i++) // HERE
		levels[i] = i * 7 & 255; // HERE
}

__attribute__((noinline)) static long look(const level *levels, int n, int at)
{
	long sum = 0;
	unsigned place = at;

	for (int i = 0; i < n; i++) {
		place = place * 1664525u + 1013904223u;
		sum += levels[(place >> 8) % n]; // HERE
	}
	return sum;
}

int main()
{
	const int n = V == 2 ? 500 : 60000;
	level *levels = new level[n];
	long sum = 0;

	paint(levels, n);
	for (int r = 0; r < 2; r++)
		sum += look(levels, n, r);
	printf("%ld\n", sum);
	delete[] levels;
}
