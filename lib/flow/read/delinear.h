/*
 * Finds the dimensions behind one subscript: a[i*n + k] becomes a[i][k] with rows of n
 * elements, for containers whose every subscript is a polynomial. Places stay what they
 * are; only their description changes.
 */
#pragma once

struct ml_flow;

void ml_delinear(struct ml_flow *f);
