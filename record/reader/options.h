/*
 * The options of a recording.
 * Held by tests/program/test_options.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_record_options {
	uint64_t skip;       /* references left out at the start */
	uint64_t limit;      /* maximum of references kept; 0: all */
	uint64_t keep, of;   /* keep the first `keep` of every `of`; 0: all */
	const char *only_in; /* record while this function is on the stack */
	const char *from_mark, *to_mark;
	uint32_t period; /* record only one access of so many, and time it; 0: record all;
			    only programs built by `memlamp cc` can do that */
	bool no_stack;   /* leave out references to stacks */
	bool no_spin;    /* leave out loops in which threads wait */
	bool no_heap;    /* do not follow allocations */
	bool no_source;  /* do not keep the source text */
	bool values; /* keep the range of the values that each site stores; Valgrind */
	bool fetch;  /* record instruction fetches too */
	bool split_strings; /* record each element of repeated string instructions */
};
