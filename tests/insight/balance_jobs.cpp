// kind: imbalance
// region: *
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// Jobs of different length, one list for each thread; dealt out by length when mended.
#include <cstdio>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
static void run(std::vector<int> &job)
{
	for (unsigned r = 0; r < 4; r++)
		for (unsigned i = 0; i < job.size(); i++) // HERE
			job[i] += i ^ r; // HERE
}

int main()
{
	std::vector<std::vector<int>> jobs;
	std::vector<std::thread> threads;
	long sum = 0;

	jobs.reserve(16);
	for (int i = 0; i < 16; i++)
		jobs.emplace_back(V == 2 ? 2000 : i < 4 ? 6000 : 600);
	for (int t = 0; t < 4; t++)
		threads.emplace_back([&jobs, t] {
			for (int i = 0; i < 4; i++)
				run(jobs[V == 1 ? i * 4 + t : t * 4 + i]);
		});
	for (auto &t : threads)
		t.join();
	for (auto &j : jobs)
		sum += j[0];
	printf("%ld\n", sum);
}
