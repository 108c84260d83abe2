#include "lib/flow/order/scalars.h"

#include <stdbool.h>

#include "lib/flow/flow.h"

const char *const ml_scalar_kind_said[] = {
	"is not touched",
	"is only read",
	"is an iteration's own",
	"is only updated",
	"is written by every iteration, and the last one counts",
	"is read by an iteration after an earlier one wrote it",
};

static uint32_t depth(const struct ml_flow *f, uint32_t node)
{
	uint32_t n = 0;

	for (; node != ML_FLOW_NONE; node = f->node[node].parent)
		n++;
	return n;
}

static uint32_t common(const struct ml_flow *f, uint32_t x, uint32_t y)
{
	while (x != y) {
		if (depth(f, x) >= depth(f, y))
			x = f->node[x].parent;
		else
			y = f->node[y].parent;
	}
	return x;
}

static uint32_t loop_around(const struct ml_flow *f, uint32_t node)
{
	while (node != ML_FLOW_NONE && f->node[node].kind != ML_FLOW_FOR)
		node = f->node[node].parent;
	return node;
}

/* What a part of the program does with a scalar. */
struct use {
	bool reads; /* possibly a value that something before it wrote */
	bool writes, reads_any;
	bool surely; /* it writes in any case */
};

static bool is_else(const struct ml_flow *f, uint32_t node, uint32_t other)
{
	const struct ml_flow_node *x = &f->node[node], *y = &f->node[other];

	return x->kind == ML_FLOW_IF && y->kind == ML_FLOW_IF && y->otherwise;
}

static struct use use_of(const struct ml_flow *f, uint32_t node, uint32_t container)
{
	const struct ml_flow_node *n = &f->node[node];
	const struct ml_flow_container *c = &f->container[container];
	struct use u = { 0 };
	uint32_t before = ML_FLOW_NONE;
	bool before_surely = false;

	for (size_t i = 0; i < n->access_count; i++) {
		const struct ml_flow_access *x = &n->access[i];
		bool whole = !x->size || x->size >= c->element;

		if (x->container != container)
			continue;
		u.reads |= !x->write && !u.surely;
		u.reads_any |= !x->write;
		u.writes |= x->write;
		u.surely |= x->write && !x->bounded && whole;
	}
	/* what is called may see variables that outlive the function */
	if (n->unplaced && c->outlives)
		u.reads = u.reads_any = u.writes = true;
	for (uint32_t i = n->first; i != ML_FLOW_NONE; i = f->node[i].next) {
		struct use v = use_of(f, i, container);
		bool certain = f->node[i].kind == ML_FLOW_WORK ||
			       f->node[i].kind == ML_FLOW_SCOPE;

		u.reads |= v.reads && !u.surely;
		u.reads_any |= v.reads_any;
		u.writes |= v.writes;
		/* a guard or a loop may not run, but one of two branches does */
		if (v.surely && (certain || (before != ML_FLOW_NONE && before_surely &&
					     is_else(f, before, i))))
			u.surely = true;
		before = i;
		before_surely = v.surely;
	}
	return u;
}

uint32_t ml_private_loop(const struct ml_flow *f, uint32_t container)
{
	const struct ml_flow_container *c = &f->container[container];
	uint32_t all = ML_FLOW_NONE, declared = loop_around(f, c->inside), written;

	if (!c->scalar || c->outlives)
		return declared;
	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			if (f->node[i].access[j].container == container)
				all = all == ML_FLOW_NONE ? i : common(f, all, i);
	if (all == ML_FLOW_NONE)
		return ML_FLOW_NONE;
	written = loop_around(f, all);
	if (written != ML_FLOW_NONE && use_of(f, written, container).reads)
		written = ML_FLOW_NONE;
	if (declared == ML_FLOW_NONE || written == ML_FLOW_NONE)
		return declared == ML_FLOW_NONE ? written : declared;
	return depth(f, declared) > depth(f, written) ? declared : written;
}

/* The loop of the original whose strips a loop of the changed flow runs over. */
static uint32_t origin(const struct ml_flow *f, const struct ml_flow *changed,
		       uint32_t symbol)
{
	if (symbol < f->symbol_count)
		return symbol;
	for (uint32_t i = 0; i < changed->node_count; i++) {
		const struct ml_flow_node *n = &changed->node[i];
		bool member[1024] = { false };

		if (n->kind != ML_FLOW_FOR || n->symbol >= f->symbol_count ||
		    symbol >= sizeof(member))
			continue;
		member[symbol] = true;
		if (ml_sym_has(n->to, member, symbol + 1) ||
		    ml_sym_has(n->from, member, symbol + 1))
			return n->symbol;
	}
	return symbol;
}

static bool is_around(const struct ml_flow *f, uint32_t loop, uint32_t symbol)
{
	for (; loop != ML_FLOW_NONE; loop = f->node[loop].parent)
		if (f->node[loop].kind == ML_FLOW_FOR && f->node[loop].symbol == symbol)
			return true;
	return false;
}

static bool stays(const struct ml_flow *f, const struct ml_flow *changed, uint32_t loop)
{
	uint32_t at = ML_FLOW_NONE;

	for (uint32_t i = 0; i < changed->node_count; i++)
		if (changed->node[i].kind == ML_FLOW_FOR &&
		    changed->node[i].symbol == f->node[loop].symbol)
			at = i;
	for (; at != ML_FLOW_NONE; at = changed->node[at].parent)
		if (changed->node[at].kind == ML_FLOW_FOR &&
		    !is_around(f, loop, origin(f, changed, changed->node[at].symbol)))
			return false;
	return true;
}

uint32_t ml_private_after(const struct ml_flow *f, const struct ml_flow *changed,
			  uint32_t private)
{
	while (private != ML_FLOW_NONE && !stays(f, changed, private))
	private = loop_around(f, f->node[private].parent);
	return private;
}

static bool is_below(const struct ml_flow *f, uint32_t node, uint32_t above)
{
	while (node != ML_FLOW_NONE && node != above)
		node = f->node[node].parent;
	return node == above;
}

enum ml_scalar_kind ml_scalar_kind(const struct ml_flow *f, uint32_t container,
				   uint32_t loop)
{
	struct use u = use_of(f, loop, container);
	enum ml_flow_update update = ML_FLOW_NO_UPDATE;
	bool updates = true;
	uint32_t private = ml_private_loop(f, container);

	if (!u.writes)
		return u.reads_any ? ML_SCALAR_INVARIANT : ML_SCALAR_UNUSED;
	if (private != ML_FLOW_NONE && is_below(f, private, loop))
		return ML_SCALAR_PRIVATE;
	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			const struct ml_flow_access *x = &f->node[i].access[j];

			if (x->container != container || !is_below(f, i, loop))
				continue;
			updates = updates && x->update &&
				  (!update || x->update == update);
			update = x->update;
		}
	if (updates)
		return ML_SCALAR_REDUCTION;
	return u.reads ? ML_SCALAR_CARRIED : ML_SCALAR_LAST;
}
