/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves the client requests of include/memlamp.h and of our wrappers (heap.h). */
#pragma once

#include "pub_tool_basics.h"

Bool requests_handle(ThreadId tid, UWord *args, UWord *result);
