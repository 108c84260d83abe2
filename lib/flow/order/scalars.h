/*
 * Scalars that every iteration of a loop has its own: those declared inside it, and those
 * that it writes before it reads them. Such scalars carry nothing from one iteration to
 * the next.
 */
#pragma once

#include <stdint.h>

struct ml_flow;

/* The innermost loop (a node) that a scalar is private to; it is private to the loops
 * around that one, too. ML_FLOW_NONE: to none. */
uint32_t ml_scalar_private(const struct ml_flow *f, uint32_t container);
