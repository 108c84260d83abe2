// kind: gather or probes
// region: pos
// Particles in cells: the list of a cell links particles that lie far apart. Sorted by cell
// when mended, so that the list of a cell is a piece of the array.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Point {
	double x, y, z;
};

struct Box {
	std::vector<Point> pos;
	std::vector<int> head, next;

	__attribute__((noinline)) double energy() const
	{
		double e = 0;
		for (size_t c = 0; c < head.size(); c++)
			for (int p = head[c]; p >= 0; p = next[p]) // HERE
				e += pos[p].x * pos[p].y + pos[p].z; // HERE
		return e;
	}
};

int main()
{
	const int n = V == 2 ? 200 : 12000, cells = n / 8;
	Box b;
	unsigned r = 5;
	double e = 0;

	b.pos.resize(n);
	b.next.resize(n);
	b.head.assign(cells, -1);
	for (int i = n - 1; i >= 0; i--) {
		r = r * 1664525 + 1013904223;
		int c = V == 1 ? i / 8 : (int)((r >> 7) % cells);
		b.pos[i] = Point{ i * 0.5, c * 1.0, 1.0 };
		b.next[i] = b.head[c];
		b.head[c] = i;
	}
	for (int s = 0; s < (V == 2 ? 1500 : 40); s++) {
		__asm__ volatile("" ::: "memory"); // each call is made
		e += b.energy();
	}
	std::printf("%g\n", e);
}
