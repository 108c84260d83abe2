/* Arrays that macros of a header allocate: their names are arguments of the macros. */
#include <macros.h>

struct list {
	size_t count, room;
	double *at;
};

struct bucket {
	struct list a;
	int *keys;
};

struct pool {
	int used;
	void *blocks;
};

static int *table_codes;

/* jumps to realloc where the compiler saves a frame */
void *__attribute__((noinline)) pool_realloc(void *pool, void *p, size_t size)
{
	if (pool)
		return NULL;
	return realloc(p, size);
}

static void __attribute__((noinline)) add(struct bucket *b, int n)
{
	for (int i = 0; i < n; i++) {
		struct list *p = &b[i % 4].a;

		PUSH(double, *p, i); /* -> p->at double 8 */
	}
}

int main(int argc, char **argv)
{
	struct pool pool = { 0, NULL };
	struct bucket b[4] = { 0 }, *more;
	struct list own = { 0 };
	float *scratch;

	add(b, 2000 * argc);
	for (int i = 0; i < 500; i++)
		PUSH(double, own, i); /* -> own.at double 8 */
	MAKE(&pool, more, 40); /* -> more struct~bucket 32 */
	MAKE(&pool, b[0].keys, 900); /* -> b[0].keys int 4 */
	MAKE(&pool, scratch, 700); /* -> scratch float 4 */
	GROW_TABLE(codes, 300); /* -> table_codes int 4 */
	for (int i = 0; i < 300; i++) {
		table_codes[i] = b[0].keys[i] + (int)own.at[i];
		more[i % 40].a.count += (size_t)i;
		scratch[i] = (float)i;
	}
	return pool.used + table_codes[7] + (int)b[1].a.at[3] + (int)scratch[3] == 1;
}
