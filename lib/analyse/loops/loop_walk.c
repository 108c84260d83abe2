#include "lib/analyse/loops/loop_walk.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/loops/loop_walk_parts.h"
#include "lib/base/arena.h"
#include "lib/base/work.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/trace.h"

enum {
	THREADS = 1 << 16,
	SEEN = 1 << 14,   /* pairs of blocks that are remembered without a look-up */
	FAR_UP = 1 << 12, /* frames that are searched for where control went */
};

/* The paths of single superblocks that a path begins and ends with. */
static uint32_t part_of(const struct ml_trace *t, uint32_t path, bool last)
{
	const struct ml_path *p = &t->shapes.path[path];
	struct ml_control_shape c = ml_control_of(&t->control, p->shape);
	uint32_t parts = path - p->first + 1;

	if (!c.parts)
		return path;
	return c.part[last ? (parts < c.parts ? parts : c.parts) - 1u : 0];
}

/* Adds the edges of indirect jumps, which follow from what ran behind each other. */
struct joiner {
	struct ml_code_graph *g;
	uint32_t *first, *last; /* blocks by path */
	struct ml_map done;
	uint64_t seen[SEEN];
};

static void join(struct joiner *j, uint32_t from, uint32_t to)
{
	uint64_t pair = (uint64_t)from << 32 | to, *cache;

	if (from == ML_NO_CODE || to == ML_NO_CODE)
		return;
	cache = &j->seen[pair * 0x9e3779b97f4a7c15u >> 50];
	if (*cache == pair + 1)
		return;
	*cache = pair + 1;
	uint64_t *done = ml_map_add(&j->done, pair, NULL);
	if (!*done)
		ml_code_graph_join(j->g, from, to);
	*done = 1;
}

static void join_parts(struct joiner *j)
{
	const struct ml_trace *t = j->g->trace;

	for (uint32_t i = 0; i < t->shapes.paths; i++) {
		j->first[i] = ml_code_graph_first(j->g, part_of(t, i, false));
		j->last[i] = ml_code_graph_last(j->g, part_of(t, i, true));
	}
	for (uint32_t i = 0; i < t->shapes.count; i++) {
		struct ml_control_shape c = ml_control_of(&t->control, i);

		for (uint32_t k = 1; k < c.parts; k++)
			join(j, ml_code_graph_last(j->g, c.part[k - 1]),
			     ml_code_graph_first(j->g, c.part[k]));
	}
}

static bool stopped(const struct ml_loop_walk *w, uint64_t done, struct ml_err *err)
{
	ml_work_progress(w->work, "loops", done, w->trace->count);
	return !ml_work_goes_on(w->work, err);
}

static bool join_steps(struct ml_loop_walk *w, struct joiner *j, struct ml_err *err)
{
	struct ml_step_cursor *c = ml_step_cursor_open(w->trace);
	uint32_t *last = ml_resize(NULL, THREADS * sizeof(*last));
	struct ml_step_batch b;
	bool ok = true;

	memset(last, 0xff, THREADS * sizeof(*last));
	while (ok && ml_step_cursor_next(c, &b, err)) {
		for (size_t i = 0; i < b.steps; i++) {
			const struct ml_step_at *s = &b.step[i];

			join(j, last[s->thread], j->first[s->path]);
			last[s->thread] = j->last[s->path];
		}
		ok = !stopped(w, (b.time + b.refs) / 2, err);
	}
	ml_free(last);
	ml_step_cursor_close(c);
	return ok && err->kind == ML_OK;
}

static bool join_all(struct ml_loop_walk *w, struct ml_err *err)
{
	struct joiner *j = ml_resize(NULL, sizeof(*j));
	size_t paths = w->trace->shapes.paths + 1;

	memset(j, 0, sizeof(*j));
	j->g = &w->graph;
	j->first = ml_resize(NULL, paths * sizeof(*j->first));
	j->last = ml_resize(NULL, paths * sizeof(*j->last));
	join_parts(j);
	bool ok = join_steps(w, j, err);
	ml_free(j->first);
	ml_free(j->last);
	ml_map_release(&j->done);
	ml_free(j);
	return ok;
}

/* Where a function of some name begins: the first block that is called, else the first. */
static void find_entries(struct ml_loop_walk *w)
{
	for (uint32_t i = 0; i < w->graph.blocks; i++) {
		const struct ml_code_block *b = &w->graph.block[i];
		uint64_t *e = b->name ? ml_map_add(&w->entry_of, b->name, NULL) : NULL;

		if (e && (!*e || (b->called && !w->graph.block[*e - 1].called)))
			*e = i + 1u;
	}
}

static struct ml_loop_walk *open_walk(const struct ml_trace *t,
				      const struct ml_work *work, bool with_accesses,
				      struct ml_err *err)
{
	struct ml_loop_walk *w = ml_resize(NULL, sizeof(*w));

	*w = (struct ml_loop_walk){ .trace = t,
				    .work = work,
				    .with_accesses = with_accesses };
	ml_code_graph_open(&w->graph, t);
	w->cursor = with_accesses ? ml_step_cursor_open_refs(t) : ml_step_cursor_open(t);
	w->thread = ml_resize(NULL, THREADS * sizeof(struct ml_loop_thread *));
	memset(w->thread, 0, THREADS * sizeof(struct ml_loop_thread *));
	if (!join_all(w, err)) {
		ml_loop_walk_close(w);
		return NULL;
	}
	ml_code_graph_settle(&w->graph);
	find_entries(w);
	return w;
}

struct ml_loop_walk *ml_loop_walk_open(const struct ml_trace *t,
				       const struct ml_work *work, struct ml_err *err)
{
	return open_walk(t, work, false, err);
}

struct ml_loop_walk *ml_loop_walk_open_accesses(const struct ml_trace *t,
						const struct ml_work *work,
						struct ml_err *err)
{
	return open_walk(t, work, true, err);
}

void ml_loop_walk_close(struct ml_loop_walk *w)
{
	for (size_t i = 0; i < THREADS; i++)
		if (w->thread[i]) {
			ml_free(w->thread[i]->frame);
			ml_free(w->thread[i]->active);
			ml_free(w->thread[i]->around);
			ml_free(w->thread[i]);
		}
	for (size_t i = 0; i < w->functions; i++) {
		ml_code_function_release(w->function[i]);
		ml_free(w->function[i]);
	}
	ml_free(w->function);
	ml_free(w->thread);
	ml_free(w->state);
	ml_free(w->transition);
	ml_free(w->op);
	ml_free(w->sum);
	ml_free(w->access);
	ml_loop_accesses_release(&w->accesses);
	ml_map_release(&w->function_at);
	ml_map_release(&w->entry_of);
	ml_map_release(&w->state_of);
	ml_map_release(&w->transition_of);
	ml_map_release(&w->reaches);
	ml_loop_tree_release(&w->tree);
	ml_code_graph_release(&w->graph);
	ml_step_cursor_close(w->cursor);
	ml_free(w);
}

/* The references of a step, if they are decoded. */
struct step_refs {
	const uint32_t *site;
	const uint64_t *addr;
	uint32_t count;
	uint16_t thread;
	uint64_t time; /* of the first */
};

/* A thread that has run nothing. */
static struct ml_loop_thread *thread_of(struct ml_loop_walk *w, uint16_t number)
{
	struct ml_loop_thread *t = w->thread[number];

	if (t)
		return t;
	t = w->thread[number] = ml_resize(NULL, sizeof(*t));
	*t = (struct ml_loop_thread){ 0 };
	uint32_t root = ml_loop_tree_child(&w->tree, ML_NO_NODE, ML_LOOP_THREAD, 0, 0);
	w->tree.node[root].thread = number;
	w->tree.node[root].entries = 1;
	t->state = ml_loop_walk_state(w, root, ML_NO_CODE, ML_LOOP_BEHIND);
	t->active = ml_grow(t->active, &t->active_cap, 64, sizeof(*t->active));
	return t;
}

/* A loop that was left, and that no copy continues. */
static void settle(struct ml_loop_walk *w, struct ml_loop_active *a)
{
	if (a->left)
		ml_loop_tree_entered(&w->tree, a->node, a->iterations, 1);
	a->left = false;
}

/* The innermost loop begins an iteration; or an entry of it begins. */
static void begin(struct ml_loop_walk *w, struct ml_loop_thread *t, bool entry)
{
	struct ml_loop_around *a;

	if (!w->with_accesses)
		return;
	t->around = ml_grow(t->around, &t->around_cap, t->loops, sizeof(*t->around));
	a = &t->around[t->loops - 1];
	a->iteration = ++w->serial;
	a->number = entry ? 0 : a->number + 1;
	if (entry)
		a->entry = a->iteration;
}

static void open_loop(struct ml_loop_walk *w, struct ml_loop_thread *t, uint32_t node,
		      uint32_t loop)
{
	struct ml_loop_active *a = &t->active[t->loops++];

	if (a->left && a->node == node && loop && a->loop != loop) {
		a->left = false; /* a copy goes on with the next iteration */
		a->loop = loop;
		begin(w, t, false);
	} else {
		settle(w, a);
		*a = (struct ml_loop_active){ .node = node, .loop = loop };
		begin(w, t, true);
	}
	t->active = ml_grow(t->active, &t->active_cap, t->loops + 1, sizeof(*t->active));
}

static void shut_loop(struct ml_loop_walk *w, struct ml_loop_thread *t, bool counts)
{
	struct ml_loop_active *a = &t->active[--t->loops];

	settle(w, a + 1);
	a->iterations += counts;
	a->left = true;
	if (!a->loop)
		settle(w, a);
}

static void shut_to(struct ml_loop_walk *w, struct ml_loop_thread *t, size_t loops)
{
	while (t->loops > loops)
		shut_loop(w, t, true);
}

static void push(struct ml_loop_walk *w, struct ml_loop_thread *t, uint32_t node,
		 uint32_t ret, uint32_t state)
{
	struct ml_loop_node *n = &w->tree.node[node];

	settle(w, &t->active[t->loops]);
	t->frame = ml_grow(t->frame, &t->frame_cap, t->frames + 1, sizeof(*t->frame));
	t->frame[t->frames++] = (struct ml_loop_frame){ ret, state, node,
							(uint32_t)t->loops };
	if (++n->active > n->depth)
		n->depth = n->active;
}

static uint32_t pop(struct ml_loop_walk *w, struct ml_loop_thread *t)
{
	struct ml_loop_frame *f = &t->frame[--t->frames];

	shut_to(w, t, f->loops);
	w->tree.node[f->node].active--;
	return f->state;
}

/* References of a step, at these addresses. */
static void note_refs(struct ml_loop_walk *w, struct ml_loop_thread *t,
		      const struct ml_loop_op *o, const struct step_refs *refs)
{
	for (uint32_t i = 0; i < o->a; i++) {
		struct ml_loop_access *a = &w->accesses.at[w->access[o->b + i]];
		uint32_t at = o->c + i;

		if (!a->refs) {
			a->time = refs->time + at;
			a->addr = refs->addr[at];
			a->thread = refs->thread;
		}
		ml_loop_access_moves(a, refs->addr[at], t->around + t->loops, t->loops);
	}
}

static void run_op(struct ml_loop_walk *w, struct ml_loop_thread *t,
		   const struct ml_loop_op *o, const struct step_refs *refs)
{
	switch (o->kind) {
	case ML_LOOP_OPEN: open_loop(w, t, o->a, o->b); break;
	case ML_LOOP_ITERATE:
		settle(w, &t->active[t->loops]);
		t->active[t->loops - 1].iterations += o->a;
		for (uint32_t i = 0; i < o->a; i++)
			begin(w, t, false);
		break;
	case ML_LOOP_REFS: note_refs(w, t, o, refs); break;
	case ML_LOOP_SHUT: shut_loop(w, t, o->a); break;
	case ML_LOOP_CALL: push(w, t, o->a, o->b, o->c); break;
	default: pop(w, t); break;
	}
}

/* The state of a thread whose function returned to code that enters block `to`. */
static bool find_caller(struct ml_loop_walk *w, struct ml_loop_thread *t, uint32_t to)
{
	size_t until = t->frames > FAR_UP ? t->frames - FAR_UP : 0;

	for (size_t i = t->frames; i-- > until;) {
		const struct ml_loop_frame *f = &t->frame[i];
		bool signal = f->ret == ML_NO_CODE;

		if (signal ? !ml_loop_walk_holds(w, w->state[f->state].node, to)
			   : !ml_loop_walk_reaches(w, f->ret, to))
			continue;
		while (t->frames > i)
			t->state = pop(w, t);
		return true;
	}
	/* a jump out of the caller may follow at once */
	const struct ml_loop_frame *f = t->frames ? &t->frame[t->frames - 1] : NULL;
	uint32_t way[ML_CODE_SILENT];
	bool leaves = false;
	if (!f || f->ret == ML_NO_CODE || !w->graph.block[f->ret].silent)
		return false;
	ml_code_graph_silent(&w->graph, f->ret, to, way, &leaves);
	if (leaves)
		t->state = pop(w, t);
	return leaves;
}

/* The same of a function that was left by a jump: longjmp, or a signal came. */
static void find_function(struct ml_loop_walk *w, struct ml_loop_thread *t, uint32_t to)
{
	size_t until = t->frames > FAR_UP ? t->frames - FAR_UP : 0;
	struct ml_loop_state s = w->state[t->state];

	for (size_t i = t->frames; i-- > until;) {
		struct ml_loop_state below = w->state[t->frame[i].state];

		if (!ml_loop_walk_holds(w, below.node, to))
			continue;
		while (t->frames > i)
			pop(w, t);
		t->state = ml_loop_walk_state(w, below.node, below.block, ML_LOOP_LANDED);
		return;
	}
	uint32_t f = ml_loop_walk_function_of(w, to);
	uint32_t node = ml_loop_tree_call(&w->tree, s.node, f);
	push(w, t, node, ML_NO_CODE,
	     ml_loop_walk_state(w, s.node, s.block, ML_LOOP_LANDED));
	t->state = ml_loop_walk_state(w, node, to, ML_LOOP_HERE);
}

static uint64_t key_of(uint32_t state, uint32_t path, uint32_t part)
{
	return ((uint64_t)state << 32 | path) ^ part * 0x9e3779b97f4a7c15u;
}

static uint32_t find_transition(struct ml_loop_walk *w, uint32_t state, uint32_t path,
				uint32_t part)
{
	uint64_t *head = ml_map_add(&w->transition_of, key_of(state, path, part), NULL);

	for (uint32_t i = (uint32_t)*head; i; i = w->transition[i - 1].other) {
		const struct ml_loop_transition *x = &w->transition[i - 1];

		if (x->state == state && x->path == path && x->part == part)
			return i - 1;
	}
	uint32_t other = (uint32_t)*head;
	bool recursed = w->recurses;
	*head = w->transitions + 1; /* building adds no other transition */
	uint32_t number = ml_loop_walk_build(w, state, path, part);
	w->transition[number].other = recursed == w->recurses ? other : 0;
	return number;
}

static void add_run(struct ml_loop_runs *r, uint32_t node, uint32_t count)
{
	if (r->count && r->run[r->count - 1].node == node) {
		r->run[r->count - 1].count += count;
		return;
	}
	r->run = ml_grow(r->run, &r->cap, r->count + 1, sizeof(*r->run));
	r->run[r->count++] = (struct ml_loop_run){ node, count };
}

/* The references of a run of the transition that happened: those of some sites, of which
 * `slot` is the first slot that the transition is about. Returns how many. */
static uint32_t count_some(struct ml_loop_walk *w, const struct ml_loop_transition *x,
			   const uint32_t *site, uint32_t count,
			   struct ml_loop_runs *runs)
{
	const struct ml_shape *shape =
		&w->trace->shapes.at[w->trace->shapes.path[x->path].shape];
	uint32_t slot = 0, done = 0;

	for (uint32_t i = 0; i < x->sum_count; i++) {
		const struct ml_loop_sum *s = &w->sum[x->sums + i];
		uint32_t first = done;

		for (uint32_t end = slot + s->refs; slot < end && slot < shape->slots;
		     slot++)
			if (done < count && site[done] == shape->slot[slot].site)
				done++;
		w->tree.node[s->node].refs += done - first;
		if (runs && done > first)
			add_run(runs, s->node, done - first);
	}
	return done;
}

static void run_transition(struct ml_loop_walk *w, struct ml_loop_thread *t,
			   uint32_t number, struct ml_loop_runs *runs,
			   const struct step_refs *refs)
{
	struct ml_loop_transition *x = &w->transition[number];

	x->count++;
	for (uint32_t i = 0; i < x->op_count; i++)
		run_op(w, t, &w->op[x->ops + i], refs);
	t->state = x->next;
	if (x->maybe)
		count_some(w, x, refs->site, refs->count, runs);
	else if (runs)
		for (uint32_t i = 0; i < x->sum_count; i++)
			if (w->sum[x->sums + i].refs)
				add_run(runs, w->sum[x->sums + i].node,
					w->sum[x->sums + i].refs);
}

static void take_step(struct ml_loop_walk *w, const struct ml_step_at *s,
		      struct ml_loop_runs *runs, const struct step_refs *refs)
{
	struct ml_loop_thread *t = thread_of(w, s->thread);
	uint32_t part = 0, number;

	for (;;) {
		struct ml_loop_transition *last = t->last ? &w->transition[t->last - 1]
							  : NULL;

		if (last && last->guess &&
		    w->transition[last->guess - 1].path == s->path &&
		    w->transition[last->guess - 1].state == t->state &&
		    w->transition[last->guess - 1].part == part)
			number = last->guess - 1;
		else
			number = find_transition(w, t->state, s->path, part);
		if (t->last)
			w->transition[t->last - 1].guess = number + 1;
		t->last = number + 1;
		run_transition(w, t, number, runs, refs);
		struct ml_loop_transition x = w->transition[number];
		if (x.open_end == ML_LOOP_DONE)
			return;
		part = x.next_part;
		if (x.open_end == ML_LOOP_JUMPS || !find_caller(w, t, x.at))
			find_function(w, t, x.at);
	}
}

bool ml_loop_walk_next(struct ml_loop_walk *w, struct ml_loop_runs *runs,
		       struct ml_err *err)
{
	struct ml_step_batch b;

	if (!ml_step_cursor_next(w->cursor, &b, err))
		return false;
	if (runs) {
		runs->time = b.time;
		runs->refs = b.refs;
		runs->count = 0;
	}
	for (size_t i = 0; i < b.steps; i++) {
		uint32_t first = b.step[i].first;
		uint32_t end = i + 1 < b.steps ? b.step[i + 1].first : (uint32_t)b.refs;
		struct step_refs refs = { .time = b.time + first,
					  .thread = b.step[i].thread };

		if (b.site) {
			refs.site = b.site + first;
			refs.addr = b.addr + first;
			refs.count = end - first;
		}
		take_step(w, &b.step[i], runs, &refs);
	}
	return !stopped(w, (w->trace->count + b.time + b.refs) / 2, err);
}

void ml_loop_walk_finish(struct ml_loop_walk *w)
{
	struct ml_loop_node *node = w->tree.node;

	if (w->finished)
		return;
	w->finished = true;
	for (size_t i = 0; i < THREADS; i++) {
		struct ml_loop_thread *t = w->thread[i];

		while (t && t->frames)
			pop(w, t);
		if (t) {
			shut_to(w, t, 0);
			settle(w, &t->active[0]);
		}
	}
	for (size_t i = 0; i < w->transitions; i++) {
		const struct ml_loop_transition *x = &w->transition[i];

		for (uint32_t k = 0; k < x->sum_count; k++) {
			const struct ml_loop_sum *s = &w->sum[x->sums + k];

			if (!x->maybe)
				node[s->node].refs += x->count * s->refs;
			node[s->node].entries += x->count * s->calls;
			if (s->whole)
				ml_loop_tree_entered(&w->tree, s->node, s->iterations,
						     x->count);
		}
	}
	for (size_t i = 0; i < w->tree.count; i++)
		if (node[i].kind == ML_LOOP_FUNCTION && !node[i].depth)
			node[i].depth = 1;
}

const struct ml_loop_tree *ml_loop_walk_tree(const struct ml_loop_walk *w)
{
	return &w->tree;
}

const struct ml_loop_accesses *ml_loop_walk_accesses(const struct ml_loop_walk *w)
{
	return &w->accesses;
}

const struct ml_code_function *ml_loop_walk_function(const struct ml_loop_walk *w,
						     uint32_t function)
{
	return w->function[function];
}

const struct ml_code_graph *ml_loop_walk_graph(const struct ml_loop_walk *w)
{
	return &w->graph;
}
