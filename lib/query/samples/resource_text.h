/*
 * Samples of a resource of the hardware as a selection. In the text of a selection
 *
 *	resource = "L3 #0"
 *
 * stands for the samples that concern this resource (loads.h): it is replaced by
 * conditions on the columns of CPU and level before the text is read.
 */
#pragma once

#include <stdbool.h>

struct ml_arena;
struct ml_err;
struct ml_samples;

/* The text with such conditions replaced, in the arena, or the text itself. NULL with a
 * sentence: there is no such resource, or the hardware is unknown. */
const char *ml_resource_expand(const char *text, const struct ml_samples *s,
			       struct ml_arena *a, struct ml_err *err);
