// kind: fuse
// region: a
// One function after another goes over the whole array.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
__attribute__((noinline)) static void scale(std::vector<double> &a, double w)
{
	for (auto &x : a) // HERE
		x *= w; // HERE
}

__attribute__((noinline)) static void shift(std::vector<double> &a, double w)
{
	for (auto &x : a) // HERE
		x += w; // HERE
}

__attribute__((noinline)) static void both(std::vector<double> &a, double w, double s)
{
	for (auto &x : a)
		x = x * w + s;
}

int main()
{
	double sum = 0;

	for (int r = 0; r < (V == 2 ? 500 : 12); r++) {
		std::vector<double> a;
		a.reserve(V == 2 ? 500 : 20000);
		for (int i = 0; i < (V == 2 ? 500 : 20000); i++)
			a.push_back(i % 9);
		if (V == 1) {
			both(a, 0.5, 2);
			both(a, 0.25, 1);
		} else {
			scale(a, 0.5);
			shift(a, 2);
			scale(a, 0.25);
			shift(a, 1);
		}
		sum += a[r] + a[r + 100];
	}
	std::printf("%g\n", sum);
}
