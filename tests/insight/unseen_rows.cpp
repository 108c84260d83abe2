// kind: stride or nodes
// region: t
// remedy: gain_exchanged
// A table is a vector of vectors, and its columns are summed one by one; rows are walked when
// mended.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
using Table = std::vector<std::vector<double>>;

__attribute__((noinline)) static void sum(const Table &t, std::vector<double> &out)
{
#if V == 1
	for (const auto &row : t)
		for (std::size_t c = 0; c < out.size(); c++)
			out[c] += row[c];
#else
	for (std::size_t c = 0; c < out.size(); c++) {
		double s = 0;
		for (const auto &row : t)
			s += row[c]; // HERE
		out[c] += s;
	}
#endif
}

int main()
{
	const int rows = V == 2 ? 16 : 500, columns = V == 2 ? 30 : 120;
	Table t(rows, std::vector<double>(columns, 1.5));
	std::vector<double> out(columns);
	double s = 0;

	for (int r = 0; r < (V == 2 ? 400 : 4); r++)
		sum(t, out);
	for (double x : out)
		s += x;
	std::printf("%g\n", s);
}
