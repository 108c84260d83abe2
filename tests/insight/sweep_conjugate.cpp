// kind: sweep
// region: values
// Each product of a sparse matrix with a vector needs the whole product before, so tiles over
// several products are impossible. Every other product goes backwards when mended.
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
static const int n = V == 2 ? 20 : 1000, wide = 7;

struct Matrix {
	std::vector<double> values;
	std::vector<int> columns;
};

__attribute__((noinline)) static void row(const Matrix &a, const std::vector<double> &p,
					  std::vector<double> &q, int i)
{
	double sum = 0;

	for (int k = 0; k < wide; k++)
		sum += a.values[i * wide + k] * p[a.columns[i * wide + k]]; // HERE
	q[i] = sum;
}

__attribute__((noinline)) static void multiply(const Matrix &a, const std::vector<double> &p,
					       std::vector<double> &q, bool back)
{
	if (back)
		for (int i = n - 1; i >= 0; i--)
			row(a, p, q, i);
	else
		for (int i = 0; i < n; i++)
			row(a, p, q, i);
}

__attribute__((noinline)) static void update(std::vector<double> &p, const std::vector<double> &q)
{
	for (int i = 0; i < n; i++)
		p[i] = 0.3 * p[i] + 0.1 * q[i];
}

int main()
{
	Matrix a;
	std::vector<double> p(n, 1), q(n);

	a.values.resize(n * wide);
	a.columns.resize(n * wide);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < wide; k++) {
			a.values[i * wide + k] = 1 + k % 3;
			a.columns[i * wide + k] = (i + (k - wide / 2) * 5 + n) % n;
		}
	for (int t = 0; t < (V == 2 ? 800 : 90); t++) {
		multiply(a, p, q, V == 1 && t % 2);
		update(p, q);
	}
	std::printf("%g\n", p[1]);
}
