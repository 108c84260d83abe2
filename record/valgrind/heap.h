/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports heap blocks and the call stacks that allocate them. The wrappers in
 * preload.c run inside the program and tell by client requests:
 */
#pragma once

enum heap_request {
	/* 'M' 'L' as in include/memlamp.h, from 256 on */
	HEAP_ALLOC = 0x4d4c0100, /* address, bytes */
	HEAP_FREE,               /* address, before it is really freed */
	/*
	 * Around an allocator that may call others, whose requests are then ignored, or
	 * that does something to the block that it makes. The argument of HEAP_BEGIN is
	 * the block that the new one replaces. HEAP_END with address 0: it failed, and
	 * the old one stays unless bytes is 0 too.
	 */
	HEAP_BEGIN, /* address or 0 */
	HEAP_END,   /* address, bytes */
};

#ifndef HEAP_REQUESTS_ONLY /* preload.c is not part of the tool */

#include "pub_tool_basics.h"

void heap_init(void);
Bool heap_request(ThreadId tid, const UWord *args); /* False: it is none of the above */
void heap_mapped(ThreadId tid, Addr at,
		 SizeT size); /* the program mapped memory itself */
void heap_fork(void);         /* in the child */

#endif
