#include "lib/analyse/loops/loop_tree.h"

#include "lib/base/arena.h"

void ml_loop_tree_release(struct ml_loop_tree *t)
{
	ml_free(t->node);
	*t = (struct ml_loop_tree){ 0 };
}

static uint32_t add(struct ml_loop_tree *t, uint32_t parent, enum ml_loop_kind kind,
		    uint32_t function, uint32_t loop)
{
	uint32_t number = (uint32_t)t->count++;

	t->node = ml_grow(t->node, &t->cap, t->count, sizeof(*t->node));
	t->node[number] = (struct ml_loop_node){ .kind = (uint8_t)kind,
						 .parent = parent,
						 .child = ML_NO_NODE,
						 .sibling = ML_NO_NODE,
						 .function = function,
						 .loop = loop,
						 .min = UINT64_MAX };
	if (parent != ML_NO_NODE) {
		t->node[number].thread = t->node[parent].thread;
		t->node[number].sibling = t->node[parent].child;
		t->node[parent].child = number;
	}
	return number;
}

uint32_t ml_loop_tree_child(struct ml_loop_tree *t, uint32_t parent,
			    enum ml_loop_kind kind, uint32_t function, uint32_t loop)
{
	if (parent != ML_NO_NODE)
		for (uint32_t i = t->node[parent].child; i != ML_NO_NODE;
		     i = t->node[i].sibling) {
			const struct ml_loop_node *n = &t->node[i];

			if (n->kind == kind && n->function == function && n->loop == loop)
				return i;
		}
	return add(t, parent, kind, function, loop);
}

uint32_t ml_loop_tree_function(const struct ml_loop_tree *t, uint32_t node)
{
	while (t->node[node].kind == ML_LOOP_LOOP)
		node = t->node[node].parent;
	return t->node[node].kind == ML_LOOP_FUNCTION ? node : ML_NO_NODE;
}

uint32_t ml_loop_tree_call(struct ml_loop_tree *t, uint32_t from, uint32_t function)
{
	for (uint32_t n = from; n != ML_NO_NODE; n = t->node[n].parent)
		if (t->node[n].kind == ML_LOOP_FUNCTION &&
		    t->node[n].function == function)
			return n;
	return ml_loop_tree_child(t, from, ML_LOOP_FUNCTION, function, 0);
}

void ml_loop_tree_entered(struct ml_loop_tree *t, uint32_t node, uint64_t iterations,
			  uint64_t entries)
{
	struct ml_loop_node *n = &t->node[node];

	n->entries += entries;
	n->iterations += iterations * entries;
	n->min = iterations < n->min ? iterations : n->min;
	n->max = iterations > n->max ? iterations : n->max;
}
