/*
 * The result of the last access to each part of some regions, of the whole run up to a
 * moment: what the outer ring of the page shows. To go over the run for every question
 * would take seconds; so what was found is kept at some moments (struct ml_lasts, one a
 * simulation), and a question goes on from the last of them before its own.
 */
#pragma once

#include "lib/query/workspace/request.h"

struct ml_lasts;

ml_route_fn ml_route_last;

void ml_lasts_close(struct ml_lasts *l); /* NULL is none */
