/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/code.h"

#include "record/valgrind/out.h"

/* One walk over a superblock. */
struct walk {
	struct code *code;
	const struct shape *shape;
	Addr ip; /* of the present instruction */
	UInt length, instructions;
	Bool pushes; /* the present instruction stores the address behind it */
};

/* The last branch of a superblock with too many of them ends it. */
static void add(struct walk *w, enum ml_branch kind, uint64_t target)
{
	struct code *c = w->code;

	if (c->branches == CODE_BRANCHES)
		c->branches--;
	c->branch[c->branches++] = (struct branch){ .at = w->ip,
						    .target = target,
						    .instructions = w->instructions,
						    .slots = (UShort)c->slots,
						    .length = (UChar)w->length,
						    .kind = (UChar)kind };
}

/* Valgrind goes on with the target of a jump or call where it knows it. */
static void instruction(struct walk *w, Addr ip, UInt length)
{
	if (w->instructions && ip != w->ip + w->length)
		add(w, w->pushes ? ML_BRANCH_CALL : ML_BRANCH_JUMP, ip);
	w->ip = ip;
	w->length = length;
	w->instructions++;
	w->pushes = False;
}

/* An instruction that repeats itself branches nowhere. */
static void leaves(struct walk *w, const IRStmt *st)
{
	uint64_t target = st->Ist.Exit.dst->Ico.U64;

	if (st->Ist.Exit.jk == Ijk_Boring && target != w->ip)
		add(w, ML_BRANCH_IF, target);
}

static void end(struct walk *w, const IRSB *block)
{
	const IRExpr *next = block->next;
	uint64_t behind = w->ip + w->length;
	uint64_t target = next->tag == Iex_Const ? next->Iex.Const.con->Ico.U64 : 0;

	switch (block->jumpkind) {
	case Ijk_Call: add(w, ML_BRANCH_CALL, target); break;
	case Ijk_Ret: add(w, ML_BRANCH_RETURN, 0); break;
	case Ijk_Boring:
		if (target == behind || target == w->ip)
			add(w, ML_BRANCH_FALL, behind);
		else
			add(w, ML_BRANCH_JUMP, target);
		break;
	default: add(w, ML_BRANCH_FALL, behind); break;
	}
}

void code_read(struct code *code, const IRSB *block, Int first, const struct shape *shape)
{
	struct walk w = { .code = code, .shape = shape };

	code->slots = code->branches = 0;
	code->ip = 0;
	for (Int i = first; i < block->stmts_used; i++) {
		const IRStmt *st = block->stmts[i];
		const IRExpr *data;

		if (st->tag == Ist_IMark && st->Ist.IMark.len > 0) {
			instruction(&w, st->Ist.IMark.addr, st->Ist.IMark.len);
			if (!code->ip)
				code->ip = w.ip;
		}
		while (code->slots < shape->slots &&
		       shape->slot[code->slots].statement <= i)
			code->before[code->slots++] = (UShort)(w.instructions - 1);
		if (st->tag == Ist_Exit)
			leaves(&w, st);
		data = st->tag == Ist_Store ? st->Ist.Store.data : NULL;
		if (data && data->tag == Iex_Const &&
		    data->Iex.Const.con->tag == Ico_U64 &&
		    data->Iex.Const.con->Ico.U64 == w.ip + w.length)
			w.pushes = True;
	}
	end(&w, block);
}

void code_declare(const struct code *c, UInt number, UInt count)
{
	UInt words = 2 + 3 * c->branches + (c->slots + 3) / 4;
	uint64_t *at = out_begin(ML_WORD_CODE, number, words), packed = 0;

	*at++ = c->ip;
	*at++ = c->slots | (uint64_t)c->branches << 16 | (uint64_t)count << 32;
	for (UInt i = 0; i < c->branches; i++) {
		const struct branch *b = &c->branch[i];

		*at++ = b->at;
		*at++ = b->target;
		*at++ = b->slots | (uint64_t)b->instructions << 16 |
			(uint64_t)b->length << 48 | (uint64_t)b->kind << 56;
	}
	for (UInt i = 0; i < c->slots; i++) {
		packed |= (uint64_t)c->before[i] << i % 4 * 16;
		if (i % 4 == 3 || i + 1 == c->slots) {
			*at++ = packed;
			packed = 0;
		}
	}
	out_end(at);
}
