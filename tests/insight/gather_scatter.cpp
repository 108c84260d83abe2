// kind: gather
// region: bins
// remedy: gain_sorted
// A histogram with many bins, its data in random order.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
__attribute__((noinline)) static void count(std::vector<int> &bins, const std::vector<unsigned> &data)
{
	for (size_t i = 0; i < data.size(); i++)
		bins[data[i]]++; // HERE
}

int main()
{
	const unsigned n = V == 2 ? 700 : 100000;
	std::vector<int> bins(n);
	std::vector<unsigned> data(V == 2 ? 1000 : 25000);
	unsigned x = 3;
	long s = 0;

	for (size_t i = 0; i < data.size(); i++) {
		x = x * 1664525 + 1013904223;
		data[i] = V == 1 ? 4 * i + (x >> 9) % 4 : (x >> 4) % n;
	}
	for (int r = 0; r < (V == 2 ? 700 : 30); r++)
		count(bins, data);
	for (unsigned i = 0; i < n; i += 1000)
		s += bins[i];
	std::printf("%ld\n", s);
}
