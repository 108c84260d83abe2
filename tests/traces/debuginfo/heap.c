/* Allocations as people write them. "-> name type bytes" is what the test expects. */
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	int value;
};

struct table {
	struct node **buckets;
	double *data;
};

static double *global;
static struct table shared;

static void *xmalloc(size_t n)
{
	void *p = malloc(n);

	if (!p)
		abort();
	return p;
}

static void allocate_all(int n)
{
	global = malloc((size_t)n * 8); /* -> global double 8 */
	shared.data = malloc(80);       /* -> shared.data double 8 */
}

static double *make(size_t n)
{
	return malloc(n * sizeof(double)); /* -> make:35 double 8 */
}

static int use(void *p, int n)
{
	return p != NULL && n;
}

static int fill(double **out, struct table *t, int n)
{
	*out = malloc(8);               /* -> out double 8 */
	(*out) = malloc(16);            /* -> out double 8 */
	t->buckets = calloc(4, 8);      /* -> t->buckets struct_node_* 8 */
	t->buckets[n] = malloc(16);     /* -> t->buckets[n] struct_node 16 */
	if (!(t->data = malloc(8)))     /* -> t->data double 8 */
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc;
	double *A = malloc((size_t)n * sizeof(double)); /* -> A double 8 */
	double *B;
	float *C = malloc(4), *D = malloc(4); /* -> C|D float 4 */
	B = (double *)calloc((size_t)n, 8);   /* -> B double 8 */
	struct node *list = xmalloc(sizeof *list); /* -> list struct_node 16 */
	double(*rows)[100] = malloc(8000);    /* -> rows double 8 */
	char *text =
		strdup("x; y = z"); /* -> text char 1 */
	void *aligned;
	if (posix_memalign(&aligned, 64, 100)) /* -> aligned - 0 */
		return 1;
	int *grown = NULL;
	for (int i = 0; i < 3; i++) grown = realloc(grown, 8); /* -> grown int 4 */
	use(malloc(n * sizeof(int)), n); /* -> main:70 int 4 */
	double *made = make(3); /* -> made double 8 */
	unsigned char *bytes = malloc( /* -> bytes unsigned_char 1 */
		(size_t)n);
	struct table t;
	allocate_all(n);
	fill(&A, &t, n);
	return A[0] + B[0] + (rows[0][0] > made[0]) + C[0] + D[0] + list->value + text[0] +
	       bytes[0] + grown[0] + (argv == aligned);
}
