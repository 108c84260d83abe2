/*
 * What a program that tells its references itself (`memlamp cc`) leaves untold, as a
 * sentence for the trace: which of the files whose code it runs have no hooks.
 */
#pragma once

struct ml_arena;
struct ml_objects;

/* It lives in a. */
const char *ml_uninstrumented(const struct ml_objects *objects, struct ml_arena *a);
