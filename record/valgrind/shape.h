/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The references of a superblock, found by one walk over its intermediate code: the shape
 * of record/ring.h, with the expressions from which the instrumenter writes its bases.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "libvex_guest_amd64.h"

#include "record/ring.h"

enum {
	SHAPE_SLOTS = ML_RING_MARGIN / 2, /* a superblock has at most 100 instructions */
	SHAPE_NO_BASE = 0xffff,
	SHAPE_NO_REG = 0xff,
	SHAPE_REGS = 16,
};

enum slot_kind { SLOT_READ, SLOT_WRITE, SLOT_FETCH };

struct slot {
	Addr ip;
	uint64_t offset; /* from the base, or the address itself; */
	Int times_d;     /* plus this factor times D, see struct value */
	UShort size, base;
	UChar kind;
	Bool maybe;
	Bool call;       /* a call instruction pushes its return address */
	Bool streaming;  /* a store past the caches */
	Int statement;   /* index of the statement that makes the access */
	IRExpr *address; /* an atom */
};

/*
 * An address as root + offset + times_d * D. A root is the number of a value that is not
 * known: of a temporary, of an integer register at entry, or of a new value that a
 * register got. With ROOT_NONE the address has no unknown part but D. D is the direction
 * of string instructions when the superblock is entered: 1, or -1 while the direction
 * flag of the program is set.
 */
enum { ROOT_NONE = -1 };

struct value {
	Int root;
	uint64_t offset;
	Int times_d;
};

struct base {
	struct value value; /* root ROOT_NONE: other slots must not share it */
	Int statement;      /* its word must be written before this one */
	IRExpr *address;
	IRExpr *guard; /* or NULL; the word is 0 when it is false */
	UChar reg;     /* whose value at entry the root is, or SHAPE_NO_REG */
};

struct shape_exit {
	UShort slots, bases;
	Int statement; /* index of the exit, or behind the last statement */
};

struct effect {
	UChar reg;
	UShort base;
	Int delta, times_d;
};

/*
 * The number of words in a step tells how far the superblock came. Where two exits have
 * the same number of words, the code behind the first exit overwrites the header by the
 * number of another shape. These shapes are the stages of the superblock; most
 * superblocks have one.
 */
struct stage {
	UInt first, end; /* its exits; the last one is the end of this shape */
};

struct shape {
	Addr ip;
	enum ml_shape_end end;
	UInt slots, bases, exits, effects,
		stages; /* the last exit is the end of the superblock */
	Bool uses_d;    /* some offset depends on D: each direction has its own shapes */
	UShort clobber; /* mask of registers with unknown new values */
	struct slot slot[SHAPE_SLOTS];
	struct base base[SHAPE_SLOTS];
	struct shape_exit exit[SHAPE_SLOTS];
	struct stage stage[SHAPE_SLOTS];
	struct effect effect[SHAPE_REGS];
};

/*
 * Reads a superblock; statements before `first` belong to Valgrind. References from
 * statement `end` on are no part of the shape: strings.h reports them.
 */
void shape_read(struct shape *shape, const IRSB *block, Int first, Int end, Bool fetch);

/* Offset of the direction in Valgrind's guest state. */
static inline Int shape_direction(void)
{
	return (Int)offsetof(VexGuestAMD64State, guest_DFLAG);
}

/* Numbers of shapes start at 1. The first of `count` new ones; and all over again. */
UInt shape_take_numbers(UInt count);
void shape_restart_numbers(void);

/* How many numbers it needs: one for each stage, twice if it uses D. */
static inline UInt shape_numbers(const struct shape *shape)
{
	return shape->stages * (shape->uses_d ? 2 : 1);
}

/* The number of a stage; `first` is the number of stage 0. */
static inline UInt shape_number(const struct shape *shape, UInt first, UInt stage,
				Bool backwards)
{
	return first + stage + (backwards ? shape->stages : 0);
}

/* Are its steps brief (record/ring.h), if its numbers begin with `first`? */
Bool shape_is_brief(const struct shape *shape, UInt first);

/* Writes the messages that declare its shapes. */
void shape_declare(const struct shape *shape, UInt first);
