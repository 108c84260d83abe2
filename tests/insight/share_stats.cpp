// kind: false sharing
// region: stats
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// A vector of statistics, an entry of 16 bytes for each thread; a line each when mended.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
#if V == 1
struct alignas(64) Stats {
#else
struct Stats {
#endif
	volatile uint64_t hits, misses;
};

static void serve(std::vector<Stats> &stats, int me)
{
	unsigned x = me + 1;
	uint64_t hits = 0, misses = 0;
	for (int i = 0; i < 20000; i++) { // HERE: clang has one load and store for both branches
		x = x * 1664525 + 1013904223; // HERE
		if (V == 2)
			(x >> 30 ? hits : misses)++;
		else if (x >> 30) // HERE
			stats[me].hits = stats[me].hits + 1; // HERE
		else
			stats[me].misses = stats[me].misses + 1; // HERE
	}
	stats[me].hits = stats[me].hits + hits;
	stats[me].misses = stats[me].misses + misses;
}

int main()
{
	std::vector<Stats> stats(4);
	std::vector<std::thread> all;
	for (int i = 0; i < 4; i++)
		all.emplace_back(serve, std::ref(stats), i);
	for (auto &t : all)
		t.join();
	std::printf("%lu\n", (unsigned long)(stats[0].hits + stats[3].misses));
}
