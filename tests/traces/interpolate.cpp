// The interpolation of a material point method: mass and momentum of particles go to the
// four nodes around each. S_x and S_y differ in the spacing only (section 6.4.3).
#include <cmath>
#include <cstdlib>
#include <vector>

struct Point {
	double x, y;
};

static double shape(int cell, double position, double size)
{
	const double distance = std::abs((position - size * cell) / size);

	if (distance >= 1.0)
		return 0.0;
	return 1.0 - distance;
}

struct Grid {
	int side;
	double h;
	std::vector<double> mass, momentum;

	unsigned indexify(unsigned i, unsigned j) const
	{
		return i * (unsigned)side + j;
	}
	double S_x(int i, double x) const
	{
		return shape(i, x, h);
	}
	double S_y(int j, double y) const
	{
		return shape(j, y, h);
	}
	double S(int i, int j, const Point &p) const
	{
		return S_x(i, p.x) * S_y(j, p.y);
	}
};

static void interpolate(Grid &g, const std::vector<Point> &points)
{
	for (int i = 0; i < g.side * g.side; i++) {
		g.mass[i] = 0;
		g.momentum[i] = 0;
	}
	for (const Point &p : points) {
		int i = (int)(p.x / g.h), j = (int)(p.y / g.h);
		for (int ii = i; ii <= i + 1; ii++)
			for (int jj = j; jj <= j + 1; jj++) {
				g.mass[g.indexify(ii, jj)] += g.S(ii, jj, p) * 2.0;
				g.momentum[g.indexify(ii, jj)] += g.S(ii, jj, p) * 2.0 * 0.5;
			}
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 5;
	Grid g = { 8, 1.0, std::vector<double>(64), std::vector<double>(64) };
	std::vector<Point> points;

	for (int i = 0; i < count; i++)
		points.push_back({ 0.3 + (i * 7 % 60) * 0.1, 0.4 + (i * 11 % 60) * 0.1 });
	interpolate(g, points);
	return g.mass[0] > 100;
}
