/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer's end of the ring (record/ring.h): where the words go. Generated
 * code writes steps itself, at the address that out_cur() points to; all else
 * of the tool writes messages by
 *
 *	uint64_t *w = out_begin(ML_WORD_UNMAP, 0, 2);
 *	w[0] = low;
 *	w[1] = high;
 *	out_end(w + 2);
 *
 * A Valgrind tool has one instance and its callbacks carry no context, so each
 * source file here keeps its state in one static struct.
 */
#pragma once

#include "pub_tool_basics.h"

#include "record/ring.h"

/*
 * Takes a slot of the ring at path; NULL means that all words are thrown away
 * (to measure instrumentation alone). False after printing why the ring cannot
 * be used.
 */
Bool out_open(const HChar *path);

/*
 * Before a fork: the companion shall keep for the child what it knows now. In the
 * child, out_fork leaves the parent's slot and takes a new one, mapped at the same
 * address, because generated code contains it; out_inherit asks for what was kept,
 * once the mappings are told.
 */
void out_before_fork(void);
void out_fork(void);
void out_inherit(void);

/* The last words were written: the companion may finish this slot's trace. */
void out_close(void);

/*
 * Nothing will be recorded any more: the companion died, wants no more, or had
 * no slot. Messages are dropped; the tool need not instrument.
 */
Bool out_is_off(void);

/* Notices a stop request; called now and then, outside of generated code. */
void out_poll(void);

UInt out_options(void); /* ML_RING_OPT_* */

/* Room for a header, which it writes, and count words, which the caller writes. */
uint64_t *out_begin(enum ml_word type, UInt argument, UInt count);
void out_end(const uint64_t *end);

UInt out_text_words(const HChar *text);
uint64_t *out_text(uint64_t *at, const HChar *text); /* returns the word behind it */

/* For generated code: a step may begin while *out_cur() <= *out_limit(). */
uint64_t *out_cur(void);
uint64_t *out_limit(void);
void out_full(void); /* otherwise this makes room first */
