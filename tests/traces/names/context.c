/* Structures with tables in them, as in lz4: each large table is a region of its own. */
#include <stdlib.h>
#include <string.h>

typedef unsigned short U16;
typedef unsigned int U32;

typedef struct {
	U32 hashTable[4096];
	U16 chainTable[8192];
	const unsigned char *end;
	U32 dictLimit, lowLimit;
} CCtx_internal;

/* a state of fixed size, which the users of a library allocate */
typedef union {
	char minStateSize[40000];
	CCtx_internal internal_donotuse;
} streamHC_t;

struct frame {
	int level;
	void *ctx;
};

struct tree {
	int count;
	double keys[600];
	struct {
		int left[2000], right[2000];
	} links;
	int depth;
};

static struct tree forest; /* -> forest&forest.links.left&forest.links.right * */

static void __attribute__((noinline)) insert(streamHC_t *s, U32 n)
{
	CCtx_internal *c = &s->internal_donotuse;

	for (U32 i = 0; i < n; i++) {
		U32 h = i * 2654435761u >> 20;
		c->chainTable[i % 8192] = (U16)(i - c->hashTable[h]);
		c->hashTable[h] = i;
	}
	c->lowLimit = n;
}

int main(int argc, char **argv)
{
	struct frame f = { argc, NULL };
	struct tree *t;

	f.ctx = malloc(sizeof(streamHC_t)); /* -> f.ctx&f.ctx->hashTable&f.ctx->chainTable * */
	memset(f.ctx, 0, sizeof(streamHC_t));
	insert(f.ctx, 20000);
	t = calloc(1, sizeof(*t)); /* -> t&t->keys&t->links.left&t->links.right * */
	for (int i = 0; i < 2000; i++) {
		t->links.left[i] = t->links.right[i] = i * argc;
		t->keys[i % 600] = i;
		forest.links.left[i] = forest.links.right[i] = i;
	}
	t->depth = t->count + 1;
	forest.count = t->depth + argc;
	int sum = t->depth + t->links.right[argc] + ((streamHC_t *)f.ctx)->internal_donotuse.lowLimit;
	free(t);
	free(f.ctx);
	return sum + forest.count + forest.links.right[argc + 1] + forest.links.left[argc] < 0;
}
