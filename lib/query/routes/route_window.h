/* Routes about a window as a whole: who served, temperature, the event map. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_timeline, ml_ask_temperature, ml_ask_event_map;
