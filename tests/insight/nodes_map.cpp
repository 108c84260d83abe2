// kind: nodes
// region: *
// A std::map filled in random order and walked in order of its keys.
#include <cstdio>
#include <map>
#include <vector>
#ifndef V
#define V 0
#endif
int main()
{
	std::map<unsigned, long> index;
	unsigned x = 1, n = V == 2 ? 60 : 6000;
	long sum = 0;

	for (unsigned i = 0; i < n; i++) {
		x = x * 1103515245 + 12345;
		index[V == 1 ? i : x >> 4] = i;
	}
	for (int r = 0; r < (V == 2 ? 3000 : 60); r++)
		for (const auto &p : index) // HERE
			sum += p.second; // HERE
	std::printf("%ld\n", sum);
}
