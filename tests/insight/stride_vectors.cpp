// kind: stride
// region: next or grid
// A stencil on vectors of vectors is walked down their columns between two other parts of
// the program, so that most references are none of its own.
#include <cstdio>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#ifndef V
#define V 0
#endif
using Grid = std::vector<std::vector<double>>;

static int count(int n)
{
	std::unordered_map<std::string, int> counts;
	unsigned s = 7;

	for (int i = 0; i < n; i++) {
		s = s * 1664525u + 1013904223u;
		counts["word" + std::to_string(s >> 25)]++;
	}
	return (int)counts.size();
}

__attribute__((noinline)) static void relax(const Grid &grid, Grid &next, int n)
{
#if V == 1
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
#else
	for (int j = 1; j < n - 1; j++)
		for (int i = 1; i < n - 1; i++)
#endif
			next[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + // HERE
					     grid[i][j - 1] + grid[i][j + 1]);
}

int main()
{
	const int n = V == 2 ? 20 : 300;
	Grid grid(n, std::vector<double>(n, 1.0)), next(n, std::vector<double>(n));
	int words = count(20000);

	for (int t = 0; t < (V == 2 ? 800 : 4); t++) {
		relax(grid, next, n);
		std::swap(grid, next);
	}
	words += count(20000);
	std::printf("%d %g\n", words, grid[5][5]);
}
