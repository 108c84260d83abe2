/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves the requests of include/memlamp.h, and those of our own wrappers. */
#pragma once

#include "pub_tool_basics.h"

Bool requests_handle(ThreadId tid, UWord *args, UWord *result);
