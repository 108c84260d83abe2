// kind: tile
// region: body
// Each body looks at all others: in blocks, a block of others stays in the cache.
#include <cmath>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Body {
	double x, y, z, m;
};
static const int n = V == 2 ? 100 : 1200;

static double force(const std::vector<Body> &body, double *f)
{
	double all = 0;
#if V == 1
	for (int jj = 0; jj < n; jj += 100)
		for (int i = 0; i < n; i++) {
			double s = 0;
			for (int j = jj; j < jj + 100; j++)
				s += body[j].m * (body[i].x - body[j].x) * (body[j].y - body[j].z);
			f[i] += s;
		}
#else
	for (int r = 0; r < (V == 2 ? 100 : 1); r++)
		for (int i = 0; i < n; i++) {
			double s = 0;
			for (int j = 0; j < n; j++)
				s += body[j].m * (body[i].x - body[j].x) * (body[j].y - body[j].z); // HERE
			f[i] += s;
		}
#endif
	for (int i = 0; i < n; i++)
		all += f[i];
	return all;
}

int main()
{
	std::vector<Body> body(n);
	std::vector<double> f(n);

	for (int i = 0; i < n; i++)
		body[i] = Body{ i * 0.5, i * 0.25, i * 2.0, 1.0 + i % 3 };
	std::printf("%g\n", force(body, f.data()));
}
