/*
 * The frames of an allocation stack that are code of the user, from the allocation
 * outwards, each with what its statement and DWARF say about the variable that receives
 * the block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/tables.h"
#include "record/source/statement.h"
#include "record/symbols/variable.h"

struct ml_object;
struct ml_objects;

struct ml_candidate {
	const struct ml_site *site;
	struct ml_frame frame;
	struct ml_statement statement;
	struct ml_variable variable;
	struct ml_variable holder; /* of statement.object, if held */
	bool held;
	struct ml_object *object; /* of site, or NULL */
	uint64_t vaddr;           /* of site in the object */
	uint32_t inlined;         /* which of the frames at vaddr it is, from 0 */
	bool known;               /* DWARF knows the variable */
	bool unread;              /* there is no source */
	bool unseen;              /* code without lines allocates and hands it over */
	bool passed;              /* the function hands the block to its caller */
	const char *library; /* function of a system library that it calls, or NULL */
	char bounds[ML_LVALUE_MAX]; /* of an array of Fortran, or empty */
};

struct ml_heap_frames {
	struct ml_objects *objects;
	const uint32_t *stack; /* sites, innermost first */
	size_t depth;
	size_t i; /* the next frame is frame k of stack[i] */
	uint32_t k;
	const char *callee; /* the function that it calls; empty at first */
};

/* Steps to the next frame; false: there is none. */
bool ml_heap_frames_next(struct ml_heap_frames *s, struct ml_candidate *c);

/* Is the function one of the standard library? */
bool ml_heap_frames_is_library(const char *func, const char *file);
/* Does the function's name say that it allocates? */
bool ml_heap_frames_is_wrapper(const char *func);

/*
 * Names a block that is a member of a container template by the variable that holds the
 * container. The frames continue behind that of best.
 */
void ml_heap_name_hold(struct ml_candidate *best, struct ml_heap_frames *frames);
