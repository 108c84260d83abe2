/* Routes about single references: what they are, what moves, what caches hold. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_refs, ml_ask_moves, ml_ask_state;
