/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves the requests of include/memlamp.h, and those of our own wrappers. */
#pragma once

#include "pub_tool_basics.h"

void requests_init(void);
Bool requests_handle(ThreadId tid, UWord *args, UWord *result);
void requests_fork(void); /* reports the regions to a child's new slot */
