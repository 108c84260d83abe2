/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds to each superblock the code that writes its step: a header word and the
 * value of each base, by inline stores; no call unless a segment is full.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

IRSB *instrument(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *host,
		 IRType guest_word, IRType host_word);

/* Is it code of Valgrind's own libraries inside the program, which is left out? */
Bool instrument_is_own(Addr code);

/* Forgets all generated code; what is needed is generated anew. */
void instrument_again(void);
/* The same, and all shapes are forgotten: numbers start anew. */
void instrument_restart(void);
