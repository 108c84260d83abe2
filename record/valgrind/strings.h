/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * String instructions that repeat: rep movs and rep stos. Valgrind executes them element
 * by element, one superblock an iteration. Processors move up to a line at a time. So the
 * tool reports them in pieces of up to STRINGS_PIECE bytes, the vectors that glibc stores
 * under Valgrind, up to a multiple of STRINGS_PIECE in the destination. It reports single
 * elements where that is all that a processor can do: with the direction flag set, and
 * where a copy reads what it has just written.
 *
 * A piece is reported before its first element is moved. If a thread is interrupted
 * within a piece and another one runs the same instruction meanwhile, the rest of the
 * piece is reported again.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

enum { STRINGS_PIECE = 32 };

void strings_init(void);

/*
 * The statement from which on the superblock has nothing but iterations of string
 * instructions; the end of the superblock if it has none.
 */
Int strings_begin(const IRSB *block, Int first);

/* Adds to sb the code that reports pieces, if it must run before statement i of block. */
void strings_instrument(IRSB *sb, const IRSB *block, Int i);

/* The shapes declared so far are void: their numbers start again. */
void strings_restart(void);
