/*
 * Keeps answers that took long to compute, for routes whose answers last (struct
 * ml_route). The total size is bounded; the answers that were unused for longest go
 * first.
 * Held by tests/serve/test_answer_cache.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"

struct ml_buf;

struct answer_cache {
	pthread_mutex_t lock;
	struct kept_answer *list; /* the one used last first */
	size_t bytes;
};

void answer_cache_init(struct answer_cache *a);
void answer_cache_release(struct answer_cache *a);

/* Appends the answer to the question to out; false: it is not kept. */
bool answer_cache_find(struct answer_cache *a, const struct ml_request *q,
		       enum ml_answer_kind *kind, struct ml_buf *out);
void answer_cache_keep(struct answer_cache *a, const struct ml_request *q,
		       enum ml_answer_kind kind, const struct ml_buf *answer);
