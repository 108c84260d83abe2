/*
 * The open phases and the states (include/memlamp.h) of the threads of a recorded
 * process. A forked child continues with those of the thread that forked.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"
#include "lib/trace/tables.h"

struct ml_buf;

struct ml_guest_phases {
	struct ml_guest_phase {
		uint32_t thread, name;
	} * open; /* in order of their begin */
	size_t open_count, open_cap;
	struct ml_guest_state {
		uint32_t thread, name;
		int64_t value;
	} * states; /* the latest value of each */
	size_t state_count, state_cap;
	struct ml_map places; /* index + 1 in states, by thread << 32 | name */
};

void ml_guest_phases_release(struct ml_guest_phases *p);
void ml_guest_phases_mark(struct ml_guest_phases *p, uint32_t thread, uint32_t name,
			  enum ml_mark_kind kind);
void ml_guest_phases_state(struct ml_guest_phases *p, uint32_t thread, uint32_t name,
			   int64_t value);
/* Appends messages of ring.h that recreate the phases and states of one thread. */
void ml_guest_phases_report(const struct ml_guest_phases *p, uint32_t thread,
			    const struct ml_tables *tables, struct ml_buf *out);
