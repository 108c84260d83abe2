// kind: copies
// region: v
// A vector that grows copies what it has, again and again.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Point {
	double x, y, z;
};

__attribute__((noinline)) static double fill(int n)
{
	std::vector<Point> v;
	double s = 0;
	if (V == 1)
		v.reserve(n);
	if (V == 2)
		v.resize(n);
	for (int i = 0; i < n; i++)
		if (V == 2)
			v[i] = Point{ i * 1.0, i * 2.0, i * 3.0 };
		else
			v.push_back(Point{ i * 1.0, i * 2.0, i * 3.0 }); // HERE
	for (const auto &p : v)
		s += p.x + p.y;
	return s;
}

int main()
{
	double s = 0;
	for (int r = 0; r < (V == 2 ? 200 : 10); r++)
		s += fill(V == 2 ? 300 : 9000);
	std::printf("%g\n", s);
}
