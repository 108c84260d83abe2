/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a superblock does to memory, found by one walk over its intermediate
 * code: the shape of record/ring.h, with what the instrumenter needs to know to
 * write the words of its bases.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

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
	uint64_t offset; /* from the base, or the address itself */
	UShort size, base;
	UChar kind;
	Bool maybe;
	Int statement;   /* of the superblock, that makes the access */
	IRExpr *address; /* an atom */
};

/*
 * An address as root + offset. Roots are numbers: of a temporary, of an integer
 * register at entry, or of an unknown value that a register got; ROOT_NONE is
 * no value at all, so the offset is the address.
 */
enum { ROOT_NONE = -1 };

struct value {
	Int root;
	uint64_t offset;
};

struct base {
	struct value value; /* root ROOT_NONE: not to be shared by other slots */
	Int statement;      /* before which its word must be written */
	IRExpr *address;
	IRExpr *guard; /* or NULL; the word is 0 when it is false */
	UChar reg;
	Int delta;
};

struct shape_exit {
	UShort slots, bases;
};

struct effect {
	UChar reg;
	UShort base;
	Int delta;
};

struct shape {
	Addr ip;
	enum ml_shape_end end;
	UInt slots, bases, exits, effects;
	UShort clobber;   /* mask of registers */
	UInt return_slot; /* index + 1 of the one that pushes the last return address */
	struct slot slot[SHAPE_SLOTS];
	struct base base[SHAPE_SLOTS];
	struct shape_exit exit[SHAPE_SLOTS];
	struct effect effect[SHAPE_REGS];
};

/* Reads a superblock, whose statements before `first` are not the program's. */
void shape_read(struct shape *shape, const IRSB *block, Int first, Bool fetch);

/* Are the steps of the shape that becomes number id told in brief (record/ring.h)? */
Bool shape_is_brief(const struct shape *shape, UInt id);

/* Writes the message that declares the shape as number id. */
void shape_declare(const struct shape *shape, UInt id);
