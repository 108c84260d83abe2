/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports the memory that system calls read or write on behalf of the program. */
#pragma once

#include "pub_tool_basics.h"

/* A system call is about to be made. */
void system_call(UInt number, const UWord *args);
