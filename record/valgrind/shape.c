/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/shape.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "libvex_guest_amd64.h"

#include "record/valgrind/out.h"

enum { REG_RSP = 4 };

/* What is known of a temporary. */
struct temporary {
	struct value value;
	const IRExpr *choice; /* the ITE that defines it, or NULL */
	Addr choice_ip;       /* the instruction that does so */
};

/* Kept from one superblock to the next. */
static struct {
	struct temporary *temporaries;
	Int room;
} self;

/* One walk over a superblock. */
struct walk {
	struct shape *shape;
	const IRSB *block;
	Int statement; /* index of the present one */
	Addr ip;       /* of the present instruction, and of the next */
	Addr next_ip;
	struct temporary *temporaries;
	struct value regs[SHAPE_REGS];
	Int fresh; /* the next unused root */
	/* Slots and bases before the present segment, which lies between two exits. */
	UInt segment_slot, segment_base;
};

/* The integer register at a guest state offset if all of it is meant, or -1. */
static Int whole_register(Int offset, IRType type)
{
	Int at = offset - (Int)offsetof(VexGuestAMD64State, guest_RAX);

	if (type != Ity_I64 || at < 0 || at % 8 || at / 8 >= SHAPE_REGS)
		return -1;
	return at / 8;
}

static Int register_root(const struct walk *w, Int reg)
{
	return w->block->tyenv->types_used + reg;
}

/* Something unknown is written to a range of the guest state. */
static void forget_registers(struct walk *w, Int offset, Int size)
{
	Int at = offset - (Int)offsetof(VexGuestAMD64State, guest_RAX);

	for (Int r = 0; r < SHAPE_REGS; r++) {
		if (at < r * 8 + 8 && at + size > r * 8)
			w->regs[r] = (struct value){ w->fresh++, 0 };
	}
}

static struct value value_of(const struct walk *w, const IRExpr *e)
{
	if (e->tag == Iex_RdTmp)
		return w->temporaries[e->Iex.RdTmp.tmp].value;
	tl_assert(e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64);
	return (struct value){ ROOT_NONE, e->Iex.Const.con->Ico.U64 };
}

/* Adds a constant, if one of the two is one. */
static Bool add(struct value *sum, struct value a, struct value b)
{
	if (a.root != ROOT_NONE && b.root != ROOT_NONE)
		return False;
	sum->root = a.root == ROOT_NONE ? b.root : a.root;
	sum->offset = a.offset + b.offset;
	return True;
}

static struct value evaluate(const struct walk *w, IRTemp tmp, const IRExpr *e)
{
	struct value v = { (Int)tmp, 0 };
	struct value a, b;
	Int reg;

	switch (e->tag) {
	case Iex_RdTmp: return value_of(w, e);
	case Iex_Const:
		if (e->Iex.Const.con->tag == Ico_U64)
			return value_of(w, e);
		return v;
	case Iex_Get:
		reg = whole_register(e->Iex.Get.offset, e->Iex.Get.ty);
		return reg < 0 ? v : w->regs[reg];
	case Iex_Binop:
		if (e->Iex.Binop.op != Iop_Add64 && e->Iex.Binop.op != Iop_Sub64)
			return v;
		a = value_of(w, e->Iex.Binop.arg1);
		b = value_of(w, e->Iex.Binop.arg2);
		if (e->Iex.Binop.op == Iop_Sub64) {
			if (b.root != ROOT_NONE)
				return v;
			b.offset = -b.offset;
		}
		add(&v, a, b);
		return v;
	default: return v;
	}
}

static UShort add_base(struct shape *s, struct value value, IRExpr *address,
		       IRExpr *guard, Int statement)
{
	s->base[s->bases] = (struct base){ value, statement,    address,
					   guard, SHAPE_NO_REG, 0 };
	return (UShort)s->bases++;
}

/* The newest base with this root; an older one would do as well. */
static UInt find_base(const struct shape *s, Int root)
{
	for (UInt i = s->bases; root != ROOT_NONE && i-- > 0;)
		if (s->base[i].value.root == root)
			return i;
	return SHAPE_NO_BASE;
}

/*
 * Gathers and masked loads are loads from ITE(lane is active, address, rsp): an
 * inactive lane touches nothing in truth. A conditional move gives such an
 * address too, but to a later instruction.
 */
static void unmask(const struct walk *w, IRExpr **address, IRExpr **guard)
{
	const struct temporary *t;
	struct value other;

	if ((*address)->tag != Iex_RdTmp)
		return;
	t = &w->temporaries[(*address)->Iex.RdTmp.tmp];
	if (!t->choice || t->choice_ip != w->ip)
		return;
	other = value_of(w, t->choice->Iex.ITE.iffalse);
	if (other.root == w->regs[REG_RSP].root &&
	    other.offset == w->regs[REG_RSP].offset) {
		*address = t->choice->Iex.ITE.iftrue;
		*guard = t->choice->Iex.ITE.cond;
	}
}

static void access(struct walk *w, enum slot_kind kind, Int size, IRExpr *address,
		   IRExpr *guard)
{
	struct shape *s = w->shape;
	struct slot *slot = &s->slot[s->slots];
	struct value value;
	UInt base;

	tl_assert(s->slots < SHAPE_SLOTS && size > 0 && size < 0x10000);
	if (!guard && kind == SLOT_READ)
		unmask(w, &address, &guard);
	if (guard && guard->tag == Iex_Const) {
		if (!guard->Iex.Const.con->Ico.U1)
			return;
		guard = NULL;
	}
	s->slots++;
	*slot = (struct slot){ .ip = w->ip,
			       .size = (UShort)size,
			       .base = SHAPE_NO_BASE,
			       .kind = (UChar)kind,
			       .maybe = guard != NULL,
			       .statement = w->statement,
			       .address = address };
	if (guard) {
		slot->base = add_base(s, (struct value){ ROOT_NONE, 0 }, address, guard,
				      w->statement);
		return;
	}
	value = value_of(w, address);
	slot->offset = value.offset;
	if (value.root == ROOT_NONE)
		return;
	base = find_base(s, value.root);
	if (base == SHAPE_NO_BASE)
		base = add_base(s, value, address, NULL, w->statement);
	slot->base = (UShort)base;
	slot->offset -= s->base[base].value.offset;
}

/*
 * The consumer tells by the number of words how far a superblock ran, so a
 * segment with accesses has to write a word; its first access gets a base of
 * its own if it has none. The very first segment is told by the step itself.
 */
static void end_segment(struct walk *w)
{
	struct shape *s = w->shape;
	struct slot *first = &s->slot[w->segment_slot];

	if (w->segment_slot > 0 && s->slots > w->segment_slot &&
	    s->bases == w->segment_base) {
		struct value value = { ROOT_NONE, first->offset };

		if (first->base != SHAPE_NO_BASE) {
			value = s->base[first->base].value;
			value.offset += first->offset;
		}
		first->base = add_base(s, value, first->address, NULL, first->statement);
		first->offset = 0;
	}
	if (s->slots > w->segment_slot) {
		s->exit[s->exits++] = (struct shape_exit){ (UShort)s->slots,
							   (UShort)s->bases };
		w->segment_slot = s->slots;
		w->segment_base = s->bases;
	}
}

static void put(struct walk *w, Int offset, const IRExpr *data)
{
	IRType type = typeOfIRExpr(w->block->tyenv, data);
	Int reg = whole_register(offset, type);

	if (reg < 0) {
		forget_registers(w, offset, sizeofIRType(type));
		return;
	}
	w->regs[reg] = value_of(w, data);
}

static void dirty(struct walk *w, const IRDirty *d)
{
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		access(w, SLOT_READ, d->mSize, d->mAddr, d->guard);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		access(w, SLOT_WRITE, d->mSize, d->mAddr, d->guard);
	for (Int i = 0; i < d->nFxState; i++) {
		if (d->fxState[i].fx == Ifx_Read)
			continue;
		for (Int k = 0; k <= d->fxState[i].nRepeats; k++)
			forget_registers(
				w, d->fxState[i].offset + k * d->fxState[i].repeatLen,
				d->fxState[i].size);
	}
}

static void write_tmp(struct walk *w, IRTemp tmp, const IRExpr *data)
{
	struct temporary *t = &w->temporaries[tmp];

	if (data->tag == Iex_Load)
		access(w, SLOT_READ, sizeofIRType(data->Iex.Load.ty), data->Iex.Load.addr,
		       NULL);
	t->value = evaluate(w, tmp, data);
	if (data->tag == Iex_ITE) {
		t->choice = data;
		t->choice_ip = w->ip;
	}
}

static void store(struct walk *w, IRExpr *address, const IRExpr *data)
{
	access(w, SLOT_WRITE, sizeofIRType(typeOfIRExpr(w->block->tyenv, data)), address,
	       NULL);
	if (data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_U64 &&
	    data->Iex.Const.con->Ico.U64 == w->next_ip)
		w->shape->return_slot = w->shape->slots;
}

static void cas(struct walk *w, const IRCAS *cas)
{
	Int size = sizeofIRType(typeOfIRExpr(w->block->tyenv, cas->dataLo));

	if (cas->dataHi)
		size *= 2;
	access(w, SLOT_READ, size, cas->addr, NULL);
	access(w, SLOT_WRITE, size, cas->addr, NULL);
}

static void statement(struct walk *w, const IRStmt *st, Bool fetch)
{
	const IRTypeEnv *types = w->block->tyenv;
	IRType wide, narrow;

	switch (st->tag) {
	case Ist_IMark:
		w->ip = st->Ist.IMark.addr;
		w->next_ip = w->ip + st->Ist.IMark.len;
		if (fetch && st->Ist.IMark.len > 0)
			access(w, SLOT_FETCH, (Int)st->Ist.IMark.len,
			       IRExpr_Const(IRConst_U64(w->ip)), NULL);
		break;
	case Ist_WrTmp: write_tmp(w, st->Ist.WrTmp.tmp, st->Ist.WrTmp.data); break;
	case Ist_Put: put(w, st->Ist.Put.offset, st->Ist.Put.data); break;
	case Ist_Store: store(w, st->Ist.Store.addr, st->Ist.Store.data); break;
	case Ist_LoadG:
		typeOfIRLoadGOp(st->Ist.LoadG.details->cvt, &wide, &narrow);
		access(w, SLOT_READ, sizeofIRType(narrow), st->Ist.LoadG.details->addr,
		       st->Ist.LoadG.details->guard);
		break;
	case Ist_StoreG:
		access(w, SLOT_WRITE,
		       sizeofIRType(typeOfIRExpr(types, st->Ist.StoreG.details->data)),
		       st->Ist.StoreG.details->addr, st->Ist.StoreG.details->guard);
		break;
	case Ist_CAS: cas(w, st->Ist.CAS.details); break;
	case Ist_LLSC:
		if (st->Ist.LLSC.storedata)
			access(w, SLOT_WRITE,
			       sizeofIRType(typeOfIRExpr(types, st->Ist.LLSC.storedata)),
			       st->Ist.LLSC.addr, NULL);
		else
			access(w, SLOT_READ,
			       sizeofIRType(typeOfIRTemp(types, st->Ist.LLSC.result)),
			       st->Ist.LLSC.addr, NULL);
		break;
	case Ist_Dirty: dirty(w, st->Ist.Dirty.details); break;
	case Ist_Exit: end_segment(w); break;
	default: break;
	}
}

static Bool fits(uint64_t difference)
{
	return (int64_t)difference == (Int)difference;
}

/* What is known of the registers: which bases came from them, which they hold. */
static void read_registers(struct walk *w)
{
	struct shape *s = w->shape;

	for (UInt i = 0; i < s->bases; i++) {
		struct base *b = &s->base[i];
		Int reg = b->value.root - register_root(w, 0);

		if (reg >= 0 && reg < SHAPE_REGS && fits(b->value.offset)) {
			b->reg = (UChar)reg;
			b->delta = (Int)b->value.offset;
		}
	}
	for (Int r = 0; r < SHAPE_REGS; r++) {
		struct value v = w->regs[r];
		UInt base;
		uint64_t delta;

		if (v.root == register_root(w, r) && v.offset == 0)
			continue;
		base = find_base(s, v.root);
		delta = base == SHAPE_NO_BASE ? 0 : v.offset - s->base[base].value.offset;
		if (base != SHAPE_NO_BASE && fits(delta))
			s->effect[s->effects++] = (struct effect){ (UChar)r, (UShort)base,
								   (Int)delta };
		else
			s->clobber |= (UShort)(1u << r);
	}
}

static enum ml_shape_end end_of(IRJumpKind kind)
{
	switch (kind) {
	case Ijk_Call: return ML_END_CALL;
	case Ijk_Ret: return ML_END_RETURN;
	case Ijk_Sys_syscall:
	case Ijk_Sys_int32:
	case Ijk_Sys_int128:
	case Ijk_Sys_int129:
	case Ijk_Sys_int130:
	case Ijk_Sys_int145:
	case Ijk_Sys_int210:
	case Ijk_Sys_sysenter: return ML_END_SYSCALL;
	default: return ML_END_JUMP;
	}
}

/* Room for what is known of all temporaries of a superblock: so far, nothing. */
static struct temporary *temporaries(Int count)
{
	if (count > self.room) {
		self.room = 2 * count;
		self.temporaries =
			VG_(realloc)("memlamp.temporaries", self.temporaries,
				     (SizeT)self.room * sizeof(*self.temporaries));
	}
	VG_(memset)(self.temporaries, 0, (SizeT)count * sizeof(*self.temporaries));
	for (Int i = 0; i < count; i++)
		self.temporaries[i].value.root = i;
	return self.temporaries;
}

void shape_read(struct shape *s, const IRSB *block, Int first, Bool fetch)
{
	struct walk w = { .shape = s, .block = block };

	s->slots = s->bases = s->exits = s->effects = s->return_slot = 0;
	s->clobber = 0;
	s->end = end_of(block->jumpkind);
	w.temporaries = temporaries(block->tyenv->types_used);
	for (Int r = 0; r < SHAPE_REGS; r++)
		w.regs[r].root = register_root(&w, r);
	w.fresh = register_root(&w, SHAPE_REGS);
	for (w.statement = first; w.statement < block->stmts_used; w.statement++) {
		statement(&w, block->stmts[w.statement], fetch);
		if (w.statement == first)
			s->ip = w.ip;
	}
	end_segment(&w);
	/* The end is no early exit, and neither is an exit behind the last access. */
	if (s->exits > 0)
		s->exits--;
	read_registers(&w);
}

Bool shape_is_brief(const struct shape *s, UInt id)
{
	return id < ML_BRIEF_SHAPES && s->bases > 0 &&
	       (s->exits == 0 || s->exit[0].bases > 0);
}

void shape_declare(const struct shape *s, UInt id)
{
	UInt words = 3 + s->bases + 3 * s->slots + s->exits + s->effects;
	uint64_t *at = out_begin(ML_WORD_SHAPE, id, words);

	*at++ = s->ip;
	*at++ = s->slots | (uint64_t)s->bases << 16 | (uint64_t)s->exits << 32 |
		(uint64_t)s->effects << 48;
	*at++ = s->clobber | (uint64_t)s->end << 16 |
		(uint64_t)shape_is_brief(s, id) << 24 | (uint64_t)s->return_slot << 32;
	for (UInt i = 0; i < s->bases; i++)
		*at++ = s->base[i].reg | (uint64_t)(UInt)s->base[i].delta << 32;
	for (UInt i = 0; i < s->slots; i++) {
		const struct slot *slot = &s->slot[i];

		*at++ = slot->ip;
		*at++ = slot->offset;
		*at++ = slot->size | (uint64_t)slot->kind << 16 |
			(uint64_t)slot->maybe << 18 | (uint64_t)slot->base << 32;
	}
	for (UInt i = 0; i < s->exits; i++)
		*at++ = s->exit[i].slots | (uint64_t)s->exit[i].bases << 32;
	for (UInt i = 0; i < s->effects; i++)
		*at++ = s->effect[i].reg | (uint64_t)s->effect[i].base << 8 |
			(uint64_t)(UInt)s->effect[i].delta << 32;
	out_end(at);
}
