/* Macros that declare and allocate, as in PolyBench. */
#include <stdio.h>
#include <stdlib.h>

#define DATA_TYPE double
#define N 30
#define M 20

void *polybench_alloc_data(unsigned long long n, int elt_size);

#define POLYBENCH_DECL_VAR(x) *x
#define POLYBENCH_ARRAY(x) *x
#define POLYBENCH_ALLOC_2D_ARRAY(n1, n2, type) \
	(type(*)[n1][n2]) polybench_alloc_data((n1) * (n2), sizeof(type))
#define POLYBENCH_ALLOC_1D_ARRAY(n1, type) \
	(type(*)[n1]) polybench_alloc_data(n1, sizeof(type))
#define POLYBENCH_1D_ARRAY_DECL(var, type, dim1, ddim1) \
	type(POLYBENCH_DECL_VAR(var))[dim1]; \
	var = POLYBENCH_ALLOC_1D_ARRAY(dim1, type);
#define POLYBENCH_2D_ARRAY_DECL(var, type, dim1, dim2, ddim1, ddim2) \
	type(POLYBENCH_DECL_VAR(var))[dim1][dim2]; \
	var = POLYBENCH_ALLOC_2D_ARRAY(dim1, dim2, type);
#define POLYBENCH_FREE_ARRAY(x) free((void *)x)
#define WORKSPACE(n) float *workspace = malloc((n) * sizeof(float))

static void *xmalloc(size_t alloc_sz)
{
	void *ret = NULL;
	int err = posix_memalign(&ret, 4096, alloc_sz);
	if (!ret || err) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return ret;
}

void *polybench_alloc_data(unsigned long long n, int elt_size)
{
	size_t val = n;
	val *= elt_size;
	void *ret = xmalloc(val);
	return ret;
}

static void __attribute__((noinline)) kernel(int m, int n, DATA_TYPE data[N][M], DATA_TYPE corr[M][M],
		   DATA_TYPE mean[M])
{
	for (int j = 0; j < m; j++) {
		mean[j] = 0;
		for (int i = 0; i < n; i++)
			mean[j] += data[i][j];
	}
	for (int i = 0; i < m; i++)
		for (int j = 0; j < m; j++)
			corr[i][j] = mean[i] * mean[j];
}

int main(int argc, char **argv)
{
	int n = N;
	int m = M;

	POLYBENCH_2D_ARRAY_DECL(data, DATA_TYPE, N, M, n, m); /* -> data double 8 30x20 */
	POLYBENCH_2D_ARRAY_DECL(corr, DATA_TYPE, M, M, m, m); /* -> corr double 8 20x20 */
	POLYBENCH_1D_ARRAY_DECL(mean, DATA_TYPE, M, m); /* -> mean double 8 20 */
	WORKSPACE(argc + 50); /* -> workspace float 4 */

	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			(*data)[i][j] = (double)(i * j) / M;
	for (int i = 0; i < argc + 50; i++)
		workspace[i] = (float)i;
	kernel(m, n, *data, *corr, *mean);
	double sum = (*corr)[3][4] + workspace[7];
	POLYBENCH_FREE_ARRAY(data);
	POLYBENCH_FREE_ARRAY(corr);
	POLYBENCH_FREE_ARRAY(mean);
	free(workspace);
	return sum < 0;
}
