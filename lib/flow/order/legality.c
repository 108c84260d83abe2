#include "lib/flow/order/legality.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/map.h"
#include "lib/base/work.h"
#include "lib/flow/order/dependence.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/scalars.h"
#include "lib/flow/order/transform.h"

/* Accesses that a check may execute, and the tiles of a check at smaller sizes. */
enum { BUDGET = 400000, STEPS = 4 * BUDGET, SMALL_TILE = 3, EVENTS = 1024 };

const char *const ml_legality_names[] = { "legal", "updates", "illegal", "open" };

/* What happened to one element. Events of one kind that follow each other commute, except
 * writes. */
struct history {
	uint64_t chain; /* of all groups that are complete */
	uint64_t kind, sum;
};

enum { READS = 1, WRITES = 2, UPDATES = 3 }; /* and above: by operator */

struct execution {
	const struct ml_flow *f;
	const struct ml_flow *original; /* loops over strips are none of its loops */
	size_t symbols;                 /* of the original */
	bool updates;                   /* those that round commute, too */
	int64_t *value;
	uint32_t *first;             /* number of the first access, by node */
	const struct ml_sym **place; /* by number of access */
	uint32_t *private; /* by container: the loop of the original (scalars.h) */
	struct ml_map element;
	struct history *history;
	size_t count, cap;
	uint64_t accesses, steps;
	bool open; /* a place or a condition depends on data */
	bool over; /* more than BUDGET accesses */
	/* the events of one element, when looked for */
	uint64_t watch; /* its key; 0: none */
	struct event {
		uint64_t id;
		uint32_t access;
		bool write;
	} * event;
	size_t events, event_cap;
};

static uint64_t mix(uint64_t x)
{
	/* the finalizer of SplitMix64 */
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t key_of(uint32_t container, int64_t place)
{
	return mix((uint64_t)container << 48 ^ (uint64_t)place) | 1;
}

static void event(struct execution *x, uint64_t key, uint64_t kind, uint64_t id,
		  uint32_t access)
{
	bool is_new;
	uint64_t *at = ml_map_add(&x->element, key, &is_new);

	if (is_new) {
		*at = x->count;
		x->history = ml_grow(x->history, &x->cap, x->count + 1,
				     sizeof(*x->history));
		x->history[x->count++] = (struct history){ 0 };
	}
	struct history *h = &x->history[*at];
	if (kind == WRITES || kind != h->kind) {
		h->chain = mix(h->chain ^ mix(h->sum + h->kind));
		h->sum = 0;
		h->kind = kind;
	}
	h->sum += mix(id);
	if (key == x->watch && x->events < EVENTS) {
		x->event = ml_grow(x->event, &x->event_cap, x->events + 1,
				   sizeof(*x->event));
		x->event[x->events++] = (struct event){ id, access, kind == WRITES };
	}
}

/* The iteration, by the variables of the original's loops. */
static uint64_t iteration(const struct execution *x, const struct ml_flow_node *n)
{
	uint64_t id = 0;

	for (uint32_t at = n->parent; at != ML_FLOW_NONE; at = x->f->node[at].parent) {
		const struct ml_flow_node *m = &x->f->node[at];

		if (m->kind == ML_FLOW_FOR && m->symbol < x->symbols)
			id += mix((uint64_t)m->symbol << 40 ^
				  (uint64_t)x->value[m->symbol]);
	}
	return id;
}

/* The copy of a container that belongs to this iteration of the loops it is private to. */
static uint64_t copy_of(const struct execution *x, uint32_t container)
{
	uint64_t id = 0;

	for (uint32_t at = x->private[container]; at != ML_FLOW_NONE;
	     at = x->original->node[at].parent)
		if (x->original->node[at].kind == ML_FLOW_FOR)
			id += mix((uint64_t)x->original->node[at].symbol << 40 ^
				  (uint64_t)x->value[x->original->node[at].symbol]);
	return id;
}

static void execute_work(struct execution *x, const struct ml_flow_node *n)
{
	uint64_t id = iteration(x, n);

	x->open |= n->unplaced != NULL;
	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *y = &n->access[i];
		const struct ml_flow_container *c = &x->f->container[y->container];
		uint32_t number = x->first[n->number] + (uint32_t)i;
		int64_t place = 0;

		if (!c->scalar && (!y->single || !ml_sym_eval(x->place[number], x->value,
							      NULL, &place))) {
			x->open = true;
			continue;
		}
		uint64_t kind = y->write ? WRITES : READS;
		if (y->update && (x->updates || !y->rounds))
			kind = UPDATES + (uint64_t)y->update;
		event(x, key_of(y->container, place) ^ copy_of(x, y->container) << 1,
		      kind, mix(id + number), number);
		x->accesses++;
	}
}

static void execute(struct execution *x, uint32_t node)
{
	const struct ml_flow_node *n = &x->f->node[node];
	int64_t from = 0, to = 0, step = 1;

	x->over |= x->accesses > BUDGET || x->steps++ > STEPS;
	if (x->over)
		return;
	if (n->kind == ML_FLOW_WORK) {
		execute_work(x, n);
		return;
	}
	if (n->kind == ML_FLOW_IF) {
		int64_t v;

		if (!ml_sym_eval(n->condition, x->value, NULL, &v)) {
			x->open = true;
			v = 1;
		}
		if (!v)
			return;
	}
	if (n->kind == ML_FLOW_FOR) {
		step = n->step;
		if (!ml_sym_eval(n->from, x->value, NULL, &from) ||
		    !ml_sym_eval(n->to, x->value, NULL, &to)) {
			x->open = true;
			return;
		}
	}
	for (int64_t v = from; (step > 0 ? v <= to : v >= to) && !x->over; v += step) {
		if (n->kind == ML_FLOW_FOR)
			x->value[n->symbol] = v;
		for (uint32_t c = n->first; c != ML_FLOW_NONE; c = x->f->node[c].next)
			execute(x, c);
	}
}

static void begin(struct execution *x, const struct ml_flow *f,
		  const struct ml_flow *original, const struct ml_flow *changed,
		  const int64_t *value, struct ml_arena *a)
{
	size_t symbols = original->symbol_count;
	uint32_t accesses = 0;

	*x = (struct execution){ .f = f, .original = original, .symbols = symbols };
	x->value = ml_arena_alloc(a, (f->symbol_count + 1) * sizeof(*x->value));
	memcpy(x->value, value, symbols * sizeof(*value));
	x->first = ml_arena_alloc(a, (f->node_count + 1) * sizeof(*x->first));
	for (size_t i = 0; i < f->node_count; i++) {
		x->first[i] = accesses;
		accesses += (uint32_t)f->node[i].access_count;
	}
	x->private = ml_arena_alloc(a, (f->container_count + 1) * sizeof(*x->private));
	for (uint32_t i = 0; i < f->container_count; i++)
		x->private[i] = ml_private_after(original, changed,
						 ml_private_loop(original, i));
	x->place = ml_arena_alloc(a, (accesses + 1) * sizeof(*x->place));
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			const struct ml_flow_access *y = &f->node[i].access[j];

			x->place[x->first[i] + j] =
				ml_flow_place(a, &f->container[y->container], y);
		}
}

static void end(struct execution *x)
{
	ml_map_release(&x->element);
	ml_free(x->history);
	ml_free(x->event);
}

/* Whether all elements have the same history; else the key of one that has not. */
static bool same(const struct execution *x, const struct execution *y, uint64_t *key)
{
	const struct ml_map_cell *c;

	for (size_t i = 0; (c = ml_map_next(&x->element, &i));) {
		*key = c->key;
		const uint64_t *at = ml_map_find(&y->element, *key);
		const struct history *h = &x->history[c->value];

		if (!at || h->chain != y->history[*at].chain ||
		    h->kind != y->history[*at].kind || h->sum != y->history[*at].sum)
			return false;
	}
	return x->count == y->count;
}

static const struct ml_flow_access *access_of(const struct ml_flow *f, uint32_t number,
					      const struct ml_flow_node **node)
{
	for (size_t i = 0; i < f->node_count; i++) {
		*node = &f->node[i];
		if (number < f->node[i].access_count)
			return &f->node[i].access[number];
		number -= (uint32_t)f->node[i].access_count;
	}
	return NULL;
}

static void say_access(struct ml_buf *b, const struct ml_flow *f, uint32_t number)
{
	const struct ml_flow_node *n = NULL;
	const struct ml_flow_access *x = access_of(f, number, &n);

	ml_buf_printf(b, "the %s of %s in line %" PRIu32, x->write ? "write" : "read",
		      f->container[x->container].name, x->line ? x->line : n->line);
}

struct check {
	const struct ml_flow *f;
	struct ml_transform changed;
	const int64_t *value;
	struct ml_arena *a;
};

static bool run_both(struct check *c, bool updates, uint64_t watch, struct execution *x,
		     struct execution *y)
{
	begin(x, c->f, c->f, c->changed.flow, c->value, c->a);
	begin(y, c->changed.flow, c->f, c->changed.flow, c->value, c->a);
	x->updates = y->updates = updates;
	x->watch = y->watch = watch;
	execute(x, 0);
	if (!x->over)
		execute(y, 0);
	return !x->over && !y->over;
}

/* An access and a write of one element that changed places: the first write that has
 * one. */
static bool find_swap(const struct execution *x, const struct execution *y,
		      struct event swap[2])
{
	struct ml_map then = { 0 };
	bool found = false;

	for (size_t i = 0; i < y->events; i++)
		*ml_map_add(&then, y->event[i].id, NULL) = i;
	for (size_t i = 0; i < x->events && !found; i++) {
		const uint64_t *p = ml_map_find(&then, x->event[i].id), *q;

		for (size_t j = i + 1; p && j < x->events && !found; j++) {
			if (!x->event[i].write && !x->event[j].write)
				continue;
			q = ml_map_find(&then, x->event[j].id);
			if (!q || *q > *p)
				continue;
			swap[0] = x->event[i];
			swap[1] = x->event[j];
			found = true;
		}
	}
	ml_map_release(&then);
	return found;
}

static void say_where(struct check *c, uint64_t key, struct ml_buf *b)
{
	struct execution x, y;
	struct event swap[2];

	run_both(c, false, key, &x, &y);
	if (find_swap(&x, &y, swap)) {
		say_access(b, c->f, swap[1].access);
		ml_buf_text(b, " would come before ");
		say_access(b, c->f, swap[0].access);
		ml_buf_text(b, ", which must come first");
	} else
		ml_buf_text(b, "accesses to one element change their order");
	end(&x);
	end(&y);
}

static const char *text_of(struct ml_arena *a, struct ml_buf *b)
{
	const char *text = ml_arena_copy(a, b->size ? (const void *)b->data : "",
					 b->size);

	ml_buf_release(b);
	return text;
}

/* Two containers that may be the same memory, whose elements do not compare. */
static const char *overlap(const struct ml_flow *f, struct ml_arena *a)
{
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			for (size_t k = 0; k < f->node_count; k++)
				for (size_t l = 0; l < f->node[k].access_count; l++) {
					const struct ml_flow_access
						*x = &f->node[i].access[j],
						*y = &f->node[k].access[l];

					if (x->container != y->container && x->write &&
					    ml_flow_may_overlap(f, x, y))
						return ml_arena_printf(
							a,
							"%s and %s may be the same "
							"memory",
							f->container[x->container].name,
							f->container[y->container].name);
				}
	return NULL;
}

static void judge(struct check *c, struct ml_legality *l)
{
	struct execution x, y;
	struct ml_buf b = { 0 };
	const char *shared = overlap(c->f, c->a);
	uint64_t key = 0, other;

	run_both(c, false, 0, &x, &y);
	bool equal = same(&x, &y, &key), open = x.open || y.open || shared;
	end(&x);
	end(&y);
	if (open) {
		l->kind = ML_LEGALITY_OPEN;
		ml_buf_printf(&b,
			      "not known, because %s. It is legal if no iteration reads "
			      "or writes what another one, whose turn changes, writes",
			      l->why   ? l->why
			      : shared ? shared
				       : "places, ranges or conditions depend on data");
	} else if (equal) {
		l->kind = ML_LEGAL;
		ml_buf_text(&b,
			    "legal as far as tried: every element is read and written "
			    "in the same order");
	} else {
		run_both(c, true, 0, &x, &y);
		bool updates = same(&x, &y, &other);
		end(&x);
		end(&y);
		l->kind = updates ? ML_LEGAL_UPDATES : ML_ILLEGAL;
		ml_buf_text(&b, updates ? "legal only if updates may change places, as "
					  "sums may apart from rounding: "
					: "not legal: ");
		say_where(c, key, &b);
	}
	l->said = text_of(c->a, &b);
}

/* Whether the original has few enough accesses at these sizes. */
static bool fits(const struct ml_flow *f, const int64_t *value, struct ml_arena *a)
{
	struct execution x;

	begin(&x, f, f, f, value, a);
	execute(&x, 0);
	end(&x);
	return !x.over;
}

static bool try_both(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		     const char *order, const int64_t *value, const bool *known,
		     const struct ml_work *work, struct ml_arena *a, struct ml_err *err)
{
	static const int64_t max[] = { INT64_MAX, 23, 13, 9, 7, 5, 4 };
	int64_t *small = ml_arena_alloc(a, (f->symbol_count + 1) * sizeof(*small));
	struct check c = { .f = f, .value = small, .a = a };
	size_t i, sizes = sizeof(max) / sizeof(*max);

	l->all_sizes = false;
	l->kind = ML_LEGALITY_OPEN;
	l->said = "not known: even small sizes have too many accesses to try";
	for (i = 0; i < sizes; i++) {
		if (!ml_work_goes_on(work, err))
			return false;
		for (size_t s = 0; s < f->symbol_count; s++)
			small[s] = !known[s] || value[s] < max[i] ? value[s] : max[i];
		if (fits(f, small, a))
			break;
	}
	if (i == sizes)
		return true;
	l->smaller = i > 0;
	bool ok = ml_transform_make(&c.changed, f, tile, order, i ? SMALL_TILE : 0, err);
	if (ok)
		judge(&c, l);
	if (ok && l->smaller && l->kind != ML_LEGALITY_OPEN)
		l->said = ml_arena_printf(
			a, "%s (tried with sizes up to %" PRId64 "%s)", l->said, max[i],
			tile && *tile ? " and tiles of up to 3 iterations" : "");
	ml_transform_release(&c.changed);
	return ok;
}

bool ml_legality_try(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		     const char *order, const int64_t *value, const bool *known,
		     const struct ml_work *work, struct ml_arena *a, struct ml_err *err)
{
	*l = (struct ml_legality){ 0 };
	return try_both(l, f, tile, order, value, known, work, a, err);
}

static bool reorders_updates(const struct ml_flow *f)
{
	for (size_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			if (f->node[i].access[j].update && !f->node[i].access[j].rounds)
				return true;
	return false;
}

/* The assumption about pointers, where the answer needs it. */
static void say_apart(struct ml_buf *b, const struct ml_flow *f)
{
	const char *comma = "; ", *last = NULL;
	size_t others = 0, written = 0;

	for (size_t i = 0; i < f->container_count; i++) {
		others += !f->container[i].scalar;
		written += f->container[i].pointed;
	}
	if (!f->apart || others < 2 || !written)
		return;
	for (size_t i = 0; i < f->container_count; i++)
		if (f->container[i].pointed) {
			if (last) {
				ml_buf_printf(b, "%s%s", comma, last);
				comma = ", ";
			}
			last = f->container[i].name;
		}
	ml_buf_printf(b,
		      written > 1 ? " and %s are taken to point to memory of their own"
				  : "; %s is taken to point to memory of its own",
		      last);
}

static void say_proved(struct ml_legality *l, const struct ml_flow *f, const char *why,
		       struct ml_arena *a)
{
	struct ml_buf b = { 0 };

	ml_buf_text(&b,
		    l->kind == ML_LEGAL ? "legal for all sizes: every element is read "
					  "and written in the same order"
		    : l->kind == ML_LEGAL_UPDATES
			    ? "legal for all sizes only if updates may change places, "
			      "as sums may apart from rounding: "
			    : "not legal: ");
	if (l->kind != ML_LEGAL)
		ml_buf_text(&b, why);
	else if (reorders_updates(f))
		ml_buf_text(&b, ", or updated as integers, whose order does not matter");
	if (l->kind != ML_ILLEGAL)
		say_apart(&b, f);
	l->said = text_of(a, &b);
}

bool ml_legality_check(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		       const char *order, const int64_t *value, const bool *known,
		       const struct ml_work *work, struct ml_arena *a, struct ml_err *err)
{
	struct ml_err unused;
	struct ml_dependences *d = ml_dependences_open(f, &unused);
	struct ml_transform t = { 0 };

	*l = (struct ml_legality){ .all_sizes = true, .kind = ML_LEGALITY_OPEN };
	if (d) {
		bool ok = ml_transform_make(&t, f, tile, order, 0, err);

		if (ok)
			l->kind = ml_dependences_keep(d, t.flow);
		if (ok && ml_dependences_why(d))
			l->why = ml_arena_strdup(a, ml_dependences_why(d));
		if (ok && l->kind != ML_LEGALITY_OPEN)
			say_proved(l, f, l->why, a);
		ml_transform_release(&t);
		ml_dependences_close(d);
		if (!ok)
			return false;
		if (l->kind != ML_LEGALITY_OPEN)
			return true;
	}
	return try_both(l, f, tile, order, value, known, work, a, err);
}
