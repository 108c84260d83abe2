/* What the routes about cycles share. Private to route_cycles*.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/query/trace/tables/cycle_tables.h"

struct ml_open_cycles;
struct ml_open_trace;
struct ml_request;
struct ml_workspace;

/* A request about cycles, while they are borrowed. */
struct cycles_request {
	struct ml_open_trace *trace;
	struct ml_open_cycles *cycles;
	struct ml_cycle_view view;
	const struct ml_cycle *cycle; /* that is meant by basis and class */
	uint64_t first, end;          /* moments from `from` to `to` */
};

/* Borrows the cycles; with_class: and finds the one that is meant, and the window. */
bool cycles_request_begin(struct cycles_request *x, struct ml_workspace *ws,
			  const struct ml_request *q, bool with_class,
			  struct ml_err *err);
/* Gives them back. */
void cycles_request_end(struct cycles_request *x);

/* A number with its uses, for sorting: the most used first. */
struct cycles_use {
	uint64_t uses;
	uint32_t name;
};

int cycles_most_used(const void *x, const void *y);
