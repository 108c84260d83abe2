/*
 * Blocks of memory that come and go, as they are written: allocation and
 * release of heap blocks, and the same for regions that the program registers.
 * One EVENTS payload is a row of events, each coded against the one before.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"

enum ml_event_kind {
	ML_EVENT_ALLOC,
	ML_EVENT_FREE,
	ML_EVENT_REGISTER,
	ML_EVENT_UNREGISTER
};

struct ml_event {
	enum ml_event_kind kind;
	uint16_t thread;
	uint32_t region; /* ALLOC and REGISTER */
	uint64_t time, addr, size;
};

struct ml_events_put {
	struct ml_buf bytes;
	struct ml_event last;
};

void ml_events_put(struct ml_events_put *out, const struct ml_event *event);
/* Reads the event behind *event, which starts as zeros. False when the bytes end early.
 */
bool ml_events_get(struct ml_bytes *in, struct ml_event *event);
