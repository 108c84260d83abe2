/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flow of control of a superblock: its instructions and where they branch to. It is
 * declared once (ML_WORD_CODE of record/ring.h); its steps tell nothing about it.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "record/ring.h"
#include "record/valgrind/shape.h"

enum { CODE_BRANCHES = 256 }; /* a superblock has at most 100 instructions */

struct branch {
	Addr at;
	uint64_t target;    /* 0: not known */
	UInt instructions;  /* up to this one, itself included */
	UShort slots;       /* before it is left here */
	UChar length, kind; /* enum ml_branch */
};

struct code {
	Addr ip;
	UInt slots, branches;
	struct branch branch[CODE_BRANCHES]; /* the last one ends the superblock */
	UShort before[SHAPE_SLOTS];          /* instructions before that of each slot */
};

/* Reads a superblock, from statement `first` on, whose references are those of shape. */
void code_read(struct code *code, const IRSB *block, Int first,
	       const struct shape *shape);

/* Writes the message for shapes `number` to `number` + `count` - 1. */
void code_declare(const struct code *code, UInt number, UInt count);
