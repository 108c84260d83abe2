/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/instrument.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"

#include "record/valgrind/code.h"
#include "record/valgrind/core.h"
#include "record/valgrind/out.h"
#include "record/valgrind/shape.h"
#include "record/valgrind/strings.h"
#include "record/valgrind/values.h"

static struct {
	struct shape shape; /* of the present superblock */
	struct code code;
} self;

/* The words of a step, as far as the code that writes them has been added. */
struct step {
	const struct shape *shape;
	UInt number; /* of its first stage */
	Bool brief;
	IRSB *sb;
	IRExpr *cur;       /* address of its first word */
	IRExpr *first;     /* value of its first base, if it is brief */
	IRExpr *backwards; /* the direction flag; NULL: the shape does not use it */
	UInt words, bases, exits, stage;
	UInt counted; /* words that the stored cur includes */
};

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

/* Makes room for a step; returns the address of its first word. */
static IRExpr *make_room(IRSB *sb)
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

/* Declares the shape and makes room for a step of it. */
static struct step begin_step(IRSB *sb, const struct shape *shape)
{
	UInt number = shape_take_numbers(shape_numbers(shape));
	struct step s = { .shape = shape,
			  .number = number,
			  .brief = shape_is_brief(shape, number),
			  .sb = sb,
			  .cur = make_room(sb) };

	code_declare(&self.code, number, shape_numbers(shape));
	shape_declare(shape, number);
	if (shape->uses_d)
		s.backwards = assign(
			sb, Ity_I1,
			IRExpr_Binop(Iop_CmpNE64,
				     assign(sb, Ity_I64,
					    IRExpr_Get(shape_direction(), Ity_I64)),
				     constant(1)));
	return s;
}

static void write(const struct step *s, UInt word, IRExpr *value)
{
	addStmtToIRSB(s->sb, IRStmt_Store(Iend_LE, at_word(s->sb, s->cur, word), value));
}

static uint64_t head(const struct step *s, Bool backwards)
{
	UInt number = shape_number(s->shape, s->number, s->stage, backwards);

	return s->brief ? ML_WORD_BRIEF(number) : ML_WORD(ML_WORD_STEP, 0, number);
}

/* Writes the header of the stage; a brief one contains the first base. */
static void write_head(const struct step *s)
{
	IRExpr *word = constant(head(s, False));

	if (s->backwards)
		word = assign(s->sb, Ity_I64,
			      IRExpr_ITE(s->backwards, constant(head(s, True)), word));
	if (s->brief)
		word = assign(s->sb, Ity_I64, IRExpr_Binop(Iop_Or64, s->first, word));
	write(s, 0, word);
}

static void write_base(struct step *s, const struct base *base)
{
	IRExpr *value = base->address;

	if (base->guard)
		value = assign(s->sb, Ity_I64,
			       IRExpr_ITE(base->guard, value, constant(0)));
	if (s->brief && s->bases == 0) {
		s->first = value;
		write_head(s);
	} else {
		write(s, s->words, value);
	}
	s->words++;
	s->bases++;
}

/* Adds the code that must run before a statement. */
static void before_statement(struct step *s, Int statement)
{
	const struct shape *shape = s->shape;

	if (!s->brief && s->words == 0 && statement == shape->slot[0].statement) {
		write_head(s);
		s->words++;
	}
	while (s->bases < shape->bases && shape->base[s->bases].statement == statement)
		write_base(s, &shape->base[s->bases]);
	if (s->exits == shape->exits || shape->exit[s->exits].statement != statement)
		return;
	if (s->exits++ == shape->stage[s->stage].end) {
		s->stage++;
		write_head(s);
	}
	if (s->words > s->counted)
		addStmtToIRSB(s->sb, IRStmt_Store(Iend_LE, constant((uint64_t)out_cur()),
						  at_word(s->sb, s->cur, s->words)));
	s->counted = s->words;
}

/*
 * Libraries that Valgrind loads into the program are not part of it. (Without our
 * wrappers they do next to nothing, and then they are recorded: totals should equal those
 * of lackey, which makes no such exception.)
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
	Int first = first_instruction(block), strings;
	struct step step = { 0 };
	Addr ip = 0;
	IRSB *sb;

	tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
	if (out_is_off() || instrument_is_own(extents->base[0]))
		return block;
	strings = strings_begin(block, first);
	shape_read(&self.shape, block, first, strings,
		   (out_options() & ML_RING_OPT_FETCH) != 0);
	code_read(&self.code, block, first, shape);
	if (shape->slots == 0)
		code_declare(&self.code, 0, 0);
	if (shape->slots == 0 && strings == block->stmts_used)
		return block;
	tl_assert(1 + shape->bases < ML_RING_MARGIN);

	sb = deepCopyIRSBExceptStmts(block);
	for (Int i = 0; i < first; i++)
		addStmtToIRSB(sb, block->stmts[i]);
	if (shape->slots)
		step = begin_step(sb, shape);
	for (Int i = first; i < block->stmts_used; i++) {
		if (shape->slots)
			before_statement(&step, i);
		if (i >= strings)
			strings_instrument(sb, block, i);
		addStmtToIRSB(sb, block->stmts[i]);
		if (block->stmts[i]->tag == Ist_IMark)
			ip = block->stmts[i]->Ist.IMark.addr;
		if (out_options() & ML_RING_OPT_VALUES)
			values_instrument(sb, block->stmts[i], ip);
	}
	if (!shape->slots)
		return sb;
	before_statement(&step, block->stmts_used);
	tl_assert(step.bases == shape->bases && step.exits == shape->exits &&
		  step.counted == step.bases + !step.brief);
	return sb;
}

void instrument_discard(void)
{
	VG_(discard_translations)(0, ~0ULL, "memlamp");
}

void instrument_restart(void)
{
	shape_restart_numbers();
	strings_restart();
	instrument_discard();
}
