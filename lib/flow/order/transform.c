#include "lib/flow/order/transform.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_build.h"
#include "lib/flow/order/hull.h"

enum { LOOPS = 32, BANDS = 256 };

/* What a text asks for. */
struct request {
	const char *text;
	const char *name[LOOPS];
	int64_t tile[LOOPS]; /* 0: none */
	size_t count;
	uint32_t line; /* of the outermost loop; 0: any */
};

/* The loops of one nest that change, with all that stands between them. */
struct band {
	uint32_t top, bottom; /* nodes of the original */
	struct ml_flow_node loop[2 * LOOPS];
	size_t loops;
	const struct ml_sym *guard[4 * LOOPS];
	uint32_t guard_line[4 * LOOPS];
	size_t guards;
	uint32_t scope[LOOPS]; /* nodes */
	size_t scopes;
};

static bool parse(struct request *r, const char *text, bool tile, uint64_t max_tile,
		  struct ml_arena *a, struct ml_err *err)
{
	const char *what = tile ? "tile" : "order";
	char *at = ml_arena_strdup(a, text), *line = strchr(at, '@'), *end;

	*r = (struct request){ .text = text };
	if (line) {
		*line++ = 0;
		r->line = (uint32_t)strtoul(line, &end, 10);
		if (!r->line || *end)
			return ml_fail(err, ML_USAGE, "%s '%s': '@%s' is no line", what,
				       text, line);
	}
	for (char *next; at; at = next) {
		char *equals = strchr(at, '=');

		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		if (r->count == LOOPS)
			return ml_fail(err, ML_USAGE, "%s '%s' names more than %d loops",
				       what, text, LOOPS);
		if (!*at || (tile && (!equals || (next && equals > next))))
			return ml_fail(err, ML_USAGE,
				       tile ? "tile '%s': say LOOP=ITERATIONS, as in "
					      "i=32,k=32"
					    : "order '%s': say names of loops, the "
					      "outermost first, as in k,i,j",
				       text);
		if (tile) {
			*equals = 0;
			r->tile[r->count] = strtoll(equals + 1, &end, 10);
			if (*end || r->tile[r->count] < 1 ||
			    r->tile[r->count] > (int64_t)1 << 40)
				return ml_fail(err, ML_USAGE,
					       "tile '%s': '%s' is no number of "
					       "iterations; 1 to 2^40 are",
					       text, equals + 1);
			if (max_tile && (uint64_t)r->tile[r->count] > max_tile)
				r->tile[r->count] = (int64_t)max_tile;
		}
		for (size_t i = 0; i < r->count; i++)
			if (!strcmp(r->name[i], at))
				return ml_fail(err, ML_USAGE, "%s '%s' names '%s' twice",
					       what, text, at);
		r->name[r->count++] = at;
	}
	return true;
}

static size_t named(const struct ml_flow *f, const struct request *r, uint32_t node)
{
	const struct ml_flow_node *n = &f->node[node];

	for (size_t i = 0; n->kind == ML_FLOW_FOR && i < r->count; i++)
		if (!strcmp(f->names[n->symbol], r->name[i]))
			return i;
	return SIZE_MAX;
}

/* Whether the loops named, each once, are node and ancestors of it; sets the outermost.
 */
static bool nest_of(const struct ml_flow *f, const struct request *r, uint32_t node,
		    uint32_t *top)
{
	size_t found = 0;
	bool seen[LOOPS] = { false };

	for (uint32_t at = node; at != ML_FLOW_NONE && found < r->count;
	     at = f->node[at].parent) {
		size_t i = named(f, r, at);

		if (i == SIZE_MAX || seen[i])
			continue;
		seen[i] = true;
		*top = at;
		found++;
	}
	return found == r->count && (!r->line || f->node[*top].line == r->line);
}

static bool no_such_nest(const struct ml_flow *f, const struct request *r,
			 const char *what, struct ml_err *err)
{
	for (size_t i = 0; i < r->count; i++) {
		bool there = false;

		for (uint32_t n = 0; n < f->node_count; n++)
			there |= named(f, r, n) == i;
		if (!there)
			return ml_fail(err, ML_USAGE, "%s '%s': there is no loop '%s'",
				       what, r->text, r->name[i]);
	}
	return ml_fail(err, ML_USAGE,
		       "%s '%s': no nest has all of these loops, one inside another%s",
		       what, r->text, r->line ? ", beginning in that line" : "");
}

/* Reads the nodes from top to bottom into the band. */
static bool read_band(const struct ml_flow *f, struct band *b, const char *what,
		      struct ml_err *err)
{
	for (uint32_t at = b->top;; at = f->node[at].first) {
		const struct ml_flow_node *n = &f->node[at];

		if (n->first != ML_FLOW_NONE && f->node[n->first].leaves)
			return ml_fail(err, ML_USAGE,
				       "%s: the loop '%s' (line %" PRIu32
				       ") may be left early, so its iterations stay as "
				       "they are",
				       what, n->label, n->line);
		if (n->kind == ML_FLOW_FOR && b->loops < LOOPS)
			b->loop[b->loops++] = *n;
		else if (n->kind == ML_FLOW_IF && b->guards < LOOPS) {
			b->guard_line[b->guards] = n->line;
			b->guard[b->guards++] = n->condition;
		} else if (n->kind == ML_FLOW_SCOPE && b->scopes < LOOPS)
			b->scope[b->scopes++] = at;
		else
			return ml_fail(err, ML_USAGE, "%s: the nest is too deep", what);
		if (at == b->bottom)
			return true;
		if (n->first != n->last) {
			uint32_t other = n->first;
			const struct ml_flow_node *m;

			/* name what is not on the way to the bottom */
			for (uint32_t up = b->bottom; up != at; up = f->node[up].parent)
				if (up == n->first)
					other = n->last;
			m = &f->node[other];
			return ml_fail(err, ML_USAGE,
				       "%s: '%s' (line %" PRIu32
				       ") stands between the loops that would move, "
				       "inside '%s'; only loops nested directly can",
				       what, m->label, m->line, n->label);
		}
	}
}

static bool find_bands(const struct ml_flow *f, const struct request *r, const char *what,
		       struct band *band, size_t *count, struct ml_err *err)
{
	*count = 0;
	for (uint32_t i = 0; i < f->node_count; i++) {
		uint32_t top = i;

		if (named(f, r, i) == SIZE_MAX || !nest_of(f, r, i, &top))
			continue;
		if (*count == BANDS)
			return ml_fail(err, ML_USAGE,
				       "%s '%s' applies to more than %d nests; name one "
				       "by its line: %s@LINE",
				       what, r->text, BANDS, r->text);
		struct band *b = &band[(*count)++];
		*b = (struct band){ .top = top, .bottom = i };
		if (!read_band(f, b, what, err))
			return false;
	}
	return *count || no_such_nest(f, r, what, err);
}

/* A loop over strips of loop n, whose own bounds are cut to a strip. */
static bool strip(struct ml_flow *g, struct ml_flow_node *n, int64_t size,
		  const struct ml_flow_node *around, size_t around_count,
		  struct ml_flow_node *tile, struct ml_err *err)
{
	struct ml_arena *a = &g->arena;
	const char *name = ml_arena_printf(a, "%s_tile", g->names[n->symbol]);
	const struct ml_sym *from = n->from, *to = n->to;
	int64_t length;

	*tile = *n;
	if (__builtin_mul_overflow(size, n->step, &length))
		return ml_fail(err, ML_USAGE, "a tile of %" PRId64 " is too large", size);
	if (!ml_hull(a, around, around_count, n, &tile->from, &tile->to))
		return ml_fail(err, ML_USAGE,
			       "tile: the bounds of loop '%s' (line %" PRIu32
			       ") depend on loops around it in a way that cannot be "
			       "turned round",
			       g->names[n->symbol], n->line);
	if (n->step != 1 && n->step != -1 && !ml_sym_equal(tile->from, from))
		return ml_fail(err, ML_USAGE,
			       "tile: loop '%s' (line %" PRIu32
			       ") has a step, and begins where loops around it say; "
			       "strips of it would begin elsewhere",
			       g->names[n->symbol], n->line);
	tile->symbol = ml_flow_add_symbol(g, name, ML_FLOW_LOOP);
	tile->label = name;
	tile->step = length;
	const struct ml_sym *first = ml_sym_symbol(a, tile->symbol);
	const struct ml_sym *last = ml_sym_add_const(a, first, length - n->step);
	n->from = ml_sym_make(a, n->step > 0 ? ML_SYM_MAX : ML_SYM_MIN, first, from);
	if (ml_sym_equal(tile->from, from))
		n->from = first;
	n->to = ml_sym_make(a, n->step > 0 ? ML_SYM_MIN : ML_SYM_MAX, last, to);
	return true;
}

/* The loops over strips first, in the order of the nest; then the loops. */
static bool tile_band(struct ml_flow *g, const struct request *r, struct band *b,
		      struct ml_err *err)
{
	struct ml_flow_node all[2 * LOOPS], original[LOOPS];
	size_t tiles = 0;

	memcpy(original, b->loop, b->loops * sizeof(*original));
	for (size_t i = 0; i < b->loops; i++)
		for (size_t j = 0; j < r->count; j++)
			if (!strcmp(g->names[original[i].symbol], r->name[j]) &&
			    !strip(g, &b->loop[i], r->tile[j], original, i, &all[tiles++],
				   err))
				return false;
	memcpy(all + tiles, b->loop, b->loops * sizeof(*all));
	b->loops += tiles;
	memcpy(b->loop, all, b->loops * sizeof(*all));
	return true;
}

static void add_guard(struct band *b, const struct ml_sym *e, uint32_t line)
{
	b->guard_line[b->guards] = line;
	b->guard[b->guards++] = e;
}

/* Bounds that refer to loops that are inside now get wider, and guards cut them. */
static bool widen(struct ml_flow *g, struct band *b, size_t at, struct ml_err *err)
{
	struct ml_flow_node *n = &b->loop[at], inside[2 * LOOPS];
	struct ml_arena *a = &g->arena;
	const struct ml_sym *from, *to, *v = ml_sym_symbol(a, n->symbol);
	size_t count = 0;

	for (size_t i = at + 1; i < b->loops; i++)
		inside[count++] = b->loop[i];
	if (!ml_hull(a, inside, count, n, &from, &to))
		return ml_fail(
			err, ML_USAGE,
			"order: the bounds of loop '%s' (line %" PRIu32
			") depend on a loop that would be inside it, in a way that "
			"cannot be turned round",
			g->names[n->symbol], n->line);
	bool up = n->step > 0;
	if (!ml_sym_equal(from, n->from)) {
		add_guard(b,
			  up ? ml_sym_make(a, ML_SYM_GE, v, n->from)
			     : ml_sym_make(a, ML_SYM_GE, n->from, v),
			  n->line);
		if (n->step != 1 && n->step != -1) {
			const struct ml_sym *off =
				ml_sym_make(a, ML_SYM_MOD, ml_sym_sub(a, v, n->from),
					    ml_sym_const(a, up ? n->step : -n->step));

			add_guard(b, ml_sym_make(a, ML_SYM_EQ, off, ml_sym_const(a, 0)),
				  n->line);
			n->step = up ? 1 : -1;
		}
	}
	if (!ml_sym_equal(to, n->to))
		add_guard(b,
			  up ? ml_sym_make(a, ML_SYM_GE, n->to, v)
			     : ml_sym_make(a, ML_SYM_GE, v, n->to),
			  n->line);
	n->from = from;
	n->to = to;
	return true;
}

static bool order_band(struct ml_flow *g, const struct request *r, struct band *b,
		       struct ml_err *err)
{
	struct ml_flow_node old[2 * LOOPS];

	if (b->loops != r->count)
		for (size_t i = 0; i < b->loops; i++) {
			bool there = false;

			for (size_t j = 0; j < r->count; j++)
				there |= !strcmp(g->names[b->loop[i].symbol], r->name[j]);
			if (!there)
				return ml_fail(
					err, ML_USAGE,
					"order '%s': loop '%s' stands between these "
					"and is not named",
					r->text, g->names[b->loop[i].symbol]);
		}
	memcpy(old, b->loop, b->loops * sizeof(*old));
	for (size_t i = 0; i < r->count; i++)
		for (size_t j = 0; j < b->loops; j++)
			if (!strcmp(g->names[old[j].symbol], r->name[i]))
				b->loop[i] = old[j];
	/* the innermost first: a bound may be widened by loops that are widened too */
	for (size_t i = b->loops; i-- > 0;)
		if (!widen(g, b, i, err))
			return false;
	return true;
}

/* A flow with the symbols and containers of f, without nodes. */
static struct ml_flow *copy_outside(const struct ml_flow *f)
{
	struct ml_flow *g = ml_flow_new(f->path);

	g->function = f->function;
	g->dialect = f->dialect;
	g->apart = f->apart;
	for (size_t i = 0; i < f->symbol_count; i++) {
		ml_flow_add_symbol(g, f->names[i], f->symbol[i].kind);
		g->symbol[i] = f->symbol[i];
	}
	for (size_t i = 0; i < f->container_count; i++)
		ml_flow_add_container(g, &f->container[i]);
	for (size_t i = 0; i < f->note_count; i++)
		ml_flow_add_note(g, "%s", f->note[i]);
	return g;
}

static uint32_t copy_node(struct ml_flow *g, const struct ml_flow_node *n,
			  uint32_t parent)
{
	uint32_t at = ml_flow_add_node(g, parent, n->kind, n->label);
	struct ml_flow_node *m = &g->node[at], own = *m;

	*m = *n;
	m->number = own.number;
	m->parent = parent;
	m->first = m->last = m->next = ML_FLOW_NONE;
	m->access = NULL;
	m->access_count = m->access_cap = 0;
	for (size_t i = 0; i < n->access_count; i++)
		*ml_flow_add_access(g, at, n->access[i].container,
				    n->access[i].write) = n->access[i];
	return at;
}

/* Writes the band below parent; returns its innermost node. */
static uint32_t write_band(struct ml_flow *g, const struct ml_flow *f,
			   const struct band *b, uint32_t parent, uint32_t *now)
{
	for (size_t i = 0; i < b->loops; i++) {
		parent = copy_node(g, &b->loop[i], parent);
		for (uint32_t at = b->top;; at = f->node[at].first) {
			if (f->node[at].kind == ML_FLOW_FOR &&
			    f->node[at].symbol == b->loop[i].symbol)
				now[at] = parent;
			if (at == b->bottom)
				break;
		}
	}
	for (size_t i = 0; i < b->guards; i++) {
		parent = ml_flow_add_node(g, parent, ML_FLOW_IF, "if");
		g->node[parent].condition = b->guard[i];
		g->node[parent].line = b->guard_line[i];
	}
	for (size_t i = 0; i < b->scopes; i++)
		now[b->scope[i]] = parent = copy_node(g, &f->node[b->scope[i]], parent);
	return parent;
}

static void rebuild(struct ml_flow *g, const struct ml_flow *f, const struct band *band,
		    size_t bands, uint32_t *now)
{
	uint32_t *below = ml_resize(NULL, (f->node_count + 1) * sizeof(*below));
	const struct band **of = ml_resize(NULL, (f->node_count + 1) * sizeof(*of));

	memset(of, 0, (f->node_count + 1) * sizeof(*of));
	for (size_t i = 0; i < bands; i++)
		for (uint32_t at = band[i].bottom;; at = f->node[at].parent) {
			of[at] = &band[i];
			if (at == band[i].top)
				break;
		}
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];
		uint32_t parent = n->parent == ML_FLOW_NONE ? ML_FLOW_NONE
							    : below[n->parent];

		if (!of[i]) {
			now[i] = below[i] = copy_node(g, n, parent);
		} else if (i == of[i]->top) {
			uint32_t top = (uint32_t)g->node_count;

			/* guards of a band have no place of their own any more */
			for (uint32_t at = i;; at = f->node[at].first) {
				now[at] = top;
				if (at == of[i]->bottom)
					break;
			}
			below[of[i]->bottom] = write_band(g, f, of[i], parent, now);
		}
	}
	ml_free(below);
	ml_free(of);
}

static struct ml_flow *change(const struct ml_flow *f, const char *text, bool tile,
			      uint64_t max_tile, uint32_t *now, struct ml_err *err)
{
	struct ml_arena scratch = { 0 };
	struct band *band = ml_resize(NULL, BANDS * sizeof(*band));
	struct ml_flow *g = copy_outside(f);
	struct request r;
	size_t bands;

	bool ok = parse(&r, text, tile, max_tile, &scratch, err) &&
		  find_bands(f, &r, tile ? "tile" : "order", band, &bands, err);
	for (size_t i = 0; ok && i < bands; i++)
		ok = tile ? tile_band(g, &r, &band[i], err)
			  : order_band(g, &r, &band[i], err);
	if (ok)
		rebuild(g, f, band, bands, now);
	ml_free(band);
	ml_arena_release(&scratch);
	if (ok)
		return g;
	ml_flow_close(g);
	return NULL;
}

bool ml_transform_make(struct ml_transform *t, const struct ml_flow *f, const char *tile,
		       const char *order, uint64_t max_tile, struct ml_err *err)
{
	bool both = tile && *tile && order && *order;
	size_t n = f->node_count + 1;

	*t = (struct ml_transform){ 0 };
	t->now = ml_resize(NULL, n * sizeof(*t->now));
	for (uint32_t i = 0; i < n; i++)
		t->now[i] = i;
	if (both) {
		t->tiled = change(f, tile, true, max_tile, t->now, err);
		if (!t->tiled)
			return false;
		uint32_t *then = ml_resize(NULL,
					   (t->tiled->node_count + 1) * sizeof(*then));
		t->flow = change(t->tiled, order, false, 0, then, err);
		for (size_t i = 0; t->flow && i + 1 < n; i++)
			t->now[i] = then[t->now[i]];
		ml_free(then);
		return t->flow;
	}
	bool tiles = tile && *tile;
	if (!tiles && (!order || !*order))
		return ml_fail(err, ML_USAGE,
			       "neither tile nor order says how the loops should run");
	t->flow = change(f, tiles ? tile : order, tiles, max_tile, t->now, err);
	return t->flow;
}

void ml_transform_release(struct ml_transform *t)
{
	ml_flow_close(t->flow);
	ml_flow_close(t->tiled);
	ml_free(t->now);
	*t = (struct ml_transform){ 0 };
}
