// kind: cleared
// region: v
// A sized vector clears its elements; then all of them are written.
#include <cstdio>
#include <memory>
#include <vector>
#ifndef V
#define V 0
#endif
__attribute__((noinline)) static double make(int n, int r)
{
#if V == 1
	std::unique_ptr<double[]> v(new double[n]);
	for (int i = 0; i < n; i++)
		v[i] = i ^ r;
#elif V == 2
	std::vector<double> v(n);
	for (int i = 0; i < n; i++)
		v[i] += i ^ r;
#else
	std::vector<double> v(n); // HERE
	for (int i = 0; i < n; i++)
		v[i] = i ^ r;
#endif
	double s = 0;
	for (int i = 0; i < n; i++)
		s += v[i];
	return s;
}

int main()
{
	double s = 0;
	for (int r = 0; r < (V == 2 ? 300 : 12); r++)
		s += make(V == 2 ? 700 : 20000, r);
	std::printf("%g\n", s);
}
