/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds to each superblock the code that writes its step: a header word and the value of
 * each base, by inline stores. It calls a function only when a segment is full.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

IRSB *instrument(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *host,
		 IRType guest_word, IRType host_word);

/* Is this code of a library that Valgrind loaded into the program? It is not recorded. */
Bool instrument_is_own(Addr code);

/* Discards all generated code; Valgrind generates it again as needed. */
void instrument_discard(void);
/* The same; numbers of shapes also start again at 1. */
void instrument_restart(void);
