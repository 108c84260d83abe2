// kind: first touch
// region: field
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c | remote 320c
// A vector is constructed by the main thread and used by the others.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
struct cell {
	float value[8];
};

static void use(cell *part, int n)
{
	for (unsigned i = 0, at = 5; i < 90000; i++) { // any order, so nothing else helps
		at = at * 1664525u + 1013904223u;
		for (float &x : part[(at >> 8) % n].value)
			x += 0.5f;
	}
}

int main()
{
	const int n = V == 2 ? 600 : 90000, part = n / 3;
	cell *field = new cell[n];
	std::vector<std::thread> threads;

	for (int i = 0; V != 1 && i < n; i++)
		field[i] = cell{ { 1, 2, 3, 4, 5, 6, 7, 8 } }; // HERE
	for (int t = 0; t < 3; t++)
		threads.emplace_back([=] {
			for (int i = 0; V == 1 && i < part; i++)
				field[t * part + i] = cell{ { 1, 2, 3, 4, 5, 6, 7, 8 } };
			use(field + t * part, part);
		});
	for (auto &t : threads)
		t.join();
	printf("%g\n", field[n / 2].value[0]);
	delete[] field;
}
