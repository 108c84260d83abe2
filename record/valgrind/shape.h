/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a superblock does to memory, found by one walk over its intermediate
 * code: the shape of record/ring.h, with what the instrumenter needs to know to
 * write the words of its bases.
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
	uint64_t offset; /* from the base, or the address itself, */
	Int directed;    /* with so much more, as of a value */
	UShort size, base;
	UChar kind;
	Bool maybe;
	Int statement;   /* of the superblock, that makes the access */
	IRExpr *address; /* an atom */
};

/*
 * An address as root + offset + directed * D. Roots are numbers: of a temporary, of an
 * integer register at entry, or of an unknown value that a register got; ROOT_NONE is no
 * value at all. D is the direction in which string instructions go when the superblock
 * is entered: 1, or -1 while the program has the direction flag set.
 */
enum { ROOT_NONE = -1 };

struct value {
	Int root;
	uint64_t offset;
	Int directed;
};

struct base {
	struct value value; /* root ROOT_NONE: not to be shared by other slots */
	Int statement;      /* before which its word must be written */
	IRExpr *address;
	IRExpr *guard; /* or NULL; the word is 0 when it is false */
	UChar reg;     /* value is that of the register at entry, but for its root */
};

struct shape_exit {
	UShort slots, bases;
	Int statement; /* that leaves it, or behind the last */
};

struct effect {
	UChar reg;
	UShort base;
	Int delta, directed;
};

/*
 * How far a superblock came is told by the number of words. Where it came further without
 * another word, it is told as another shape from there on: the header is written anew.
 * These are its stages, each a shape of its own number; most superblocks have just one.
 */
struct stage {
	UInt first, end; /* exits that it can be left by: behind the last it is whole */
};

struct shape {
	Addr ip;
	enum ml_shape_end end;
	UInt slots, bases, exits, effects, stages; /* the last exit is the end */
	Bool directed;    /* it is another shape in the other direction */
	UShort clobber;   /* mask of registers */
	UInt return_slot; /* index + 1 of the one that pushes the last return address */
	struct slot slot[SHAPE_SLOTS];
	struct base base[SHAPE_SLOTS];
	struct shape_exit exit[SHAPE_SLOTS];
	struct stage stage[SHAPE_SLOTS];
	struct effect effect[SHAPE_REGS];
};

/* Reads a superblock, whose statements before `first` are not the program's. */
void shape_read(struct shape *shape, const IRSB *block, Int first, Bool fetch);

/* Where the state of the guest has the direction. */
static inline Int shape_direction(void)
{
	return (Int)offsetof(VexGuestAMD64State, guest_DFLAG);
}

/* Numbers that it takes: one for each stage, in each direction that matters. */
static inline UInt shape_numbers(const struct shape *shape)
{
	return shape->stages * (shape->directed ? 2 : 1);
}

/* The number of a stage; first is that of stage 0. */
static inline UInt shape_number(const struct shape *shape, UInt first, UInt stage,
				Bool backwards)
{
	return first + stage + (backwards ? shape->stages : 0);
}

/* Are its steps told in brief (record/ring.h), if these are its numbers? */
Bool shape_is_brief(const struct shape *shape, UInt first);

/* Writes the messages that declare it. */
void shape_declare(const struct shape *shape, UInt first);
