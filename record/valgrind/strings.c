/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/strings.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

#include "record/valgrind/code.h"
#include "record/valgrind/out.h"
#include "record/valgrind/shape.h"

enum { REG_RCX = 1, REG_RSI = 6, REG_RDI = 7 };

/* A string instruction, and the piece that it is working on. */
struct string {
	struct string *next;
	UWord key; /* address of the instruction */
	UInt length;
	UInt size; /* of an element */
	Bool copies;
	/* The next iteration if the piece goes on: elements left, destination. Behind the
	 * last element of the piece, `end` are left. */
	ULong left, to, end;
	UInt shape[STRINGS_PIECE + 1]; /* by elements of a piece; 0: not declared yet */
};

static struct {
	VgHashTable *all;
	struct shape shape; /* of a piece, while it is declared */
	struct code code;   /* the same */
} self;

/* One iteration in the intermediate code; expressions are atoms. */
struct iteration {
	Int statement; /* its first access to memory */
	IRExpr *to, *from,
		*left; /* `left` behind the iteration; from: NULL of rep stos */
	UInt size;
};

void strings_init(void)
{
	self.all = VG_(HT_construct)("memlamp.strings");
}

void strings_restart(void)
{
	struct string *s;

	VG_(HT_ResetIter)(self.all);
	while ((s = VG_(HT_Next)(self.all)))
		VG_(memset)(s->shape, 0, sizeof(s->shape));
}

/* rep movs or rep stos with addresses of 64 bits, without a segment? */
static Bool repeats(const UChar *code, UInt length)
{
	Bool repeated = False;

	for (UInt i = 0; i < length; i++) {
		if (code[i] == 0xf3)
			repeated = True;
		else if (code[i] != 0x66 && (code[i] & 0xf0) != 0x40)
			return repeated && (code[i] == 0xa4 || code[i] == 0xa5 ||
					    code[i] == 0xaa || code[i] == 0xab);
	}
	return False;
}

static Bool defines(const IRStmt *st, const IRExpr *atom)
{
	return st->tag == Ist_WrTmp && atom->tag == Iex_RdTmp &&
	       st->Ist.WrTmp.tmp == atom->Iex.RdTmp.tmp;
}

/* Reads the iteration whose instruction mark is statement i. */
static Bool read_iteration(struct iteration *it, const IRSB *block, Int i)
{
	const Int rcx = (Int)offsetof(VexGuestAMD64State, guest_RCX);
	const IRStmt *st;

	*it = (struct iteration){ .statement = -1 };
	while (++i < block->stmts_used) {
		st = block->stmts[i];
		if (st->tag == Ist_IMark)
			return False;
		if (st->tag == Ist_Put && st->Ist.Put.offset == rcx && it->statement < 0)
			it->left = st->Ist.Put.data;
		if (st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Load) {
			it->from = st->Ist.WrTmp.data->Iex.Load.addr;
			it->statement = i;
		}
		if (st->tag == Ist_Store)
			break;
	}
	if (i >= block->stmts_used || !it->left ||
	    typeOfIRExpr(block->tyenv, it->left) != Ity_I64)
		return False;
	it->to = st->Ist.Store.addr;
	it->size = (UInt)sizeofIRType(typeOfIRExpr(block->tyenv, st->Ist.Store.data));
	if (it->statement < 0)
		it->statement = i;
	for (Int k = it->statement; k < i; k++)
		if (defines(block->stmts[k], it->to))
			it->statement = i;
	return True;
}

Int strings_begin(const IRSB *block, Int first)
{
	Int begin = block->stmts_used;

	if (out_options() & ML_RING_OPT_SPLIT_STRINGS)
		return begin;
	for (Int i = first; i < block->stmts_used; i++) {
		const IRStmt *st = block->stmts[i];
		struct iteration it;

		if (st->tag != Ist_IMark)
			continue;
		if (!repeats((const UChar *)st->Ist.IMark.addr, st->Ist.IMark.len) ||
		    !read_iteration(&it, block, i))
			begin = block->stmts_used;
		else if (begin == block->stmts_used)
			begin = i;
	}
	return begin;
}

/* Appends a reference to the shape of a piece of so many bytes. */
static void add_slot(struct shape *p, Addr ip, enum slot_kind kind, UInt bytes, UChar reg)
{
	p->slot[p->slots++] = (struct slot){ .ip = ip,
					     .size = (UShort)bytes,
					     .base = (UShort)p->bases,
					     .kind = (UChar)kind };
	p->effect[p->effects++] = (struct effect){ reg, (UShort)p->bases, (Int)bytes, 0 };
	p->base[p->bases++] = (struct base){ .reg = reg };
}

/* To the flow of control the whole string is one instruction. */
static void declare_code(const struct string *s, UInt number)
{
	struct code *c = &self.code;

	c->ip = s->key;
	c->slots = self.shape.slots;
	c->branches = 1;
	c->branch[0] = (struct branch){ .at = s->key,
					.target = s->key + s->length,
					.instructions = 1,
					.slots = (UShort)c->slots,
					.length = (UChar)s->length,
					.kind = ML_BRANCH_FALL };
	VG_(memset)(c->before, 0, c->slots * sizeof(*c->before));
	code_declare(c, number, 1);
}

/* Declares the shape of a piece of n elements; returns its number. */
static UInt declare(const struct string *s, UInt n)
{
	struct shape *p = &self.shape;
	UInt number = shape_take_numbers(1);

	p->ip = s->key;
	p->end = ML_END_JUMP;
	p->clobber = 1u << REG_RCX;
	p->slots = p->bases = p->effects = 0;
	p->exits = p->stages = 1;
	p->stage[0] = (struct stage){ 0, 1 };
	if (out_options() & ML_RING_OPT_FETCH)
		p->slot[p->slots++] = (struct slot){ .ip = s->key,
						     .offset = s->key,
						     .size = (UShort)s->length,
						     .base = SHAPE_NO_BASE,
						     .kind = SLOT_FETCH };
	if (s->copies)
		add_slot(p, s->key, SLOT_READ, n * s->size, REG_RSI);
	add_slot(p, s->key, SLOT_WRITE, n * s->size, REG_RDI);
	p->exit[0] = (struct shape_exit){ (UShort)p->slots, (UShort)p->bases, 0 };
	declare_code(s, number);
	shape_declare(p, number);
	return number;
}

static void write_step(struct string *s, UInt n, ULong to, ULong from)
{
	uint64_t *at;
	ULong first = s->copies ? from : to;

	if (!s->shape[n])
		s->shape[n] = declare(s, n);
	if (*out_cur() > *out_limit())
		out_full();
	at = (uint64_t *)*out_cur();
	if (s->shape[n] < ML_BRIEF_SHAPES) {
		*at++ = ML_WORD_BRIEF(s->shape[n]) | first;
	} else {
		*at++ = ML_WORD(ML_WORD_STEP, 0, s->shape[n]);
		*at++ = first;
	}
	if (s->copies)
		*at++ = to;
	out_end(at);
}

/* How many elements the piece that begins here has. */
static UInt piece(const struct string *s, ULong to, ULong from, ULong left,
		  ULong direction)
{
	UInt n = (STRINGS_PIECE - (UInt)to % STRINGS_PIECE) / s->size;

	if (n > left)
		n = (UInt)left;
	if (n == 0 || direction != 1 || (s->copies && to - from < n * s->size))
		return 1;
	return n;
}

/* Called before each iteration; `left` is the number of iterations behind it. */
static void iterate(struct string *s, ULong to, ULong from, ULong left, ULong direction)
{
	if (left + 1 != s->left || to != s->to || s->left == s->end) {
		UInt n = piece(s, to, from, left + 1, direction);

		write_step(s, n, to, from);
		s->end = left + 1 - n;
	}
	s->left = left;
	s->to = to + s->size;
}

static struct string *string_of(Addr ip, UInt length, const struct iteration *it)
{
	struct string *s = VG_(HT_lookup)(self.all, ip);

	if (!s) {
		s = VG_(calloc)("memlamp.strings", 1, sizeof(*s));
		s->key = ip;
		VG_(HT_add_node)(self.all, s);
	}
	if (s->size != it->size || s->copies != (it->from != NULL) ||
	    s->length != length) {
		s->length = length;
		s->size = it->size;
		s->copies = it->from != NULL;
		VG_(memset)(s->shape, 0, sizeof(s->shape)); /* other code is here now */
	}
	return s;
}

void strings_instrument(IRSB *sb, const IRSB *block, Int i)
{
	struct iteration it;
	struct string *s;
	IRTemp direction;
	IRDirty *d;
	Int mark = i;

	while (block->stmts[mark]->tag != Ist_IMark)
		mark--;
	if (mark == i || !read_iteration(&it, block, mark) || it.statement != i)
		return;
	s = string_of(block->stmts[mark]->Ist.IMark.addr,
		      block->stmts[mark]->Ist.IMark.len, &it);
	direction = newIRTemp(sb->tyenv, Ity_I64);
	addStmtToIRSB(sb,
		      IRStmt_WrTmp(direction, IRExpr_Get(shape_direction(), Ity_I64)));
	d = unsafeIRDirty_0_N(0, "strings_iterate", VG_(fnptr_to_fnentry)(&iterate),
			      mkIRExprVec_5(IRExpr_Const(IRConst_U64((ULong)s)), it.to,
					    it.from ? it.from : it.to, it.left,
					    IRExpr_RdTmp(direction)));
	addStmtToIRSB(sb, IRStmt_Dirty(d));
}
