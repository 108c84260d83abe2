/*
 * The calls of one statement in the order in which the program makes them. Compilers
 * copy a call when the code before it branches, so that allocate(a(n), b(n)) may have
 * three calls of malloc; their addresses do not tell which array each is for, but the
 * first execution does.
 * Held by tests/record/test_call_order.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"

/*
 * The number, from 0, of the call at ip among the calls of its statement that have been
 * asked for; the same call has the same number ever after. statement: any number that
 * identifies the statement within its function. The map belongs to this module.
 */
size_t ml_call_order_find(struct ml_map *calls, uint64_t statement, uint64_t ip);
