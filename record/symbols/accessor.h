/*
 * Accessors: inlined functions of one or two statements without a loop, as gsl_matrix_get
 * or Domain::x. Their lines say nothing about what the program does there, so what they
 * touch counts for the line that calls them. A function is one if it is declared in a
 * header, or if several lines of its unit call it, and if its source can be read.
 * Held by tests/record/test_accessor.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_frame;
struct ml_object;
struct ml_objects;

/*
 * How many of the innermost frames at vaddr are those of accessors, or of code of the
 * system that accessors are made of; less than count. The frames are those of
 * ml_code_frames.
 */
uint32_t ml_accessor_frames(struct ml_objects *o, struct ml_object *b, uint64_t vaddr,
			    const struct ml_frame *frames, uint32_t count);

/* Is the text of a function, from its declaration on, that of an accessor? Comments,
 * strings and lines of the preprocessor must be blanked. */
bool ml_accessor_is_short(const char *text, size_t size);
