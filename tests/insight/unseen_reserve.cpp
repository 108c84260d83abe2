// kind: copies
// region: *
// Each new row reserves room for exactly one more, so that all rows are copied; room for
// all when mended. The look-alike has room for all before, so that nothing is copied.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Row {
	long id;
	double cells[7];
};

static void add(std::vector<Row> &rows, long id)
{
	if (V != 1)
		rows.reserve(rows.size() + 1);                     // HERE
	rows.push_back(Row{ id, { id * 0.5, 1, 2, 3, 4, 5, 6 } }); // HERE
}

__attribute__((noinline)) static double load(int count)
{
	std::vector<Row> rows;
	double s = 0;

	if (V != 0)
		rows.reserve(count);
	for (int i = 0; i < count; i++)
		add(rows, i); // HERE
	for (const Row &r : rows)
		s += r.id + r.cells[0] + r.cells[6];
	return s;
}

int main()
{
	double s = 0;

	for (int r = 0; r < (V == 2 ? 60 : 3); r++)
		s += load(V == 2 ? 60 : 500);
	std::printf("%g\n", s);
}
