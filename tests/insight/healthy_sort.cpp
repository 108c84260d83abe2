// kind: none
// Sorting numbers that fit the caches, and a scan: nothing to mend.
#include <algorithm>
#include <cstdio>
#include <vector>
int main()
{
	std::vector<int> v(900);
	unsigned x = 1;
	long s = 0;
	for (int r = 0; r < 60; r++) {
		for (auto &e : v)
			e = (int)((x = x * 1664525 + 1013904223) >> 8);
		std::sort(v.begin(), v.end());
		s += v[450];
	}
	std::printf("%ld\n", s);
}
