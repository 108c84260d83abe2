/*
 * The flow of control of the recorded program: superblocks, and which of them the paths
 * of shapes are. A recording by Valgrind knows it; traces of other origin have none.
 *
 * A superblock is a piece of code with one entry and several exits. It need not lie in
 * one stretch of memory, because Valgrind follows jumps and calls that it knows. It is a
 * list of branches: between two of them its instructions lie one behind the other. The
 * slots of its shape belong to its references; the exit by which a step left it follows
 * from the slots of the step, unless branches lie between two slots.
 *
 * A shape is one superblock, or a list of paths (its parts) that were joined; path number
 * k of such a shape has the first k + 1 parts.
 * Held by tests/trace/test_control.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/map.h"
#include "lib/trace/shape.h"

enum {
	ML_CONTROL_BRANCHES_MAX = 1024,
	ML_CONTROL_BYTES_MAX = 4096 /* from one branch of a superblock to the next */
};

enum ml_control_kind {
	ML_CONTROL_FALL,   /* no branch: the superblock ends here, the code goes on */
	ML_CONTROL_IF,     /* leaves for the target or goes on */
	ML_CONTROL_JUMP,   /* target 0: indirect */
	ML_CONTROL_CALL,   /* the same */
	ML_CONTROL_RETURN, /* target 0 */
	ML_CONTROL_KINDS
};

struct ml_control_branch {
	uint64_t at, target;   /* target 0: not known */
	uint32_t instructions; /* of the superblock so far, this one included */
	uint16_t slots;        /* before the superblock is left here */
	uint8_t length;        /* bytes of the instruction */
	uint8_t kind;
};

struct ml_control_superblock {
	uint64_t entry;
	uint16_t slots, branches; /* at least one branch; the last one ends it */
	const struct ml_control_branch *branch;
	const uint32_t *before; /* instructions before that of each slot */
};

/* What a shape is: a superblock, or parts that were joined, or not known. */
struct ml_control_shape {
	uint32_t superblock; /* its number + 1; 0: none */
	uint16_t parts;
	const uint32_t *part; /* paths; those of shapes before this one */
};

struct ml_control {
	struct ml_control_superblock *at;
	size_t count, cap, put;
	struct ml_control_shape *shape; /* by number of the shape */
	size_t shapes, shape_cap, shapes_put;
	struct ml_map known; /* superblocks by hash */
	struct ml_arena arena;
};

void ml_control_release(struct ml_control *c);
/* Copies a superblock, unless an equal one is there; returns its number. */
uint32_t ml_control_add(struct ml_control *c, const struct ml_control_superblock *s);
/* Says what a shape is. */
void ml_control_is(struct ml_control *c, uint32_t shape, uint32_t superblock);
/* Nothing is said of it if a part is not known. */
void ml_control_joins(struct ml_control *c, const struct ml_shapes *shapes,
		      uint32_t shape, const uint32_t *part, size_t parts);
/* What the shape is; zeros if that is not known. */
struct ml_control_shape ml_control_of(const struct ml_control *c, uint32_t shape);
/* The superblock that a path is a run of, or NULL: the path is joined or not known. */
const struct ml_control_superblock *ml_control_of_path(const struct ml_control *c,
						       const struct ml_shapes *shapes,
						       uint32_t path);
/* Where the instructions behind a branch begin if the superblock goes on. */
uint64_t ml_control_behind(const struct ml_control_branch *b);

/* Is there anything that was not serialised, of the first `shapes` shapes? */
bool ml_control_pending(const struct ml_control *c, size_t shapes);
/* Appends it. */
void ml_control_put(struct ml_control *c, size_t shapes, struct ml_buf *out);
bool ml_control_get(struct ml_control *c, const struct ml_shapes *shapes,
		    struct ml_bytes *in, struct ml_err *err);
