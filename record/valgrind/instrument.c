/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/instrument.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"

#include "record/valgrind/core.h"
#include "record/valgrind/out.h"
#include "record/valgrind/shape.h"

static struct {
	UInt shapes;        /* declared so far; the last has this number */
	struct shape shape; /* of the superblock at hand */
} self;

static IRExpr *constant(uint64_t value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign(IRSB *sb, IRType type, IRExpr *value)
{
	IRTemp tmp = newIRTemp(sb->tyenv, type);

	addStmtToIRSB(sb, IRStmt_WrTmp(tmp, value));
	return IRExpr_RdTmp(tmp);
}

static IRExpr *load(IRSB *sb, const uint64_t *from)
{
	return assign(sb, Ity_I64,
		      IRExpr_Load(Iend_LE, Ity_I64, constant((uint64_t)from)));
}

/* cur + 8 * word, as a value */
static IRExpr *at_word(IRSB *sb, IRExpr *cur, UInt word)
{
	if (word == 0)
		return cur;
	return assign(sb, Ity_I64, IRExpr_Binop(Iop_Add64, cur, constant(8 * word)));
}

/* Where the step is written to, after making sure of room for it. */
static IRExpr *begin_step(IRSB *sb)
{
	IRExpr *limit = load(sb, out_limit());
	IRExpr *cur = load(sb, out_cur());
	IRDirty *call = unsafeIRDirty_0_N(0, "out_full", VG_(fnptr_to_fnentry)(&out_full),
					  mkIRExprVec_0());

	call->guard = assign(sb, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, limit, cur));
	call->mFx = Ifx_Modify;
	call->mAddr = constant((uint64_t)out_cur());
	call->mSize = 8;
	addStmtToIRSB(sb, IRStmt_Dirty(call));
	return load(sb, out_cur());
}

static void write(IRSB *sb, IRExpr *cur, UInt word, IRExpr *value)
{
	addStmtToIRSB(sb, IRStmt_Store(Iend_LE, at_word(sb, cur, word), value));
}

/* The word of a base, which may be told within a header. */
static void write_base(IRSB *sb, IRExpr *cur, UInt word, const struct base *base,
		       uint64_t header)
{
	IRExpr *value = base->address;

	if (base->guard)
		value = assign(sb, Ity_I64, IRExpr_ITE(base->guard, value, constant(0)));
	if (header)
		value = assign(sb, Ity_I64,
			       IRExpr_Binop(Iop_Or64, value, constant(header)));
	write(sb, cur, word, value);
}

/* The first `words` words of the step count from here on. */
static void end_step(IRSB *sb, IRExpr *cur, UInt words)
{
	addStmtToIRSB(sb, IRStmt_Store(Iend_LE, constant((uint64_t)out_cur()),
				       at_word(sb, cur, words)));
}

/*
 * Valgrind's own libraries inside the program: what they do, the program does
 * not. (Without wrappers there is next to nothing of it, and totals are to be
 * those of lackey, which has no such exception.)
 */
Bool instrument_is_own(Addr code)
{
	const NSegment *segment = VG_(am_find_nsegment)(code);
	const HChar *path = segment ? VG_(am_get_filename)(segment) : NULL;

	return !(out_options() & ML_RING_OPT_NO_HEAP) && path &&
	       VG_(strncmp)(VG_(basename)(path), "vgpreload_", 10) == 0;
}

static Int first_instruction(const IRSB *block)
{
	Int i = 0;

	while (i < block->stmts_used && block->stmts[i]->tag != Ist_IMark)
		i++;
	return i;
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *host,
		 IRType guest_word, IRType host_word)
{
	const struct shape *shape = &self.shape;
	Int first = first_instruction(block);
	UInt words = 0, bases = 0, counted = 0; /* written, and words included in cur */
	Bool brief;
	IRExpr *cur;
	IRSB *sb;

	tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
	if (out_is_off() || instrument_is_own(extents->base[0]))
		return block;
	shape_read(&self.shape, block, first, (out_options() & ML_RING_OPT_FETCH) != 0);
	if (shape->slots == 0)
		return block;
	tl_assert(1 + shape->bases < ML_RING_MARGIN);
	shape_declare(shape, ++self.shapes);
	brief = shape_is_brief(shape, self.shapes);

	sb = deepCopyIRSBExceptStmts(block);
	for (Int i = 0; i < first; i++)
		addStmtToIRSB(sb, block->stmts[i]);
	cur = begin_step(sb);
	for (Int i = first; i < block->stmts_used; i++) {
		if (!brief && i == shape->slot[0].statement)
			write(sb, cur, words++,
			      constant(ML_WORD(ML_WORD_STEP, 0, self.shapes)));
		for (; bases < shape->bases && shape->base[bases].statement == i; bases++)
			write_base(sb, cur, words++, &shape->base[bases],
				   brief && bases == 0 ? ML_WORD_BRIEF(self.shapes) : 0);
		if (block->stmts[i]->tag == Ist_Exit && words > counted) {
			end_step(sb, cur, words);
			counted = words;
		}
		addStmtToIRSB(sb, block->stmts[i]);
	}
	tl_assert(bases == shape->bases && words == bases + !brief);
	if (words > counted)
		end_step(sb, cur, words);
	return sb;
}

void instrument_again(void)
{
	VG_(discard_translations)(0, ~0ULL, "memlamp");
}

void instrument_restart(void)
{
	self.shapes = 0;
	instrument_again();
}
