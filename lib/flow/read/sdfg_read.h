/*
 * Reads an .sdfg or .sdfgz of DaCe 0.13 to 2.0 as a flow. The dialect shows in the fields
 * that are there, never in the version.
 *
 * Order: blocks follow inter-state edges; nodes of a state run in topological order, the
 * lowest number first; a tasklet reads its connectors in the order in which its code
 * names them, then writes. A write with conflict resolution is a read, an addition and a
 * write. A copy reads and writes element by element. Library nodes access each element of
 * their memlets once, in an order that is assumed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_flow;

bool ml_sdfg_read(struct ml_flow *f, const char *text, size_t size, struct ml_err *err);
