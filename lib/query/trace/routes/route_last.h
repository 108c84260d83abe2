/*
 * The result of the last access to each part of some regions, of the whole run up to a
 * moment: what the outer ring of the page shows. Walking over the run for every request
 * would take seconds. So the route keeps what it found at some moments, attached to the
 * simulation, and a request goes on from the last of these moments before its own.
 * Held by tests/query/test_route_last.c.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_last;
