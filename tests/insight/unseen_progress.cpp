// kind: true sharing
// region: done
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// Four threads count finished items in one atomic; each counts its own and adds once when
// mended.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
alignas(64) static std::atomic<long> done{ 0 };
static long results[4][8];

static void work(int me)
{
	long mine = 0;
	unsigned x = me + 1;

	for (int i = 0; i < 5000; i++) {
		unsigned n = 0;
		while ((x = x * 1664525 + 1013904223) % 5)
			n++;
		results[me][n & 7]++;
		if (V == 0)
			done.fetch_add(1, std::memory_order_relaxed); // HERE
		else
			mine++;
	}
	if (V)
		done += mine;
}

int main()
{
	std::vector<std::thread> all;
	long s = 0;

	if (V == 2) {
		for (int i = 0; i < 4; i++)
			work(i);
	} else {
		for (int i = 0; i < 4; i++)
			all.emplace_back(work, i);
		for (auto &t : all)
			t.join();
	}
	for (auto &r : results)
		for (long x : r)
			s += x;
	std::printf("%ld %ld\n", s, done.load());
}
