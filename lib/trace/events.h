/*
 * Allocation events as the file stores them: heap blocks that are allocated and freed,
 * and regions that the program registers and unregisters. The payload of an EVENTS block
 * is a sequence of events, each encoded as the difference from the one before.
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
	struct ml_event last; /* written; zeros at the start of a block */
};

void ml_events_put(struct ml_events_put *out, const struct ml_event *event);
/* Replaces *event, which the caller starts with zeros, by the next one. False when the
 * bytes end early. */
bool ml_events_get(struct ml_bytes *in, struct ml_event *event);
