// kind: nodes
// region: *
// A list of jobs is put into another order by moving its nodes; the nodes are copied in
// the new order when mended.
#include <cstdio>
#include <list>
#include <vector>
#ifndef V
#define V 0
#endif
struct Job {
	long deadline;
	double cost;
};

__attribute__((noinline)) static double due(const std::list<Job> &jobs, long now)
{
	double s = 0;
	for (const Job &j : jobs)     // HERE
		if (j.deadline > now) // HERE
			s += j.cost;  // HERE
	return s;
}

int main()
{
	const int n = V == 2 ? 60 : 8000;
	std::list<Job> jobs;
	std::vector<std::list<Job>::iterator> at;
	unsigned x = 11;
	double s = 0;

	at.reserve(n);
	for (int i = 0; i < n; i++) {
		jobs.push_back(Job{ i * 7L % 1000, i * 0.25 });
		at.push_back(std::prev(jobs.end()));
	}
	for (int i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		jobs.splice(jobs.begin(), jobs, at[(x >> 8) % n]);
	}
	if (V == 1) {
		std::list<Job> packed(jobs.begin(), jobs.end());
		jobs.swap(packed);
	}
	for (int r = 0; r < (V == 2 ? 4000 : 600); r++)
		s += due(jobs, r);
	std::printf("%g\n", s);
}
