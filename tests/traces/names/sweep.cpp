// Parallel regions of OpenMP in C++: in a method that is inlined, and a task in a region.
// => Grid::sweep (parallel region, line 18)
// => main (parallel region, line 40)
// => main (parallel region, line 43)
#include <vector>

struct Grid {
	std::vector<double> u, v;
	int n;
	Grid(int size)
	    : u(size * size), // -> u double 8
	      v(size * size), // -> v double 8
	      n(size)
	{
	}
	void sweep()
	{
#pragma omp parallel for
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				v[i * n + j] = u[i * n + j - 1] + u[i * n + j + 1];
		u.swap(v);
	}
};

template <typename T> T *grab(int n)
{
	T *p = new T[n]();
	return p;
}

int main()
{
	Grid g(60);
	double *w = grab<double>(1000); // -> w double 8
	double sum = 0;

	for (int k = 0; k < 3; k++)
		g.sweep();
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 10)
	for (int i = 0; i < 1000; i++)
		sum += w[i];
#pragma omp parallel
	{
		std::vector<int> own(50); // -> own int 4
#pragma omp critical
		for (int i = 0; i < 50; i++)
			sum += own[i];
#pragma omp single
		{
#pragma omp task
			w[3] = 5;
		}
	}
	delete[] w;
	return sum + g.u[5] < 0;
}
