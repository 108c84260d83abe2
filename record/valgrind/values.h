/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest and the largest values that each instruction stores, with
 * ML_RING_OPT_VALUES. A store of several elements at once counts as elements of 2, 4 and
 * 8 bytes: the analysis knows which of these they are.
 */
#pragma once

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

void values_init(void);
/* Adds code that notes what a statement of the instruction at ip stores. */
void values_instrument(IRSB *sb, const IRStmt *statement, Addr ip);
/* Reports everything; called once, before the slot is closed. */
void values_report(void);
