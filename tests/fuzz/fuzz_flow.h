/* What the fuzz targets of flows share: a program that was read is counted, simulated at
 * small sizes, and changed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/flow/count/count.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/flow/read/open.h"
#include "lib/flow/run/span.h"

/* The first two loops, one inside the other, in the other order and tiled. */
static inline void fuzz_change(struct ml_flow *f, struct ml_experiment *x,
			       struct ml_arena *a)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i], *up;

		if (n->kind != ML_FLOW_FOR || n->parent == ML_FLOW_NONE)
			continue;
		up = &f->node[n->parent];
		if (up->kind != ML_FLOW_FOR)
			continue;
		x->tile = ml_arena_printf(a, "%s=2", f->names[n->symbol]);
		x->order = ml_arena_printf(a, "%s,%s", f->names[n->symbol],
					   f->names[up->symbol]);
		return;
	}
}

static inline void fuzz_flow(const char *path, const uint8_t *data, size_t size)
{
	struct ml_arena a = { 0 };
	struct ml_flow_counts counts;
	struct ml_flow_span span;
	struct ml_err err;
	char *text = ml_arena_copy(&a, data, size);
	struct ml_flow *f = ml_flow_open_text(path, text, size, NULL, &err);

	if (f) {
		const char *set = "";

		ml_flow_counts_make(&counts, f);
		ml_flow_span_make(&span, f, &counts);
		for (size_t i = 0; i < f->symbol_count && i < 200; i++)
			if (f->symbol[i].kind <= ML_FLOW_TRIPS)
				set = ml_arena_printf(&a, "%s%s%s=%zu", set,
						      *set ? "," : "", f->names[i],
						      3 + i % 3);
		for (int changed = 0; changed < 2; changed++) {
			struct ml_experiment x = { .set = set,
						   .machine = "L1 1K 2w | L2 4K 4w",
						   .threshold = 10,
						   .max = 20000 };

			if (changed)
				fuzz_change(f, &x, &a);
			if (!changed || x.tile)
				ml_experiment_run(&x, f, &err);
			ml_experiment_release(&x);
		}
		ml_flow_span_release(&span);
		ml_flow_counts_release(&counts);
		ml_flow_close(f);
	}
	ml_arena_release(&a);
}
