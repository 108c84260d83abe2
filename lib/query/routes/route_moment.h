/* Routes about one reference in words, one datum, and what is selected. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_at, ml_ask_datum, ml_ask_select;
