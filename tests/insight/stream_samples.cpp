// kind: write allocate
// region: samples
// Samples of a sound go to a file at once; in pieces that fit the cache when mended.
#include <cstdio>
#include <fstream>
#include <memory>
#ifndef V
#define V 0
#endif
struct tone {
	short value = 3, step = 7;

	__attribute__((noinline)) void play(short *samples, int count)
	{
		for (int i = 0; i < count; i++) // HERE
			samples[i] = value + i * step; // HERE
	}
};

int main()
{
	const int all = 200000, piece = V ? 2000 : all;
	short *samples = new short[piece];
	std::ofstream out("/dev/null", std::ios::binary);
	tone t;
	long sum = 0;

	for (int at = 0; at < all; at += piece) {
		t.play(samples, piece);
		out.write((const char *)samples, piece * sizeof(*samples));
		for (int i = 0; V == 2 && i < piece; i++)
			sum += samples[i];
	}
	delete[] samples;
	return sum == 1;
}
