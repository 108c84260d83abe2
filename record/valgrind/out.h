/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer's end of the ring (record/ring.h). Generated code writes steps itself, at
 * the address that out_cur() points to. The rest of the tool writes messages by
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
 * Claims a slot of the ring at path. Without a path all words are discarded, to measure
 * the instrumentation alone. False: the ring cannot be used, and a message was printed.
 */
Bool out_open(const HChar *path);

/*
 * out_before_fork makes the companion publish its state for the child. In the child,
 * out_fork replaces the parent's slot by a new one, mapped at the same address, because
 * generated code contains that address. out_inherit, called behind the messages of the
 * mappings, makes the companion continue with the published state.
 */
void out_before_fork(void);
void out_fork(void);
void out_inherit(void);

/* Closes the slot behind its last words: the companion may finish the trace. */
void out_close(void);

/*
 * The recording of this process has ended: the companion died, accepts no more words, or
 * had no free slot. Messages are discarded; the tool need not instrument.
 */
Bool out_is_off(void);

/* Checks for a stop request; called now and then, outside of generated code. */
void out_poll(void);

UInt out_options(void); /* ML_RING_OPT_* */

/* Writes a header and returns where the caller writes the count words of payload. */
uint64_t *out_begin(enum ml_word type, UInt argument, UInt count);
void out_end(const uint64_t *end);

UInt out_text_words(const HChar *text);
uint64_t *out_text(uint64_t *at, const HChar *text); /* returns the word behind it */

/* For generated code: a step may begin while *out_cur() <= *out_limit(); otherwise
 * out_full makes room first. */
uint64_t *out_cur(void);
uint64_t *out_limit(void);
void out_full(void);
