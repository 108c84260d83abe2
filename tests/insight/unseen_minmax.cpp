// kind: fuse
// region: signal
// The smallest and the largest value of each block are found in two passes; in one when
// mended.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif

__attribute__((noinline)) static void range(const std::vector<float> &signal, float *low, float *high)
{
	float a = signal[0], b = signal[0];

#if V == 1
	for (float x : signal) {
		a = x < a ? x : a;
		b = x > b ? x : b;
	}
#else
	for (float x : signal) // HERE
		a = x < a ? x : a; // HERE
	for (float x : signal) // HERE
		b = x > b ? x : b; // HERE
#endif
	*low = a;
	*high = b;
}

int main()
{
	std::vector<float> signal(V == 2 ? 900 : 60000);
	float low, high, s = 0;

	for (std::size_t i = 0; i < signal.size(); i++)
		signal[i] = (float)(i * 37 % 1009);
	for (int r = 0; r < (V == 2 ? 25 : 6); r++) {
		signal[r * 31] += 5000;
		range(signal, &low, &high);
		s += high - low;
	}
	std::printf("%g\n", s);
}
