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

enum { READS = 1, WRITES = 2, UPDATES = 3 }; /* and above: updates of a computation */

struct execution {
	const struct ml_flow *f;
	size_t symbols; /* of the original: loops over strips are none of them */
	bool updates;   /* updates commute */
	int64_t *value;
	uint32_t *first;             /* number of the first access, by node */
	const struct ml_sym **place; /* by number of access */
	uint32_t *private; /* by container: the loop that a scalar is private to */
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

/* A scalar has a place for each iteration of the loops that it is private to. */
static int64_t scalar_place(const struct execution *x, uint32_t container)
{
	uint64_t id = 0;

	for (uint32_t at = x->private[container]; at != ML_FLOW_NONE;
	     at = x->f->node[at].parent)
		if (x->f->node[at].kind == ML_FLOW_FOR &&
		    x->f->node[at].symbol < x->symbols)
			id += mix((uint64_t)x->f->node[at].symbol << 40 ^
				  (uint64_t)x->value[x->f->node[at].symbol]);
	return (int64_t)(id >> 17);
}

/* Whether a computation reads and writes the element of an access. */
static bool is_update(const struct ml_flow_node *n, const uint64_t *key, size_t access)
{
	bool read = false, written = false;

	for (size_t i = 0; i < n->access_count; i++)
		if (key[i] == key[access]) {
			read |= !n->access[i].write;
			written |= n->access[i].write;
		}
	return read && written;
}

static void execute_work(struct execution *x, const struct ml_flow_node *n)
{
	uint64_t id = iteration(x, n), key[64];
	/* a call of a function that is not here may do anything */
	x->open |= n->assumed && !strcmp(x->f->dialect, "C");
	bool remember = x->updates && n->access_count <= 64;

	for (int pass = remember ? 0 : 1; pass < 2; pass++)
		for (size_t i = 0; i < n->access_count; i++) {
			const struct ml_flow_access *y = &n->access[i];
			const struct ml_flow_container *c =
				&x->f->container[y->container];
			uint32_t number = x->first[n->number] + (uint32_t)i;
			int64_t place = c->scalar ? scalar_place(x, y->container) : 0;

			if (!c->scalar && !y->single) {
				x->open = true;
				continue;
			}
			if (!c->scalar &&
			    !ml_sym_eval(x->place[number], x->value, NULL, &place)) {
				x->open = true;
				continue;
			}
			uint64_t k = key_of(y->container, place), kind = READS;
			if (!pass) {
				key[i] = k;
				continue;
			}
			kind = y->write ? WRITES : READS;
			if (remember && is_update(n, key, i))
				kind = UPDATES + (uint64_t)x->first[n->number];
			event(x, k, kind, mix(id + number), number);
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

static void begin(struct execution *x, const struct ml_flow *f, size_t symbols,
		  const int64_t *value, struct ml_arena *a)
{
	uint32_t accesses = 0;

	*x = (struct execution){ .f = f, .symbols = symbols };
	x->value = ml_arena_alloc(a, (f->symbol_count + 1) * sizeof(*x->value));
	memcpy(x->value, value, symbols * sizeof(*value));
	x->first = ml_arena_alloc(a, (f->node_count + 1) * sizeof(*x->first));
	for (size_t i = 0; i < f->node_count; i++) {
		x->first[i] = accesses;
		accesses += (uint32_t)f->node[i].access_count;
	}
	x->private = ml_arena_alloc(a, (f->container_count + 1) * sizeof(*x->private));
	for (uint32_t i = 0; i < f->container_count; i++)
		x->private[i] = ml_scalar_private(f, i);
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
	begin(x, c->f, c->f->symbol_count, c->value, c->a);
	begin(y, c->changed.flow, c->f->symbol_count, c->value, c->a);
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

/* Views of one storage, whose elements do not compare. */
static bool has_views(const struct ml_flow *f)
{
	for (size_t i = 0; i < f->container_count; i++)
		if (f->container[i].view_of)
			return true;
	return false;
}

static bool views_overlap(const struct ml_flow *f)
{
	for (size_t i = 0; has_views(f) && i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			for (size_t k = 0; k < f->node_count; k++)
				for (size_t l = 0; l < f->node[k].access_count; l++) {
					const struct ml_flow_access
						*x = &f->node[i].access[j],
						*y = &f->node[k].access[l];

					if (x->container != y->container && x->write &&
					    ml_flow_may_overlap(f, x, y))
						return true;
				}
	return false;
}

static void judge(struct check *c, struct ml_legality *l)
{
	struct execution x, y;
	struct ml_buf b = { 0 };
	uint64_t key = 0, other;

	run_both(c, false, 0, &x, &y);
	bool equal = same(&x, &y, &key), open = x.open || y.open || views_overlap(c->f);
	end(&x);
	end(&y);
	if (open) {
		l->kind = ML_LEGALITY_OPEN;
		ml_buf_text(&b,
			    "legality is open: places, ranges or conditions depend on "
			    "data. It holds if no iteration reads or writes what "
			    "another one, whose turn changes, writes");
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

	begin(&x, f, f->symbol_count, value, a);
	execute(&x, 0);
	end(&x);
	return !x.over;
}

bool ml_legality_try(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		     const char *order, const int64_t *value, const bool *known,
		     const struct ml_work *work, struct ml_arena *a, struct ml_err *err)
{
	static const int64_t max[] = { INT64_MAX, 23, 13, 9, 7, 5, 4 };
	int64_t *small = ml_arena_alloc(a, (f->symbol_count + 1) * sizeof(*small));
	struct check c = { .f = f, .value = small, .a = a };
	size_t i, sizes = sizeof(max) / sizeof(*max);

	*l = (struct ml_legality){ .kind = ML_LEGALITY_OPEN,
				   .said = "legality is open: even small sizes have too "
					   "many accesses to try" };
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

static void say_proved(struct ml_legality *l, const struct ml_flow *f,
		       const uint32_t pair[2], struct ml_arena *a)
{
	struct ml_buf b = { 0 };

	ml_buf_text(&b,
		    l->kind == ML_LEGAL ? "legal for all sizes: every element is read "
					  "and written in the same order"
		    : l->kind == ML_LEGAL_UPDATES
			    ? "legal for all sizes only if updates may change places, "
			      "as sums may apart from rounding: "
			    : "not legal: ");
	if (l->kind != ML_LEGAL) {
		say_access(&b, f, pair[1]);
		ml_buf_text(&b, " would come before ");
		say_access(&b, f, pair[0]);
		ml_buf_text(&b, ", which must come first");
	}
	l->said = text_of(a, &b);
}

bool ml_legality_check(struct ml_legality *l, const struct ml_flow *f, const char *tile,
		       const char *order, const int64_t *value, const bool *known,
		       const struct ml_work *work, struct ml_arena *a, struct ml_err *err)
{
	struct ml_err unused;
	struct ml_dependences *d = ml_dependences_open(f, &unused);
	struct ml_transform t = { 0 };
	uint32_t pair[2];

	if (d) {
		bool ok = ml_transform_make(&t, f, tile, order, 0, err);

		*l = (struct ml_legality){ .all_sizes = true, .kind = ML_LEGALITY_OPEN };
		if (ok)
			l->kind = ml_dependences_keep(d, t.flow, pair);
		ml_transform_release(&t);
		ml_dependences_close(d);
		if (!ok)
			return false;
		if (l->kind != ML_LEGALITY_OPEN) {
			say_proved(l, f, pair, a);
			return true;
		}
	}
	return ml_legality_try(l, f, tile, order, value, known, work, a, err);
}
