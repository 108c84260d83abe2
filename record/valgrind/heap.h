/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports heap blocks and the call stacks that allocate them. The wrappers in preload.c
 * run inside the program and send these client requests:
 */
#pragma once

enum heap_request {
	/* 'M' 'L' as in include/memlamp.h, from 256 on */
	HEAP_ALLOC = 0x4d4c0100, /* address, bytes */
	HEAP_FREE,               /* address, before the block is freed */
	/*
	 * Around an allocator that calls other allocators, whose requests are then
	 * ignored, or that reads or writes the new block. The argument of HEAP_BEGIN is
	 * the block that the new one replaces. HEAP_END with address 0: there is no new
	 * block; the old one stays unless bytes is 0 too.
	 */
	HEAP_BEGIN, /* address or 0 */
	HEAP_END,   /* address, bytes */
};

#ifndef HEAP_REQUESTS_ONLY /* preload.c is not part of the tool */

#include "pub_tool_basics.h"

void heap_init(void);
Bool heap_request(ThreadId tid, const UWord *args); /* False: not a request of the heap */
void heap_mapped(ThreadId tid, Addr at,
		 SizeT size); /* the program itself mapped memory */
void heap_fork(void);         /* in the child */

#endif
