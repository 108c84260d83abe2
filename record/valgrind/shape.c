/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/shape.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "record/valgrind/out.h"
#include "record/valgrind/streaming.h"

enum { REG_RSP = 4, SUMS = 256 };

/* A temporary of the intermediate code. */
struct temporary {
	struct value value;
	const IRExpr *choice; /* the ITE that defines it, or NULL */
	Addr choice_ip;       /* the instruction of that ITE */
};

/*
 * A temporary that is the sum of two roots, or one shifted root (b is ROOT_NONE then),
 * plus `more`. Each instruction computes its address anew; this finds out that two
 * instructions compute the same sum.
 */
struct sum {
	Int a, b;
	UInt shift;
	struct value more; /* its root is the temporary */
};

/* Buffers, reused from superblock to superblock. */
static struct {
	struct temporary *temporaries;
	Int room;
	struct sum sum[SUMS];
	UInt numbers; /* the number given last */
} self;

/* One walk over a superblock. */
struct walk {
	struct shape *shape;
	const IRSB *block;
	Int statement; /* index of the present statement */
	Int end;       /* from here on references do not count */
	Addr ip;       /* of the present instruction, and of the next */
	Addr next_ip;
	Bool streaming; /* the present instruction stores past the caches */
	struct temporary *temporaries;
	struct value regs[SHAPE_REGS];
	struct value direction;
	Int fresh; /* the next unused root */
	UInt sums;
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

/* An unknown value is written to a range of the guest state. */
static void forget_registers(struct walk *w, Int offset, Int size)
{
	Int at = offset - (Int)offsetof(VexGuestAMD64State, guest_RAX);

	for (Int r = 0; r < SHAPE_REGS; r++) {
		if (at < r * 8 + 8 && at + size > r * 8)
			w->regs[r] = (struct value){ w->fresh++, 0, 0 };
	}
	if (offset < shape_direction() + 8 && offset + size > shape_direction())
		w->direction = (struct value){ w->fresh++, 0, 0 };
}

static struct value value_of(const struct walk *w, const IRExpr *e)
{
	if (e->tag == Iex_RdTmp)
		return w->temporaries[e->Iex.RdTmp.tmp].value;
	tl_assert(e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64);
	return (struct value){ ROOT_NONE, e->Iex.Const.con->Ico.U64, 0 };
}

/*
 * The value a + b + more, or (a << shift) + more; the root of `more` is ignored. If the
 * superblock has computed the sum before, the value refers to the first such temporary,
 * otherwise to tmp.
 */
static struct value summed(struct walk *w, Int a, Int b, UInt shift, struct value more,
			   IRTemp tmp)
{
	for (UInt i = 0; i < w->sums; i++) {
		const struct sum *s = &self.sum[i];

		if (s->a == a && s->b == b && s->shift == shift) {
			more.root = s->more.root;
			more.offset -= s->more.offset;
			more.times_d -= s->more.times_d;
			return more;
		}
	}
	more.root = (Int)tmp;
	if (w->sums < SUMS)
		self.sum[w->sums++] = (struct sum){ a, b, shift, more };
	return (struct value){ (Int)tmp, 0, 0 };
}

static struct value add(struct walk *w, struct value a, struct value b, IRTemp tmp)
{
	struct value sum = { a.root == ROOT_NONE ? b.root : a.root, a.offset + b.offset,
			     a.times_d + b.times_d };

	if (a.root == ROOT_NONE || b.root == ROOT_NONE)
		return sum;
	return a.root < b.root ? summed(w, a.root, b.root, 0, sum, tmp)
			       : summed(w, b.root, a.root, 0, sum, tmp);
}

static struct value shift(struct walk *w, struct value a, const IRExpr *by, IRTemp tmp)
{
	UInt bits = by->tag == Iex_Const ? by->Iex.Const.con->Ico.U8 : 64;

	if (bits > 3)
		return (struct value){ (Int)tmp, 0, 0 };
	a.offset <<= bits;
	a.times_d *= 1 << bits;
	return a.root == ROOT_NONE ? a : summed(w, a.root, ROOT_NONE, bits, a, tmp);
}

static struct value get(const struct walk *w, IRTemp tmp, Int offset, IRType type)
{
	Int reg = whole_register(offset, type);

	if (reg >= 0)
		return w->regs[reg];
	if (offset == shape_direction() && type == Ity_I64)
		return w->direction;
	return (struct value){ (Int)tmp, 0, 0 };
}

static struct value evaluate(struct walk *w, IRTemp tmp, const IRExpr *e)
{
	struct value b;

	switch (e->tag) {
	case Iex_RdTmp: return value_of(w, e);
	case Iex_Const:
		if (e->Iex.Const.con->tag == Ico_U64)
			return value_of(w, e);
		break;
	case Iex_Get: return get(w, tmp, e->Iex.Get.offset, e->Iex.Get.ty);
	case Iex_Binop:
		switch (e->Iex.Binop.op) {
		case Iop_Add64:
			return add(w, value_of(w, e->Iex.Binop.arg1),
				   value_of(w, e->Iex.Binop.arg2), tmp);
		case Iop_Sub64:
			b = value_of(w, e->Iex.Binop.arg2);
			if (b.root != ROOT_NONE)
				break;
			b.offset = -b.offset;
			b.times_d = -b.times_d;
			return add(w, value_of(w, e->Iex.Binop.arg1), b, tmp);
		case Iop_Shl64:
			return shift(w, value_of(w, e->Iex.Binop.arg1), e->Iex.Binop.arg2,
				     tmp);
		default: break;
		}
		break;
	default: break;
	}
	return (struct value){ (Int)tmp, 0, 0 };
}

static UShort add_base(struct shape *s, struct value value, IRExpr *address,
		       IRExpr *guard, Int statement)
{
	s->base[s->bases] = (struct base){ value, statement, address, guard,
					   SHAPE_NO_REG };
	return (UShort)s->bases++;
}

/* The newest base with this root; any would do. */
static UInt find_base(const struct shape *s, Int root)
{
	for (UInt i = s->bases; root != ROOT_NONE && i-- > 0;)
		if (s->base[i].value.root == root)
			return i;
	return SHAPE_NO_BASE;
}

/*
 * VEX translates gathers and masked loads to loads from ITE(lane is active, address,
 * rsp), although an inactive lane touches no memory. A conditional move may make such an
 * address too, but for a later instruction.
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
	    other.offset == w->regs[REG_RSP].offset &&
	    other.times_d == w->regs[REG_RSP].times_d) {
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

	if (w->statement >= w->end)
		return;
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
			       .streaming = kind == SLOT_WRITE && w->streaming,
			       .statement = w->statement,
			       .address = address };
	if (guard) {
		slot->base = add_base(s, (struct value){ ROOT_NONE, 0, 0 }, address,
				      guard, w->statement);
		return;
	}
	value = value_of(w, address);
	slot->offset = value.offset;
	slot->times_d = value.times_d;
	if (value.root != ROOT_NONE) {
		base = find_base(s, value.root);
		if (base == SHAPE_NO_BASE)
			base = add_base(s, value, address, NULL, w->statement);
		slot->base = (UShort)base;
		slot->offset -= s->base[base].value.offset;
		slot->times_d -= s->base[base].value.times_d;
	}
	if (slot->times_d)
		s->uses_d = True;
}

/* An exit, or the end. It begins a new stage if no base was added since the last exit. */
static void exit_here(struct shape *s, Int statement)
{
	const struct shape_exit *last = s->exits ? &s->exit[s->exits - 1] : NULL;
	Bool further = last && s->bases == last->bases;

	if (s->slots == (last ? last->slots : 0))
		return;
	if (!last || further)
		s->stage[s->stages++].first = s->exits;
	s->exit[s->exits++] = (struct shape_exit){ (UShort)s->slots, (UShort)s->bases,
						   statement };
	s->stage[s->stages - 1].end = s->exits;
}

static void put(struct walk *w, Int offset, const IRExpr *data)
{
	IRType type = typeOfIRExpr(w->block->tyenv, data);
	Int reg = whole_register(offset, type);

	if (reg >= 0)
		w->regs[reg] = value_of(w, data);
	else if (offset == shape_direction() && type == Ity_I64)
		w->direction = value_of(w, data);
	else
		forget_registers(w, offset, sizeofIRType(type));
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
		w->shape->slot[w->shape->slots - 1].call = True;
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
		w->streaming = streaming_is((const UChar *)w->ip, st->Ist.IMark.len);
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
	case Ist_Exit:
		if (w->statement < w->end)
			exit_here(w->shape, w->statement);
		break;
	default: break;
	}
}

/* Does difference + times_d * D fit 32 bits in both directions? */
static Bool fits(uint64_t difference, Int times_d)
{
	int64_t low = (int64_t)difference - times_d, high = (int64_t)difference + times_d;

	return low == (Int)low && high == (Int)high;
}

/* Relates registers and bases: at entry, and at the end. */
static void read_registers(struct walk *w)
{
	struct shape *s = w->shape;

	for (UInt i = 0; i < s->bases; i++) {
		struct base *b = &s->base[i];
		Int reg = b->value.root - register_root(w, 0);

		if (reg >= 0 && reg < SHAPE_REGS &&
		    fits(b->value.offset, b->value.times_d))
			b->reg = (UChar)reg;
	}
	for (Int r = 0; r < SHAPE_REGS; r++) {
		struct value v = w->regs[r];
		UInt base = find_base(s, v.root);

		if (v.root == register_root(w, r) && v.offset == 0 && v.times_d == 0)
			continue;
		if (base != SHAPE_NO_BASE) {
			v.offset -= s->base[base].value.offset;
			v.times_d -= s->base[base].value.times_d;
		}
		if (base != SHAPE_NO_BASE && fits(v.offset, v.times_d))
			s->effect[s->effects++] = (struct effect){ (UChar)r, (UShort)base,
								   (Int)v.offset,
								   v.times_d };
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

/* The table of the temporaries of a superblock; at first each is its own root. */
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

void shape_read(struct shape *s, const IRSB *block, Int first, Int end, Bool fetch)
{
	struct walk w = { .shape = s, .block = block, .end = end };

	s->slots = s->bases = s->exits = s->effects = s->stages = 0;
	s->clobber = 0;
	s->uses_d = False;
	s->end = end_of(block->jumpkind);
	w.temporaries = temporaries(block->tyenv->types_used);
	for (Int r = 0; r < SHAPE_REGS; r++)
		w.regs[r].root = register_root(&w, r);
	w.direction = (struct value){ ROOT_NONE, 0, 1 };
	w.fresh = register_root(&w, SHAPE_REGS);
	for (w.statement = first; w.statement < block->stmts_used; w.statement++) {
		if (w.statement == end)
			exit_here(s, end);
		statement(&w, block->stmts[w.statement], fetch);
		if (w.statement == first)
			s->ip = w.ip;
	}
	if (end == block->stmts_used)
		exit_here(s, end);
	read_registers(&w);
}

UInt shape_take_numbers(UInt count)
{
	self.numbers += count;
	return self.numbers - count + 1;
}

void shape_restart_numbers(void)
{
	self.numbers = 0;
}

Bool shape_is_brief(const struct shape *s, UInt first)
{
	return first + shape_numbers(s) <= ML_BRIEF_SHAPES && s->exit[0].bases > 0;
}

/*
 * A stage before the last is always left early: its registers that may have changed are
 * unknown.
 */
static void declare(const struct shape *s, UInt stage, UInt id, Bool brief, Int direction)
{
	const struct stage *st = &s->stage[stage];
	const struct shape_exit *whole = &s->exit[st->end - 1];
	Bool last = stage + 1 == s->stages;
	UInt exits = st->end - 1 - st->first, effects = last ? s->effects : 0;
	UInt words = 3u + whole->bases + 3u * whole->slots + exits + effects;
	uint64_t *at = out_begin(ML_WORD_SHAPE, id, words);
	UShort clobber = s->clobber;

	for (UInt i = effects; i < s->effects; i++)
		clobber |= (UShort)(1u << s->effect[i].reg);
	*at++ = s->ip;
	*at++ = whole->slots | (uint64_t)whole->bases << 16 | (uint64_t)exits << 32 |
		(uint64_t)effects << 48;
	*at++ = clobber | (uint64_t)(last ? s->end : ML_END_JUMP) << 16 |
		(uint64_t)brief << 24;
	for (UInt i = 0; i < whole->bases; i++) {
		const struct base *b = &s->base[i];
		Int delta = (Int)b->value.offset + b->value.times_d * direction;

		*at++ = b->reg | (uint64_t)(UInt)(b->reg == SHAPE_NO_REG ? 0 : delta)
					 << 32;
	}
	for (UInt i = 0; i < whole->slots; i++) {
		const struct slot *slot = &s->slot[i];

		*at++ = slot->ip;
		*at++ = slot->offset + (uint64_t)((int64_t)slot->times_d * direction);
		*at++ = slot->size | (uint64_t)slot->kind << 16 |
			(uint64_t)slot->maybe << 18 | (uint64_t)slot->call << 19 |
			(uint64_t)slot->streaming << 20 | (uint64_t)slot->base << 32;
	}
	for (UInt i = st->first; i < st->first + exits; i++)
		*at++ = s->exit[i].slots | (uint64_t)s->exit[i].bases << 32;
	for (UInt i = 0; i < effects; i++) {
		const struct effect *e = &s->effect[i];

		*at++ = e->reg | (uint64_t)e->base << 8 |
			(uint64_t)(UInt)(e->delta + e->times_d * direction) << 32;
	}
	out_end(at);
}

void shape_declare(const struct shape *s, UInt first)
{
	Bool brief = shape_is_brief(s, first);

	for (UInt i = 0; i < s->stages; i++) {
		declare(s, i, shape_number(s, first, i, False), brief, 1);
		if (s->uses_d)
			declare(s, i, shape_number(s, first, i, True), brief, -1);
	}
}
