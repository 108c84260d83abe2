/* Routes about a window as a whole: the serving levels, the temperature, the event
 * map. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_timeline, ml_route_temperature, ml_route_event_map;
