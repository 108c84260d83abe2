#include "lib/query/flow/simulated.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/cache/distance/distance.h"
#include "lib/flow/flow.h"
#include "lib/query/flow/sizes.h"
#include "lib/query/workspace/request.h"

/* Accesses that a page may simulate at once, and that all kept simulations may have;
 * cells of all containers together; lines of a machine's caches. */
enum { ACCESSES = 4000000, KEPT = 8000000, CELLS = 1 << 20, LINES = 1 << 21 };

void ml_simulations_init(struct ml_simulations *s)
{
	*s = (struct ml_simulations){ 0 };
	pthread_mutex_init(&s->lock, NULL);
}

static void release(struct ml_simulated *s)
{
	ml_experiment_release(&s->x);
	ml_free(s->access_node);
	ml_free(s->executions.node);
	ml_free(s->executions.first);
	ml_free(s->executions.value);
	ml_arena_release(&s->arena);
	ml_free(s);
}

void ml_simulations_release(struct ml_simulations *all)
{
	while (all->list) {
		struct ml_simulated *s = all->list;

		all->list = s->next;
		release(s);
	}
	pthread_mutex_destroy(&all->lock);
}

bool ml_flow_root(const struct ml_flow *f, const struct ml_request *q, uint32_t *root,
		  struct ml_err *err)
{
	uint64_t v;

	if (!ml_request_u64(q, "root", 0, &v, err))
		return false;
	*root = (uint32_t)v;
	return v < f->node_count ||
	       ml_fail(err, ML_USAGE, "the flow has no node %" PRIu64, v);
}

/* All sizes as one text, as lib/flow wants them. */
static const char *sizes_text(struct ml_simulated *s, const struct ml_flow_sizes *z)
{
	struct ml_buf b = { 0 };

	for (size_t i = 0; i < s->of->symbol_count; i++)
		if (s->of->symbol[i].kind <= ML_FLOW_TRIPS && z->known[i])
			ml_buf_printf(&b, "%s%s=%" PRId64, b.size ? "," : "",
				      s->of->names[i], z->value[i]);
	const char *text = ml_arena_copy(&s->arena, b.size ? (const char *)b.data : "",
					 b.size);
	ml_buf_release(&b);
	return text;
}

static const char *kept_text(struct ml_simulated *s, const struct ml_request *q,
			     const char *key)
{
	const char *text = ml_request_text(q, key);

	return text ? ml_arena_strdup(&s->arena, text) : NULL;
}

/* Which node of the original an access belongs to, and where nodes came from. */
static void number_nodes(struct ml_simulated *s)
{
	const struct ml_flow *f = s->of, *now = s->x.flow;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			s->access_node = ml_grow(s->access_node, &cap, n + 1,
						 sizeof(*s->access_node));
			s->access_node[n++] = (uint32_t)i;
		}
	if (now == f)
		return;
	s->was = ml_arena_alloc(&s->arena, (now->node_count + 1) * sizeof(*s->was));
	for (size_t i = 0; i < now->node_count; i++)
		s->was[i] = ML_FLOW_NONE;
	for (size_t i = 0; i < f->node_count; i++)
		if (s->x.transform.now[i] < now->node_count)
			s->was[s->x.transform.now[i]] = (uint32_t)i;
}

/* Requests choose machines, so their size is bounded. */
static bool small_enough(const char *machine, struct ml_err *err)
{
	struct ml_machine m;

	return ml_machine_parse(&m, machine, err) &&
	       (ml_machine_lines(&m) <= LINES ||
		ml_fail(err, ML_USAGE,
			"the machine has %" PRIu64
			" lines of cache; the page simulates up "
			"to %d, and 'memlamp flow' more",
			ml_machine_lines(&m), LINES));
}

static bool simulate(struct ml_simulated *s, const struct ml_flow *f,
		     const struct ml_flow_sizes *z, uint64_t max,
		     const struct ml_request *q, struct ml_err *err)
{
	struct ml_experiment *x = &s->x;

	s->of = f;
	s->l = &x->now.locality;
	*x = (struct ml_experiment){ .layout = kept_text(s, q, "layout"),
				     .order = kept_text(s, q, "order"),
				     .tile = kept_text(s, q, "tile"),
				     .machine = kept_text(s, q, "machine"),
				     .max = max,
				     .keep = true,
				     .only_changed = true,
				     .work = &q->work };
	bool machine = x->machine && *x->machine;
	if (machine && !small_enough(x->machine, err))
		return false;
	if (!ml_flow_root(f, q, &x->root, err) ||
	    !ml_request_u64(q, "line", machine ? 0 : 64, &x->line, err))
		return false;
	if (!x->line && !machine)
		return ml_fail(err, ML_USAGE, "line must be 1 to 1048576 bytes");
	x->set = sizes_text(s, z);
	bool ok = ml_experiment_run(x, f, err);
	x->work = s->l->walk.work = x->now.served.walk.work = NULL; /* of this request */
	if (ok)
		number_nodes(s);
	return ok;
}

struct ml_simulated *ml_simulated_once(const struct ml_flow *f,
				       const struct ml_flow_sizes *z, uint64_t max,
				       const struct ml_request *q, struct ml_err *err)
{
	struct ml_simulated *s = ml_resize(NULL, sizeof(*s));

	memset(s, 0, sizeof(*s));
	if (simulate(s, f, z, max, q, err))
		return s;
	release(s);
	return NULL;
}

void ml_simulated_free(struct ml_simulated *s)
{
	if (s)
		release(s);
}

static void spell(const struct ml_request *q, struct ml_buf *out)
{
	static const char *const names[] = { "set",  "others", "line", "layout",
					     "root", "order",  "tile", "machine" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *text = ml_request_text(q, names[i]);

		ml_buf_printf(out, "%s&", text ? text : "");
	}
	ml_buf_u8(out, 0);
}

/* Drops what was unused for longest while there are too many accesses. */
static void trim(struct ml_simulations *all)
{
	size_t accesses = 0;

	for (struct ml_simulated **at = &all->list; *at;) {
		struct ml_simulated *s = *at;

		accesses += s->l->kept;
		if (accesses <= KEPT || at == &all->list) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		s->listed = false;
		if (!s->users)
			release(s);
	}
}

/* The lock is held while a simulation runs: requests about the same sizes, which come
 * together, wait for the first instead of simulating too. */
struct ml_simulated *ml_simulated_get(struct ml_simulations *all, const struct ml_flow *f,
				      const struct ml_request *q, struct ml_err *err)
{
	struct ml_buf key = { 0 };
	struct ml_simulated **at = &all->list, *s;

	spell(q, &key);
	pthread_mutex_lock(&all->lock);
	while (*at && strcmp((*at)->key, (const char *)key.data) != 0)
		at = &(*at)->next;
	s = *at;
	if (s) {
		*at = s->next;
	} else {
		struct ml_arena a = { 0 };
		struct ml_flow_sizes z;

		if (ml_flow_sizes_read(&z, f, q, &a, err))
			s = ml_simulated_once(f, &z, ACCESSES, q, err);
		if (s)
			s->key = ml_arena_strdup(&s->arena, (const char *)key.data);
		ml_arena_release(&a);
	}
	if (s) {
		s->next = all->list;
		all->list = s;
		s->listed = true;
		s->users++;
		trim(all);
	}
	pthread_mutex_unlock(&all->lock);
	ml_buf_release(&key);
	return s;
}

void ml_simulated_put(struct ml_simulations *all, struct ml_simulated *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&all->lock);
	if (!--s->users && !s->listed)
		release(s);
	pthread_mutex_unlock(&all->lock);
}

struct executions {
	struct ml_simulated *s;
	int64_t *value;
	bool *known;
	int64_t around[64]; /* values of the loops around, the outermost first */
	uint32_t depth;
	size_t cap[3], values;
};

static void execute(struct executions *x, uint32_t number)
{
	struct ml_executions *e = &x->s->executions;
	size_t at = e->count++;

	e->node = ml_grow(e->node, &x->cap[0], at + 1, sizeof(*e->node));
	e->first = ml_grow(e->first, &x->cap[1], at + 1, sizeof(*e->first));
	e->value = ml_grow(e->value, &x->cap[2], x->values + x->depth + 1,
			   sizeof(*e->value));
	e->node[at] = number;
	e->first[at] = x->values;
	memcpy(e->value + x->values, x->around, x->depth * sizeof(*x->around));
	x->values += x->depth;
}

/* The order of lib/flow/run/walk.c, without accesses. */
static void visit(struct executions *x, uint32_t number)
{
	const struct ml_flow *f = x->s->l->walk.flow;
	const struct ml_flow_node *n = &f->node[number];
	int64_t from, to, v;

	if (n->kind == ML_FLOW_WORK) {
		execute(x, number);
		return;
	}
	if (n->kind == ML_FLOW_IF && ml_sym_eval(n->condition, x->value, x->known, &v) &&
	    !v)
		return;
	if (n->kind != ML_FLOW_FOR) {
		for (uint32_t c = n->first; c != ML_FLOW_NONE; c = f->node[c].next)
			visit(x, c);
		return;
	}
	if (!ml_sym_eval(n->from, x->value, x->known, &from) ||
	    !ml_sym_eval(n->to, x->value, x->known, &to))
		return; /* the simulation would have failed */
	x->known[n->symbol] = true;
	uint32_t depth = x->depth;
	for (v = from; n->step > 0 ? v <= to : v >= to; v += n->step) {
		x->value[n->symbol] = v;
		if (depth < sizeof(x->around) / sizeof(*x->around)) {
			x->around[depth] = v;
			x->depth = depth + 1;
		}
		for (uint32_t c = n->first; c != ML_FLOW_NONE; c = f->node[c].next)
			visit(x, c);
	}
	x->depth = depth;
}

const struct ml_executions *ml_simulated_executions(struct ml_simulations *all,
						    struct ml_simulated *s)
{
	const struct ml_flow_walk *w = &s->l->walk;
	size_t n = w->flow->symbol_count;

	pthread_mutex_lock(&all->lock);
	if (!s->executions.node) {
		struct executions *x = ml_arena_alloc(&s->arena, sizeof(*x));

		x->s = s;
		x->value = ml_arena_alloc(&s->arena, (n + 1) * sizeof(*x->value));
		x->known = ml_arena_alloc(&s->arena, (n + 1) * sizeof(*x->known));
		memcpy(x->value, w->value, n * sizeof(*x->value));
		memcpy(x->known, w->known, n * sizeof(*x->known));
		visit(x, w->root);
	}
	pthread_mutex_unlock(&all->lock);
	return &s->executions;
}

int64_t ml_simulated_place(const struct ml_simulated *s, size_t i)
{
	uint32_t c = s->l->of[i];
	int64_t size = s->l->walk.container[c].element;
	/* an access may lie in front of the first element */
	int64_t bytes = (int64_t)(s->l->addr[i] - s->l->walk.placed[c].base);

	return bytes >= 0 ? bytes / size : -((-bytes + size - 1) / size);
}

uint64_t ml_simulated_elements(const struct ml_simulated *s, uint32_t container)
{
	const struct ml_flow_placed *p = &s->l->walk.placed[container];

	return p->low > p->high ? 0 : (uint64_t)(p->high - p->low) + 1;
}

static void cells_make(struct ml_cells *c, const struct ml_simulated *s,
		       const uint64_t *skip, const uint64_t *max, struct ml_arena *a)
{
	size_t n = s->l->walk.flow->container_count;

	c->count = 0;
	c->first = ml_arena_alloc(a, (n + 1) * sizeof(*c->first));
	c->low = ml_arena_alloc(a, (n + 1) * sizeof(*c->low));
	for (size_t i = 0; i < n; i++) {
		uint64_t all = ml_simulated_elements(s, (uint32_t)i);
		uint64_t left = skip[i] < all ? all - skip[i] : 0;

		c->first[i] = c->count;
		c->low[i] = left ? s->l->walk.placed[i].low + (int64_t)skip[i] : 0;
		c->count += (size_t)(left < max[i] ? left : max[i]);
	}
	c->first[n] = c->count;
}

void ml_cells_all(struct ml_cells *c, const struct ml_simulated *s, struct ml_arena *a)
{
	size_t n = s->l->walk.flow->container_count;
	uint64_t *skip = ml_arena_alloc(a, (n + 1) * sizeof(*skip));
	uint64_t *max = ml_arena_alloc(a, (n + 1) * sizeof(*max));

	for (size_t i = 0; i < n; i++)
		max[i] = CELLS / n < CELLS / 16 ? CELLS / n : CELLS / 16;
	cells_make(c, s, skip, max, a);
}

void ml_cells_one(struct ml_cells *c, const struct ml_simulated *s, uint32_t container,
		  uint64_t first, uint64_t most, struct ml_arena *a)
{
	size_t n = s->l->walk.flow->container_count;
	uint64_t *skip = ml_arena_alloc(a, (n + 1) * sizeof(*skip));
	uint64_t *max = ml_arena_alloc(a, (n + 1) * sizeof(*max));

	skip[container] = first;
	max[container] = most;
	cells_make(c, s, skip, max, a);
}

size_t ml_cells_of(const struct ml_cells *c, const struct ml_simulated *s, size_t access)
{
	uint32_t of = s->l->of[access];
	uint64_t at = (uint64_t)(ml_simulated_place(s, access) - c->low[of]);

	return at < c->first[of + 1] - c->first[of] ? c->first[of] + (size_t)at
						    : SIZE_MAX;
}

static int ascending(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static void statistics(struct ml_locality_element *e, uint32_t *distance, size_t n,
		       uint64_t threshold)
{
	*e = (struct ml_locality_element){
		.count = n, .min = ML_NEVER, .median = ML_NEVER, .max = ML_NEVER
	};
	qsort(distance, n, sizeof(*distance), ascending);
	for (size_t i = 0; i < n; i++) {
		e->cold += distance[i] == ML_NEVER;
		e->misses += distance[i] != ML_NEVER && distance[i] >= threshold;
	}
	size_t warm = n - (size_t)e->cold;
	if (!warm)
		return;
	e->min = distance[0];
	e->median = distance[(warm - 1) / 2];
	e->max = distance[warm - 1];
}

/* Sorts distances by cell with counters, then those of a cell, which are few. */
void ml_cells_statistics(const struct ml_cells *c, const struct ml_simulated *s,
			 uint64_t threshold, struct ml_locality_element *e)
{
	size_t n = s->l->kept;
	size_t *end = ml_resize(NULL, (c->count + 1) * sizeof(*end));
	size_t *cell = ml_resize(NULL, (n + 1) * sizeof(*cell));
	uint32_t *distance = ml_resize(NULL, (n + 1) * sizeof(*distance));
	size_t sum = 0;

	memset(end, 0, (c->count + 1) * sizeof(*end));
	for (size_t i = 0; i < n; i++) {
		cell[i] = ml_cells_of(c, s, i);
		if (cell[i] != SIZE_MAX)
			end[cell[i]]++;
	}
	for (size_t i = 0; i < c->count; i++) {
		size_t count = end[i];

		end[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		if (cell[i] != SIZE_MAX)
			distance[end[cell[i]]++] = s->l->distance[i];
	for (size_t i = 0; i < c->count; i++) {
		size_t from = i ? end[i - 1] : 0;

		statistics(&e[i], distance + from, end[i] - from, threshold);
	}
	ml_free(end);
	ml_free(cell);
	ml_free(distance);
}
