/* The route about all documents: what is open, and what machines are made of. */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_open;
