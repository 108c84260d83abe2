// kind: true sharing
// region: *
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// One lock around one sum for all threads.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
struct alignas(64) Sum {
	std::mutex lock;
	double value = 0;
};
static Sum shared;

static void work(int id)
{
	double mine = 0;
	for (int i = 0; i < 12000; i++) {
		if (V == 0) {
			std::lock_guard<std::mutex> hold(shared.lock); // HERE
			shared.value += i * id; // HERE
		} else { // HERE: the lock is released
			mine += i * id;
		}
	}
	std::lock_guard<std::mutex> hold(shared.lock);
	shared.value += mine;
}

int main()
{
	std::vector<std::thread> all;
	for (int i = 0; i < 4; i++)
		all.emplace_back(work, i + 1);
	for (auto &t : all)
		t.join();
	std::printf("%g\n", shared.value);
}
