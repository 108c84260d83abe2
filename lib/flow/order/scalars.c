#include "lib/flow/order/scalars.h"

#include <stdbool.h>

#include "lib/flow/flow.h"

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

/* Whether what is below a node certainly writes the scalar before anything reads it: 1;
 * or may read it first: 0; or does not touch it: -1. */
static int writes_first(const struct ml_flow *f, uint32_t node, uint32_t container)
{
	const struct ml_flow_node *n = &f->node[node];

	for (size_t i = 0; i < n->access_count; i++)
		if (n->access[i].container == container)
			return n->access[i].write;
	for (uint32_t c = n->first; c != ML_FLOW_NONE; c = f->node[c].next) {
		int is = writes_first(f, c, container);

		/* a guard or a loop below may not run at all */
		if (is == 1 && f->node[c].kind != ML_FLOW_WORK &&
		    f->node[c].kind != ML_FLOW_SCOPE)
			is = 0;
		if (is >= 0)
			return is;
	}
	return -1;
}

uint32_t ml_scalar_private(const struct ml_flow *f, uint32_t container)
{
	const struct ml_flow_container *c = &f->container[container];
	uint32_t all = ML_FLOW_NONE, declared, written;

	if (!c->scalar)
		return ML_FLOW_NONE;
	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++)
			if (f->node[i].access[j].container == container)
				all = all == ML_FLOW_NONE ? i : common(f, all, i);
	if (all == ML_FLOW_NONE)
		return ML_FLOW_NONE;
	declared = loop_around(f, c->inside);
	written = loop_around(f, all);
	if (written != ML_FLOW_NONE && writes_first(f, written, container) != 1)
		written = ML_FLOW_NONE;
	if (declared == ML_FLOW_NONE || written == ML_FLOW_NONE)
		return declared == ML_FLOW_NONE ? written : declared;
	return depth(f, declared) > depth(f, written) ? declared : written;
}
