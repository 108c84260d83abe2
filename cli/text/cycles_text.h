/* Cycles for people, and as CSV. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;
struct ml_cycle;
struct ml_cycle_list;
struct ml_cycle_view;

struct cycles_wish {
	const char *name; /* of the file */
	const char *by;   /* what makes a symbol of a reference; NULL: no trace */
	bool reduced;     /* the list is the reduced one */
	uint64_t top;     /* lines of each class */
	uint64_t cells;   /* moments of a series */
};

void cycles_text(struct ml_cycle_view *v, const struct ml_cycle_list *l,
		 const struct cycles_wish *wish, struct ml_buf *out);
void cycles_csv(struct ml_cycle_view *v, const struct ml_cycle_list *l,
		const struct cycles_wish *wish, struct ml_buf *out);
/* One class over time. */
void cycles_series(struct ml_cycle_view *v, const struct ml_cycle *y,
		   const struct cycles_wish *wish, bool json, struct ml_buf *out);
