// kind: imbalance
// region: *
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// Tasks have as many vertices each, but the first ones have most edges; as many edges
// each when mended. Each edge costs 24 steps of a sum.
#include <algorithm>
#include <cstdio>
#include <future>
#include <vector>
#ifndef V
#define V 0
#endif
static std::vector<int> first;
static std::vector<double> weight, score;
static double factors[24];

static void rank(int from, int to)
{
	for (int v = from; v < to; v++) { // HERE
		double s = 0;
		for (int e = first[v]; e < first[v + 1]; e++) // HERE
			for (double f : factors)              // HERE
				s = s * weight[e] + f;        // HERE
		score[v] = s;
	}
}

int main()
{
	const int n = 2000, tasks = 4;
	std::vector<std::future<void>> running;

	first.push_back(0);
	for (int v = 0; v < n; v++)
		first.push_back(first[v] +
				(V == 2 ? 24 : 4 + 60 * (n - v) / n * (n - v) / n));
	weight.reserve(first[n]);
	score.resize(n);
	for (int i = 0; i < 24; i++)
		factors[i] = 1.0 / (i + 2);
	for (int e = 0; e < first[n]; e++)
		weight.push_back(1.0 / (e % 10 + 2));
	auto cut = [&](int t) {
		if (V != 1)
			return t * n / tasks;
		return int(std::lower_bound(first.begin(), first.end(),
					    first[n] / tasks * t) -
			   first.begin());
	};
	for (int t = 0; t < tasks; t++)
		running.push_back(std::async(std::launch::async, rank, cut(t),
					     t + 1 < tasks ? cut(t + 1) : n));
	for (auto &r : running)
		r.get();
	std::printf("%g %g\n", score[0], score[n - 1]);
}
