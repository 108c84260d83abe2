// kind: holes
// region: cells
// Each cell has a line of its own, but one thread uses them all: 52 of 64 bytes are padding.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
#if V == 1
struct cell {
#else
struct alignas(64) cell {
#endif
	float heat, next, flow;
};

struct grid {
	cell *cells;
	int n;

	__attribute__((noinline)) float step()
	{
		float sum = 0;

		for (int i = 0; i < n; i++) { // HERE
			cells[i].heat += cells[i].flow; // HERE
			cells[i].next += cells[i].heat; // HERE
			sum += cells[i].next; // HERE
		}
		return sum;
	}
};

int main()
{
	const int n = V == 2 ? 60 : 6000;
	cell *cells = new cell[n]();
	grid g{ cells, n };
	float sum = 0;

	for (int i = 0; i < n; i++)
		cells[i].flow = i;
	for (int t = 0; t < (V == 2 ? 300 : 6); t++)
		sum += g.step();
	printf("%g\n", sum);
	delete[] cells;
}
