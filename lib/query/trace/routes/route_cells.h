/* Routes that draw memory: a region in cells, a region against time, the address space.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_cells, ml_route_plane, ml_route_space;
