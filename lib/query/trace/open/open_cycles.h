/*
 * The cycles of an open trace. Finding them takes seconds, looking at them takes many
 * requests: the last few results are kept, by what was asked for. Requests about the
 * cycles of one trace wait for each other.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/trace_windows.h"
#include "lib/base/err.h"

struct ml_request;
struct ml_trace;

enum { ML_OPEN_CYCLES = 3 };

struct ml_open_cycles {
	char *key; /* what was asked for */
	struct ml_trace_windows windows;
	struct ml_cycles cycles;
	uint64_t used; /* when, as a count of requests */
};

struct ml_open_cycles_cache {
	pthread_mutex_t lock;
	struct ml_open_cycles *kept[ML_OPEN_CYCLES];
	uint64_t requests;
};

void ml_open_cycles_init(struct ml_open_cycles_cache *c);
void ml_open_cycles_release(struct ml_open_cycles_cache *c);

/*
 * The cycles that a request asks for by window, by, after, before, every, thread, region
 * and func, found now if they are not kept; NULL with a sentence. The borrower gives them
 * back before its request ends. The trace has loaded its blocks.
 */
struct ml_open_cycles *ml_open_cycles_take(struct ml_open_cycles_cache *c,
					   struct ml_trace *t, const struct ml_request *q,
					   struct ml_err *err);
void ml_open_cycles_give(struct ml_open_cycles_cache *c);
