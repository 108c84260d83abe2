/*
 * Writes messages of record/ring.h into a buffer. The ring reader of a forked child gets
 * the state of the parent in the same messages that a producer would send.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/ring.h"

struct ml_buf;

/* Appends a header, `count` words of payload, and a text unless it is NULL. */
void ml_ring_message_put(struct ml_buf *words, enum ml_word type, uint32_t argument,
			 const uint64_t *payload, size_t count, const char *text);
