// kind: fields
// region: *
// Objects of 96 bytes of which each step moves only the position; positions apart when
// mended.
#include <algorithm>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Motion {
	double x, y, dx, dy;
};
struct Bird {
#if V != 1
	double x, y, dx, dy;
#endif
	char name[48];
	long age, flock;
};

template <class T> __attribute__((noinline)) static void step(std::vector<T> &all)
{
	std::for_each(all.begin(), all.end(), [](T &b) {
		b.x += b.dx; // HERE
		b.y += b.dy; // HERE
	});
}

int main()
{
	const int n = V == 2 ? 60 : 6000;
	std::vector<Bird> birds(n);
	std::vector<Motion> motions(V == 1 ? n : 0);
	double s = 0;

	for (int i = 0; i < n; i++) {
#if V == 1
		motions[i] = { 0, 0, 1.0 / (i + 1), 2 };
#else
		birds[i].x = birds[i].y = 0;
		birds[i].dx = 1.0 / (i + 1);
		birds[i].dy = 2;
#endif
		birds[i].age = i;
	}
	for (int r = 0; r < (V == 2 ? 2000 : 30); r++)
#if V == 1
		step(motions);
#else
		step(birds);
#endif
	for (int i = 0; i < n; i++)
#if V == 1
		s += motions[i].x + motions[i].y + birds[i].age;
#else
		s += birds[i].x + birds[i].y + birds[i].age;
#endif
	std::printf("%g\n", s);
}
