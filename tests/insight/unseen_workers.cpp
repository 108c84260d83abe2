// kind: false sharing
// region: workers
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// Each thread counts packets in its element of a vector; an element has a line of its own
// when mended.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
struct alignas(V == 1 ? 64 : 8) Worker {
	std::atomic<long> accepted{ 0 }, refused{ 0 };
};
static std::vector<Worker> workers(4);
static unsigned char allowed[256];

static void filter(int me)
{
	Worker &mine = workers[me];
	unsigned x = me * 77 + 1;
	long good = 0, bad = 0;

	for (int i = 0; i < 20000; i++) {
		x = x * 1664525 + 1013904223;
		bool pass = allowed[x >> 24];
		if (V == 2)
			(pass ? good : bad)++;
		else
			(pass ? mine.accepted : mine.refused).fetch_add(1); // HERE
	}
	mine.accepted += good;
	mine.refused += bad;
}

int main()
{
	std::vector<std::thread> all;
	long s = 0;

	for (int i = 0; i < 256; i++)
		allowed[i] = i % 3 != 0;
	for (int i = 0; i < 4; i++)
		all.emplace_back(filter, i);
	for (auto &t : all)
		t.join();
	for (auto &w : workers)
		s += w.accepted - w.refused;
	std::printf("%ld\n", s);
}
