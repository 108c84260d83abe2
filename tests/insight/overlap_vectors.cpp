// kind: overlap
// region: *
// machine: L1 8K 2w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// Three arrays that begin at the same place of a page, in a cache of two ways; moved by some
// lines when mended.
#include <cstdio>
#include <cstdlib>
#ifndef V
#define V 0
#endif
static const int n = 450;

__attribute__((noinline)) static void add(double *out, const double *left, const double *right)
{
	for (int i = 0; i < n; i++)
		out[i] += left[i] * right[i]; // HERE
}

int main()
{
	char *out_ = (char *)aligned_alloc(4096, 8192);
	char *left_ = (char *)aligned_alloc(4096, 8192);
	char *right_ = (char *)aligned_alloc(4096, 8192);
	double *out = (double *)out_, *left = (double *)(left_ + (V == 1 ? 512 : 0));
	double *right = V == 2 ? left : (double *)(right_ + (V == 1 ? 1024 : 0));

	for (int i = 0; i < n; i++) {
		left[i] = right[i] = i;
		out[i] = 0;
	}
	for (int r = 0; r < 200; r++)
		add(out, left, right);
	double s = 0;
	for (int i = 0; i < n; i++)
		s += out[i];
	std::printf("%g\n", s);
}
