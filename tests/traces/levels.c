/*
 * Walks lists that fit the caches of the machine one by one: half of L1, the geometric
 * mean of L1 and L2, and twice L2; then a shuffled list and a sequential sweep over the
 * same bytes, twice the last cache. Each walk has a function of its own and makes the
 * same number of steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 200000, PAGE = 4096 };

struct node {
	struct node *next;
	long pad[7];
};

/*
 * Built without hooks: only the walks are sampled. The successor of node i is a i + c
 * modulo their number, a power of two: with a % 4 == 1 and c odd that is one ring (Hull
 * and Dobell 1962), in no order that a prefetcher knows.
 */
__attribute__((no_sanitize("thread"))) static struct node *make_list(size_t bytes)
{
	size_t n = 1;

	while (2 * n * sizeof(struct node) <= bytes)
		n *= 2;
	struct node *list = aligned_alloc(PAGE, n * sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = (struct node){ &list[(i * 6364136223846793005u + 12345) % n],
					 { 0 } };
	return list;
}

/* Goes round the list once, unsampled, so that the caches hold what they can. */
__attribute__((no_sanitize("thread"))) static struct node *warm(struct node *p,
								size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*p); i++)
		p = p->next;
	return p;
}

#define WALK(name) \
	__attribute__((noinline)) static struct node *name(struct node *p) \
	{ \
		for (long i = 0; i < STEPS; i++) \
			p = p->next; \
		return p; \
	}

WALK(walk_l1)
WALK(walk_l2)
WALK(walk_l3)
WALK(walk_memory)

__attribute__((noinline)) static long sweep_memory(const struct node *list)
{
	long sum = 0;

	for (long i = 0; i < STEPS; i++)
		sum += list[i].pad[1];
	return sum;
}

static size_t cache(int name, size_t otherwise)
{
	long size = sysconf(name);

	return size > 0 ? (size_t)size : otherwise;
}

static size_t root(double square)
{
	double x = 1;

	for (int i = 0; i < 100; i++)
		x = (x + square / x) / 2;
	return (size_t)x;
}

int main(void)
{
	size_t l1 = cache(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
	       l2 = cache(_SC_LEVEL2_CACHE_SIZE, 1 << 20),
	       l3 = cache(_SC_LEVEL3_CACHE_SIZE, 32 << 20);
	size_t in_l2 = root((double)l1 * (double)l2),
	       in_l3 = 2 * l2; /* others use L3 too */
	size_t large = 2 * l3 > 64 << 20 ? 2 * l3 : 64 << 20;
	struct node *p = make_list(l1 / 2), *q = make_list(in_l2), *r = make_list(in_l3),
		    *s = make_list(large);
	long sum = sweep_memory(s);

	p = walk_l1(warm(p, l1 / 2));
	q = walk_l2(warm(q, in_l2));
	r = walk_l3(warm(r, in_l3));
	s = walk_memory(s);
	printf("%d %ld\n", p->next && q->next && r->next && s->next, sum);
	return 0;
}
