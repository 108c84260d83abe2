/* Routes that draw memory: a region in cells, a region against time, the address space.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_ask_cells, ml_ask_plane, ml_ask_space;
