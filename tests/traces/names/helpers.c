/* Allocation through helpers of the user's own, as in CoMD and XSBench. */
#include <stdlib.h>
#include <string.h>

typedef double real3[3];

struct atoms {
	int *gid;
	real3 *r;
	double *U;
};

struct cells {
	int count;
	int *nAtoms;
};

struct simulation {
	struct atoms *atoms;
	struct cells *boxes;
	double *grid;
	int grid_length;
};

static inline void *comdMalloc(size_t size)
{
	return malloc(size);
}

__attribute__((noinline)) void *xmalloc(size_t size)
{
	void *ret = NULL;
	if (posix_memalign(&ret, 64, size))
		abort();
	memset(ret, 0, size);
	return ret;
}

__attribute__((noinline)) void *my_new(size_t n, size_t elem)
{
	void *got = xmalloc(n * elem);
	return got;
}

int get_buffer(float **out, size_t n)
{
	void *p = malloc(n * sizeof(float));
	*out = p;
	return p == NULL;
}

struct reader {
	int left;
	char text[60];
};

struct reader *open_reader(int *error)
{
	struct reader *r = malloc(sizeof(struct reader));
	*error = r == NULL;
	return r;
}

struct atoms *init_atoms(struct cells *boxes)
{
	struct atoms *a = comdMalloc(sizeof(struct atoms));
	int total = boxes->count * 8;

	a->gid = (int *)comdMalloc(total * sizeof(int));  /* -> sim.atoms->gid int 4 */
	a->r = (real3 *)comdMalloc(total * sizeof(real3)); /* -> sim.atoms->r double|real3 * */
	a->U = (double *)comdMalloc(total * sizeof(double)); /* -> sim.atoms->U double 8 */
	return a;
}

struct cells *init_cells(int n)
{
	struct cells *ll = xmalloc(sizeof(struct cells));

	ll->count = n;
	ll->nAtoms = xmalloc(n * sizeof(int)); /* -> sim.boxes->nAtoms int 4 */
	return ll;
}

struct simulation grid_init(int n)
{
	struct simulation SD;

	SD.grid_length = n;
	SD.grid = (double *)malloc(n * sizeof(double)); /* -> sim.grid double 8 */
	SD.boxes = init_cells(n); /* -> sim.boxes struct~cells 16 */
	SD.atoms = init_atoms(SD.boxes); /* -> sim.atoms? struct~atoms 24 */
	return SD;
}

int main(int argc, char **argv)
{
	struct simulation sim = grid_init(40 + argc);
	float *energies = my_new(sim.grid_length, sizeof(float)); /* -> energies float 4 */
	char *copy = strdup(argv[0]); /* -> copy char 1 */
	int **rows = my_new(4, sizeof(int *)); /* -> rows int~* 8 */

	float *samples;
	int error = get_buffer(&samples, 100); /* -> samples float 4 */
	struct reader *input;
	input = open_reader(&error); /* -> input? struct~reader 64 */
	input->left = error;
	memset(samples, 1, 400);

	for (int i = 0; i < 4; i++)
		rows[i] = my_new(10, sizeof(int)); /* -> rows[i] int 4 */
	for (int i = 0; i < sim.grid_length; i++) {
		sim.atoms->gid[i] = sim.boxes->nAtoms[i];
		sim.atoms->r[i][1] = energies[i] + rows[i % 4][i % 10];
		sim.atoms->U[i] = sim.grid[i] = i;
	}
	double sum = 0;
	for (int i = 0; i < argc + 5; i++)
		sum += samples[i] + input->left + sim.grid[i] + energies[i] + sim.atoms->gid[i] + sim.atoms->r[i][1] +
		       sim.atoms->U[i] + copy[i];
	return sum > 1e9;
}
