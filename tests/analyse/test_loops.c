/*
 * Loops and functions of random programs. A program is a tree of statements. One walk
 * over the tree lays its code out as blocks at addresses; another runs it, makes its
 * references block by block, and counts entries and iterations as it goes along. The
 * analysis sees the trace only.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/analyse/loops/loop_walk.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { FUNCTIONS = 5, STATEMENTS = 400, BLOCKS = 3000, NODES = 4000, RUN_MAX = 20000 };

enum kind { WORK, TEST_FIRST, TEST_LAST, BREAKS, CHOICE, CALL };

/* A statement of a program, and the numbers of its blocks. */
struct statement {
	enum kind kind;
	int child[3], children; /* of a loop or choice */
	int callee;
	int block, test, leave; /* blocks */
	uint64_t header;        /* address of a loop's first block */
};

/* A block of code: a superblock of its own. */
struct code {
	uint64_t at;
	unsigned refs;
	enum ml_control_kind kind;
	int target; /* block; -1: none */
	uint32_t path;
};

/* What ran, as the interpreter counted it. */
struct counted {
	int parent, statement; /* statement: -1 - f for function f */
	uint64_t refs, entries, iterations, min, max;
	unsigned active, depth;
};

struct program {
	unsigned seed;
	struct statement s[STATEMENTS];
	int statements;
	int body[FUNCTIONS], entry[FUNCTIONS], leave[FUNCTIONS];
	struct code code[BLOCKS];
	int blocks;
	struct counted node[NODES];
	int nodes;
	int depth;             /* functions that run */
	uint32_t ran[RUN_MAX]; /* paths of blocks */
	int count, count_max;
};

static unsigned below(struct program *p, unsigned n)
{
	return (unsigned)rand_r(&p->seed) % n;
}

static int make(struct program *p, int f, int depth)
{
	int n = p->statements++;
	struct statement *s = &p->s[n];
	bool small = depth > 3 || p->statements > STATEMENTS - 60;

	*s = (struct statement){ .kind = small ? WORK : (enum kind)below(p, 6) };
	if (s->kind == CALL)
		s->callee = (int)below(p, FUNCTIONS);
	if (s->kind == WORK || s->kind == CALL)
		return n;
	/* the body of a loop begins with work, so that each iteration is seen */
	int children = 1 + (int)below(p, 2);
	for (int i = 0; i < children; i++) {
		int c = make(p, f, depth + 1);

		p->s[n].child[p->s[n].children++] = c;
	}
	return n;
}

static int add_block(struct program *p, unsigned refs, enum ml_control_kind kind)
{
	int n = p->blocks++;

	p->code[n] = (struct code){ .at = 0x400000 + 64u * (unsigned)n,
				    .refs = refs,
				    .kind = kind,
				    .target = -1 };
	return n;
}

/* Lays a statement out. */
static void lay(struct program *p, int n)
{
	struct statement *s = &p->s[n];
	int first = -1;

	switch (s->kind) {
	case WORK: s->block = add_block(p, 1 + below(p, 3), ML_CONTROL_FALL); break;
	case CALL:
		s->test = add_block(p, 1, ML_CONTROL_IF);
		s->block = add_block(p, 1, ML_CONTROL_CALL);
		s->leave = add_block(p, below(p, 2), ML_CONTROL_FALL);
		p->code[s->test].target = s->leave;
		break;
	case CHOICE:
		s->test = add_block(p, 1, ML_CONTROL_IF);
		for (int i = 0; i < s->children; i++)
			lay(p, s->child[i]);
		s->block = add_block(p, below(p, 2), ML_CONTROL_FALL);
		p->code[s->test].target = s->block;
		break;
	case TEST_FIRST:
		s->test = first = add_block(p, below(p, 2), ML_CONTROL_IF);
		s->block = add_block(p, 1, ML_CONTROL_FALL);
		for (int i = 0; i < s->children; i++)
			lay(p, s->child[i]);
		int back = add_block(p, below(p, 2), ML_CONTROL_JUMP);
		p->code[back].target = first;
		s->leave = add_block(p, 1, ML_CONTROL_FALL);
		p->code[s->test].target = s->leave;
		break;
	default:
		s->block = first = add_block(p, 1, ML_CONTROL_FALL);
		for (int i = 0; i < s->children; i++)
			lay(p, s->child[i]);
		if (s->kind == BREAKS)
			s->leave = add_block(p, 1, ML_CONTROL_IF);
		s->test = add_block(p, 1, ML_CONTROL_IF);
		p->code[s->test].target = first;
		int out = add_block(p, 1, ML_CONTROL_FALL);
		if (s->kind == BREAKS)
			p->code[s->leave].target = out;
		else
			s->leave = out;
		break;
	}
	if (first >= 0)
		s->header = p->code[first].at;
}

static struct ml_control_superblock superblock_of(const struct program *p, int n,
						  struct ml_control_branch *b,
						  uint32_t *before)
{
	const struct code *c = &p->code[n];

	*b = (struct ml_control_branch){
		.at = c->at + 60,
		.target = c->target < 0 ? 0 : p->code[c->target].at,
		.instructions = 8,
		.slots = (uint16_t)c->refs,
		.length = 4,
		.kind = (uint8_t)c->kind,
	};
	if (c->kind == ML_CONTROL_FALL)
		b->target = c->at + 64;
	if (c->kind == ML_CONTROL_IF) {
		b[1] = *b; /* as Valgrind has it: an exit, and the end */
		b[1].kind = ML_CONTROL_FALL;
		b[1].target = c->at + 64;
	}
	for (unsigned i = 0; i < c->refs; i++)
		before[i] = i;
	return (struct ml_control_superblock){ c->at, (uint16_t)c->refs,
					       c->kind == ML_CONTROL_IF ? 2 : 1, b,
					       before };
}

/* Declares all blocks, with a site and a slot for each reference. */
static void declare(struct program *p, struct ml_writer *w)
{
	for (int n = 0; n < p->blocks; n++) {
		struct ml_control_branch branch[2];
		uint32_t before[4];
		struct ml_slot slot[4];
		struct ml_control_superblock s = superblock_of(p, n, branch, before);
		uint32_t number = ml_control_add(ml_writer_control(w), &s);

		for (unsigned i = 0; i < p->code[n].refs; i++)
			slot[i] = (struct ml_slot){
				.offset = 0x1000 + i,
				.site = ml_tables_site(ml_writer_tables(w),
						       p->code[n].at + 4 * i, "", true,
						       NULL, 0),
				.what = 8,
				.base = ML_NO_BASE,
			};
		if (!p->code[n].refs)
			continue;
		uint32_t shape = ml_writer_shape(
			w, &(struct ml_shape){ .slots = (uint16_t)p->code[n].refs,
					       .user = true,
					       .slot = slot });
		ml_control_is(ml_writer_control(w), shape, number);
		p->code[n].path = ml_writer_shapes(w)->at[shape].path;
	}
}

static int child(struct program *p, int parent, int statement)
{
	for (int i = 0; i < p->nodes; i++)
		if (p->node[i].parent == parent && p->node[i].statement == statement)
			return i;
	CHECK(p->nodes < NODES && p->count < RUN_MAX - 10);
	p->node[p->nodes] = (struct counted){ .parent = parent,
					      .statement = statement,
					      .min = UINT64_MAX };
	return p->nodes++;
}

static void ran(struct program *p, int node, int block)
{
	if (!p->code[block].refs)
		return;
	p->node[node].refs += p->code[block].refs;
	p->ran[p->count++] = p->code[block].path;
}

/* A function that is active is its own callee's node. */
static int callee_node(struct program *p, int node, int f)
{
	for (int n = node; n >= 0; n = p->node[n].parent)
		if (p->node[n].statement == -1 - f)
			return n;
	return child(p, node, -1 - f);
}

static void run(struct program *p, int node, int n);

static void run_function(struct program *p, int node, int f)
{
	int own = callee_node(p, node, f);
	struct counted *c = &p->node[own];

	c->entries++;
	if (++c->active > c->depth)
		c->depth = c->active;
	p->depth++;
	ran(p, own, p->entry[f]);
	run(p, own, p->body[f]);
	ran(p, own, p->leave[f]);
	p->depth--;
	p->node[own].active--;
}

static bool tired(const struct program *p)
{
	return p->count > p->count_max || p->depth > 12;
}

static void run_body(struct program *p, int node, const struct statement *s)
{
	for (int i = 0; i < s->children; i++)
		run(p, node, s->child[i]);
}

static void run_loop(struct program *p, int node, const struct statement *s)
{
	int own = child(p, node, (int)(s - p->s));
	uint64_t max = tired(p) ? 1 : below(p, 5), n = 0;

	if (s->kind == TEST_FIRST) {
		for (; ran(p, own, s->test), n < max; n++) {
			ran(p, own, s->block);
			run_body(p, own, s);
			ran(p, own, s->leave - 1); /* back to the test */
		}
		ran(p, node, s->leave);
	} else {
		bool left = false;

		do {
			n++;
			ran(p, own, s->block);
			run_body(p, own, s);
			if (s->kind == BREAKS) {
				ran(p, own, s->leave);
				left = !below(p, 4);
			}
			if (!left)
				ran(p, own, s->test);
		} while (!left && n < max);
		ran(p, node, s->test + 1);
	}
	struct counted *c = &p->node[own];
	c->entries++;
	c->iterations += n;
	c->min = n < c->min ? n : c->min;
	c->max = n > c->max ? n : c->max;
}

static void run(struct program *p, int node, int n)
{
	const struct statement *s = &p->s[n];

	switch (s->kind) {
	case WORK: ran(p, node, s->block); break;
	case CALL:
		ran(p, node, s->test);
		if (!tired(p) && below(p, 3)) {
			ran(p, node, s->block);
			run_function(p, node, s->callee);
		}
		ran(p, node, s->leave);
		break;
	case CHOICE:
		ran(p, node, s->test);
		if (below(p, 2))
			run_body(p, node, s);
		ran(p, node, s->block);
		break;
	default: run_loop(p, node, s); break;
	}
}

static void make_program(struct program *p, unsigned seed)
{
	*p = (struct program){ .seed = seed };
	for (int f = 0; f < FUNCTIONS; f++) {
		/* a body of several statements: those of a choice that is taken */
		p->body[f] = p->statements++;
		p->s[p->body[f]] = (struct statement){ .kind = CHOICE };
		for (int i = 0; i < 3; i++) {
			int c = make(p, f, 0);

			p->s[p->body[f]].child[p->s[p->body[f]].children++] = c;
		}
	}
	for (int f = 0; f < FUNCTIONS; f++) {
		/* where a thread begins is seen only where a reference is made */
		p->entry[f] = add_block(p, f ? below(p, 2) : 1, ML_CONTROL_FALL);
		lay(p, p->body[f]);
		p->leave[f] = add_block(p, 1, ML_CONTROL_RETURN);
	}
	for (int i = 0; i < p->statements; i++)
		if (p->s[i].kind == CALL)
			p->code[p->s[i].block].target = p->entry[p->s[i].callee];
	CHECK(p->blocks < BLOCKS - 10 && p->statements <= STATEMENTS);
}

/* Runs that became shapes of several parts, by what they are joined of. */
struct joined {
	uint32_t part[4], path;
	int parts;
};

static uint32_t join(struct ml_writer *w, const uint32_t *part, int parts)
{
	struct ml_shapes *shapes = ml_writer_shapes(w);
	struct ml_slot slot[16];
	struct ml_exit exit[4];
	uint16_t slots = 0;

	for (int i = 0; i < parts; i++) {
		const struct ml_path *x = &shapes->path[part[i]];

		for (unsigned k = 0; k < x->slots; k++)
			slot[slots++] = shapes->at[x->shape].slot[k];
		exit[i] = (struct ml_exit){ .slots = slots };
	}
	uint32_t shape =
		ml_writer_shape(w, &(struct ml_shape){ .slots = slots,
						       .exits = (uint16_t)(parts - 1),
						       .user = true,
						       .slot = slot,
						       .exit = exit });
	ml_control_joins(ml_writer_control(w), shapes, shape, part, (size_t)parts);
	return shapes->at[shape].path;
}

/* Writes what ran; some runs of blocks as one step. Two threads take turns, if two. */
static void write_steps(struct program *p, struct ml_writer *w, const int *from,
			const int *until, int threads)
{
	struct joined known[64];
	int count = 0, at[2] = { from[0], threads > 1 ? from[1] : 0 };
	struct ml_err err;

	for (int t = 0; at[0] < until[0] || (threads > 1 && at[1] < until[1]);
	     t = (t + 1) % threads) {
		ml_writer_thread(w, (uint16_t)(t + 1));
		for (unsigned n = below(p, 40); n && at[t] < until[t]; n--) {
			const uint32_t *path = &p->ran[at[t]];
			struct ml_step step = { *path, 0, NULL };
			int parts = 2 + (int)below(p, 3), k = 0;

			if (at[t] + parts > until[t] || !below(p, 4))
				parts = 1;
			for (; parts > 1 && k < count; k++)
				if (known[k].parts >= parts &&
				    !memcmp(known[k].part, path,
					    (size_t)parts * sizeof(*path)))
					break;
			if (parts > 1 && k == count && count < 64) {
				known[count].parts = parts;
				memcpy(known[count].part, path,
				       (size_t)parts * sizeof(*path));
				known[count++].path = join(w, path, parts);
			}
			if (parts > 1 && k < count)
				step.path = known[k].path + (uint32_t)parts - 1;
			else
				parts = 1;
			CHECK_OK(ml_writer_steps(w, &step, 1, &err), &err);
			at[t] += parts;
		}
	}
}

/* The node of the analysis that is the same as this one, below one of it. */
static uint32_t find(const struct ml_loop_walk *w, const struct program *p, uint32_t in,
		     const struct counted *c)
{
	const struct ml_loop_tree *t = ml_loop_walk_tree(w);
	const struct ml_code_graph *g = ml_loop_walk_graph(w);
	bool function = c->statement < 0;
	uint64_t at = function ? p->code[p->entry[-1 - c->statement]].at
			       : p->s[c->statement].header;

	for (uint32_t i = t->node[in].child; i != ML_NO_NODE; i = t->node[i].sibling) {
		const struct ml_code_function *f =
			ml_loop_walk_function(w, t->node[i].function);
		uint32_t block = t->node[i].kind == ML_LOOP_LOOP
					 ? f->loop[t->node[i].loop].header
					 : f->entry;

		if (function == (t->node[i].kind == ML_LOOP_FUNCTION) &&
		    g->block[block].at == at)
			return i;
	}
	return ML_NO_NODE;
}

static void check_thread(const struct ml_loop_walk *w, const struct program *p, int from,
			 int until, uint32_t root)
{
	const struct ml_loop_tree *t = ml_loop_walk_tree(w);
	static uint32_t node[NODES];
	uint32_t nodes = 1, same = 0;

	for (int i = from; i < until; i++) {
		const struct counted *c = &p->node[i];
		uint32_t in = c->parent < 0 ? root : node[c->parent];

		/* nothing can be known of what made no reference */
		node[i] = in == ML_NO_NODE ? in : find(w, p, in, c);
		if (node[i] == ML_NO_NODE) {
			CHECK_EQ(c->refs, 0);
			continue;
		}
		const struct ml_loop_node *x = &t->node[node[i]];
		CHECK_EQ(x->refs, c->refs);
		CHECK_EQ(x->entries, c->entries);
		if (c->statement < 0) {
			CHECK_EQ(x->depth, c->depth);
		} else {
			CHECK_EQ(x->iterations, c->iterations);
			CHECK_EQ(x->min, c->min);
			CHECK_EQ(x->max, c->max);
		}
		same++;
	}
	for (uint32_t i = 0; i < t->count; i++)
		nodes += t->node[i].thread == t->node[root].thread && i != root;
	CHECK_EQ(nodes, same + 1); /* and no others */
}

static void check_program(struct program *p, unsigned seed, int threads)
{
	int from[2] = { 0 }, until[2] = { 0 }, first[2] = { 0 }, last[2] = { 0 };
	struct ml_writer *w;
	struct ml_trace t;
	struct ml_err err;

	make_program(p, seed);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	declare(p, w);
	for (int i = 0; i < threads; i++) {
		from[i] = i ? until[0] : 0;
		first[i] = p->nodes;
		p->count_max = p->count + RUN_MAX / 3;
		run_function(p, -1 - i, 0);
		until[i] = p->count;
		last[i] = p->nodes;
	}
	write_steps(p, w, from, until, threads);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	struct ml_loop_walk *x = ml_loop_walk_open(&t, NULL, &err);
	CHECK(x);
	struct ml_loop_runs runs = { 0 };
	uint64_t refs = 0;
	while (ml_loop_walk_next(x, &runs, &err))
		for (size_t i = 0; i < runs.count; i++)
			refs += runs.run[i].count;
	CHECK_EQ(err.kind, ML_OK);
	CHECK_EQ(refs, t.count);
	ml_loop_walk_finish(x);
	const struct ml_loop_tree *tree = ml_loop_walk_tree(x);
	for (uint32_t i = 0; i < tree->count; i++)
		if (tree->node[i].kind == ML_LOOP_THREAD) {
			int k = tree->node[i].thread - 1;

			check_thread(x, p, first[k], last[k], i);
		}
	ml_free(runs.run);
	ml_loop_walk_close(x);
	ml_trace_close(&t);
}

TEST(random_programs_ran_as_they_were_counted)
{
	static struct program p;

	for (unsigned seed = 1; seed <= 500; seed++)
		check_program(&p, seed, 1);
}

TEST(threads_that_take_turns_are_told_apart)
{
	static struct program p;

	for (unsigned seed = 1001; seed <= 1100; seed++)
		check_program(&p, seed, 2);
}
