/* What only the whole function tells: scalars that never matter, pointers that change. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_read_parts.h"

/* Where a pointer leads that the program overwrites is not known. */
static void lose_rows(struct ml_c_reader *r)
{
	struct ml_flow *f = r->f;
	bool *lost = ml_arena_alloc(&f->arena, (f->container_count + 1) * sizeof(*lost));

	for (size_t i = 0; i < r->row_count; i++)
		for (size_t j = 0; j < r->changed_count; j++)
			if (r->changed[j].pointers == r->rows[i].pointers &&
			    (r->changed[j].field == UINT64_MAX ||
			     r->changed[j].field == r->rows[i].field))
				lost[r->rows[i].container] = true;
	/* what lies in what is lost */
	for (uint32_t i = 0; i < f->container_count; i++) {
		const struct ml_flow_container *c = &f->container[i];

		lost[i] |= (c->rows_of && lost[c->rows_of - 1]) ||
			   (c->view_of && lost[c->view_of - 1]);
	}
	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			uint32_t of = f->node[i].access[j].container;

			if (lost[of] && !f->node[i].unplaced)
				f->node[i].unplaced = ml_arena_printf(
					&f->arena,
					"where %s is, for the pointer that leads there changes",
					f->container[of].name);
		}
}

/* Scalars that matter: read, and written or by the function's end to be read by others. */
static uint32_t *number_containers(struct ml_flow *f)
{
	size_t n = f->container_count + 1;
	bool *read = ml_arena_alloc(&f->arena, n * sizeof(*read));
	bool *written = ml_arena_alloc(&f->arena, n * sizeof(*written));
	uint32_t *now = ml_arena_alloc(&f->arena, n * sizeof(*now)), next = 0;

	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			const struct ml_flow_access *x = &f->node[i].access[j];

			*(x->write ? &written[x->container] : &read[x->container]) = true;
		}
	for (uint32_t i = 0; i < f->container_count; i++) {
		const struct ml_flow_container *c = &f->container[i];
		bool matters = !c->scalar || (written[i] && (read[i] || c->outlives));

		now[i] = matters ? next++ : ML_FLOW_NONE;
	}
	return now;
}

static void drop_containers(struct ml_flow *f, const uint32_t *now)
{
	for (uint32_t i = 0; i < f->container_count; i++) {
		struct ml_flow_container *c = &f->container[i];

		if (c->rows_of)
			c->rows_of = now[c->rows_of - 1] == ML_FLOW_NONE
					     ? 0
					     : now[c->rows_of - 1] + 1;
		if (c->view_of)
			c->view_of = now[c->view_of - 1] + 1;
		if (now[i] != ML_FLOW_NONE)
			f->container[now[i]] = *c;
	}
	while (f->container_count && now[f->container_count - 1] == ML_FLOW_NONE)
		f->container_count--;
	uint32_t count = 0;
	for (uint32_t i = 0; i < f->container_count; i++)
		count += now[i] != ML_FLOW_NONE;
	f->container_count = count;
}

/* Drops accesses; true: nothing is left of a computation that had some. */
static bool drop_accesses(struct ml_flow_node *n, const uint32_t *now)
{
	size_t kept = 0, had = n->access_count;
	bool works = n->unplaced || n->kind != ML_FLOW_WORK;

	for (size_t i = 0; i < n->access_count; i++)
		if (now[n->access[i].container] != ML_FLOW_NONE) {
			n->access[kept] = n->access[i];
			n->access[kept++].container = now[n->access[i].container];
		}
	n->access_count = kept;
	for (int i = 0; i < ML_FLOW_OPS; i++)
		works |= n->ops[i] != 0;
	return had && !kept && !works;
}

static void drop_nodes(struct ml_flow *f, const bool *drop)
{
	size_t n = f->node_count + 1;
	uint32_t *now = ml_arena_alloc(&f->arena, n * sizeof(*now)), next = 0;

	for (uint32_t i = 0; i < f->node_count; i++)
		now[i] = drop[i] ? ML_FLOW_NONE : next++;
	for (uint32_t i = 0; i < f->node_count; i++) {
		struct ml_flow_node node = f->node[i];

		if (drop[i]) {
			ml_free(node.access);
			continue;
		}
		node.number = now[i];
		node.first = node.last = node.next = ML_FLOW_NONE;
		if (node.parent != ML_FLOW_NONE)
			node.parent = now[node.parent];
		f->node[now[i]] = node;
		if (node.parent == ML_FLOW_NONE)
			continue;
		struct ml_flow_node *p = &f->node[node.parent];
		if (p->last == ML_FLOW_NONE)
			p->first = now[i];
		else
			f->node[p->last].next = now[i];
		p->last = now[i];
	}
	f->node_count = next;
	for (uint32_t i = 0; i < f->container_count; i++)
		f->container[i].inside = now[f->container[i].inside];
}

void ml_c_finish(struct ml_c_reader *r)
{
	struct ml_flow *f = r->f;
	bool *drop = ml_arena_alloc(&f->arena, (f->node_count + 1) * sizeof(*drop));

	lose_rows(r);
	uint32_t *now = number_containers(f);
	for (uint32_t i = 0; i < f->node_count; i++)
		drop[i] = drop_accesses(&f->node[i], now);
	drop_containers(f, now);
	drop_nodes(f, drop);
}
