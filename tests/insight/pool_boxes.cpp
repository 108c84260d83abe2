// kind: nodes
// region: *
// A vector of boxes, each with a number on the heap; the numbers come from one vector when
// mended.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
class Box {
public:
	explicit Box(int *at) : at_(at) {}
	int get() const { return *at_; } // HERE
private:
	int *at_;
};

__attribute__((noinline)) static long total(const std::vector<Box> &all, long by)
{
	long s = 0;

	for (const Box &b : all)
		s += b.get() * by; // HERE
	return s;
}

int main()
{
	const int n = V == 2 ? 100 : 10000;
	std::vector<Box> all;
	std::vector<int> pool(V == 1 ? n : 0);
	long s = 0;

	all.reserve(n);
	for (int i = 0; i < n; i++)
		if (V == 1) {
			pool[i] = i % 7;
			all.emplace_back(&pool[i]);
		} else {
			all.emplace_back(new int(i % 7));
		}
	for (int r = 0; r < (V == 2 ? 3000 : 150); r++)
		s += total(all, r);
	std::printf("%ld\n", s);
}
