/*
 * What the trace of a program built by `memlamp cc` lacks, as a sentence for the trace:
 * which of the program's files were not built by `memlamp cc`.
 */
#pragma once

struct ml_arena;
struct ml_objects;

/* The sentence lives in a. */
const char *ml_uninstrumented(const struct ml_objects *objects, struct ml_arena *a);
