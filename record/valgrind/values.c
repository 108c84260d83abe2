/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/values.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

#include "record/valgrind/out.h"

/* Elements of 2, 4 and 8 bytes. */
enum { WIDTHS = 3 };

struct values {
	struct values *next;
	UWord key;   /* address of the instruction */
	UInt widths; /* how many of them were noted, the smallest first */
	Long min[WIDTHS], max[WIDTHS];
};

static VgHashTable *all;

void values_init(void)
{
	all = VG_(HT_construct)("memlamp.values");
}

static struct values *values_of(Addr ip)
{
	struct values *v = VG_(HT_lookup)(all, ip);

	if (!v) {
		v = VG_(calloc)("memlamp.values", 1, sizeof(*v));
		v->key = ip;
		VG_(HT_add_node)(all, v);
	}
	return v;
}

static void note(struct values *v, UInt width, Long x)
{
	if (width >= v->widths) {
		v->min[width] = v->max[width] = x;
		v->widths = width + 1;
	}
	if (x < v->min[width])
		v->min[width] = x;
	if (x > v->max[width])
		v->max[width] = x;
}

static void stored_2(struct values *v, ULong x)
{
	note(v, 0, (Short)x);
}

static void stored_4(struct values *v, ULong x)
{
	note(v, 0, (Short)x);
	note(v, 0, (Short)(x >> 16));
	note(v, 1, (Int)x);
}

static void stored_8(struct values *v, ULong x)
{
	stored_4(v, x);
	stored_4(v, x >> 32);
	note(v, 2, (Long)x);
}

static IRExpr *part(IRSB *sb, IROp op, IRExpr *data)
{
	IRTemp tmp = newIRTemp(sb->tyenv, Ity_I64);

	addStmtToIRSB(sb, IRStmt_WrTmp(tmp, IRExpr_Unop(op, data)));
	return IRExpr_RdTmp(tmp);
}

static void call(IRSB *sb, const HChar *name, void *function, struct values *v,
		 IRExpr *value)
{
	IRDirty *d = unsafeIRDirty_0_N(
		0, name, VG_(fnptr_to_fnentry)(function),
		mkIRExprVec_2(IRExpr_Const(IRConst_U64((ULong)v)), value));

	addStmtToIRSB(sb, IRStmt_Dirty(d));
}

/* Vectors, 8 bytes at a time. */
static void call_each(IRSB *sb, struct values *v, IRExpr *data, const IROp *parts,
		      UInt count)
{
	for (UInt i = 0; i < count; i++)
		call(sb, "stored_8", stored_8, v, part(sb, parts[i], data));
}

void values_instrument(IRSB *sb, const IRStmt *statement, Addr ip)
{
	static const IROp halves[] = { Iop_V128to64, Iop_V128HIto64 };
	static const IROp quarters[] = { Iop_V256to64_0, Iop_V256to64_1, Iop_V256to64_2,
					 Iop_V256to64_3 };
	IRExpr *data;

	if (statement->tag != Ist_Store)
		return;
	data = statement->Ist.Store.data;
	switch (typeOfIRExpr(sb->tyenv, data)) {
	case Ity_I16:
		call(sb, "stored_2", stored_2, values_of(ip),
		     part(sb, Iop_16Uto64, data));
		break;
	case Ity_I32:
		call(sb, "stored_4", stored_4, values_of(ip),
		     part(sb, Iop_32Uto64, data));
		break;
	case Ity_I64: call(sb, "stored_8", stored_8, values_of(ip), data); break;
	case Ity_V128: call_each(sb, values_of(ip), data, halves, 2); break;
	case Ity_V256: call_each(sb, values_of(ip), data, quarters, 4); break;
	default: break;
	}
}

void values_report(void)
{
	struct values *v;

	VG_(HT_ResetIter)(all);
	while ((v = VG_(HT_Next)(all))) {
		uint64_t *w;

		if (!v->widths)
			continue;
		w = out_begin(ML_WORD_VALUES, v->widths, 1 + 2 * v->widths);
		*w++ = v->key;
		for (UInt i = 0; i < v->widths; i++) {
			*w++ = (uint64_t)v->min[i];
			*w++ = (uint64_t)v->max[i];
		}
		out_end(w);
	}
}
