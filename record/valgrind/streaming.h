/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streaming (non-temporal) stores. Valgrind's intermediate code does not tell them from
 * others; the bytes of the instruction do.
 */
#pragma once

#include "pub_tool_basics.h"

/* Does the instruction store past the caches: movnti, movnt*, maskmov* and VEX forms? */
Bool streaming_is(const UChar *code, UInt length);
