/*
 * What it costs to make a std::vector: the constructor writes zeros over all of
 * it, before the program puts anything there.
 *
 *	memlamp record ./vector
 *	memlamp info vector.mlt
 *	memlamp dump --region v vector.mlt
 *
 * What to look at: three lines sweep over v, not two. The line that declares v
 * writes every byte of it; the next loop writes all of it again; only then is it
 * read. (Choudhury saw this in the traces of his dissertation on the
 * visualization of memory references, 2012.)
 */
#include <cstddef>
#include <cstdio>
#include <vector>

int main()
{
	const std::size_t n = 100000;
	std::vector<double> v(n);

	for (std::size_t i = 0; i < n; i++)
		v[i] = static_cast<double>(i);
	double sum = 0;
	for (std::size_t i = 0; i < n; i++)
		sum += v[i];
	std::printf("sum = %g\n", sum);
	return 0;
}
