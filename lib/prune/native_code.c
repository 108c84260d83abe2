#include "lib/prune/native_code.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/prune/native_code_parts.h"
#include "lib/prune/space.h"

enum { UNROLLED = 3 };

/* first, step and count of a loop, once its inputs are known. */
static void range(struct ml_native_writer *w, int level)
{
	const struct ml_param_range *p = &w->s->params[level];
	char first[32], step[32], last[32];

	if (p->kind == ML_RANGE_LIST) {
		ml_native_put(w, "static const int64_t list%d[] = { ", level);
		for (size_t i = 0; i < p->value_count; i++)
			ml_native_put(w, "INT64_C(%lld), ", (long long)p->values[i]);
		ml_native_put(w, "};\nconst int64_t count%d = %zu;\n", level,
			      p->value_count);
		return;
	}
	ml_native_scalar(w, p->first);
	ml_native_scalar(w, p->step);
	ml_native_scalar(w, p->last);
	ml_native_scalar_name(w, p->first, first);
	ml_native_scalar_name(w, p->step, step);
	ml_native_scalar_name(w, p->last, last);
	if (p->kind == ML_RANGE_STEPS)
		ml_native_put(
			w,
			"const int64_t first%d = %s, step%d = %s, last%d = %s, count%d = "
			"last%d < first%d || bad ? 0 : (last%d - first%d) / step%d + 1;\n",
			level, first, level, step, level, last, level, level, level,
			level, level, level);
	else if (p->kind == ML_RANGE_DIVISORS)
		ml_native_put(
			w,
			"int64_t list%d[%d];\nconst int64_t count%d = bad ? 0 : divisors(%s, "
			"list%d);\n",
			level, ML_SPACE_FEW, level, last, level);
	else
		ml_native_put(
			w,
			"int64_t list%d[%d];\nconst int64_t count%d = bad ? 0 : powers(%s, "
			"%s, %s, list%d);\n",
			level, ML_SPACE_FEW, level, first, step, last, level);
}

/* What can be computed once the parameters up to a level are known. */
static void ranges(struct ml_native_writer *w, int level)
{
	for (int l = 0; l <= w->inner; l++)
		if (ml_native_level_of(w->s->params[l].deps) == level)
			range(w, l);
}

static uint32_t constraints_at(const struct ml_native_writer *w, int level)
{
	uint32_t mask = 0;

	for (size_t c = 0; c < w->s->constraint_count; c++)
		if (ml_native_node_of(w, w->s->constraints[c].node)->level == level)
			mask |= UINT32_C(1) << c;
	return mask;
}

static void nodes(struct ml_native_writer *w, int level)
{
	for (uint32_t k = 0; k < w->s->exprs.count; k++)
		if (ml_native_node_of(w, k)->used &&
		    ml_native_node_of(w, k)->level == level)
			ml_native_scalar(w, k);
	ml_native_put(w, "const uint32_t m%d = ", level + 1);
	if (level >= 0)
		ml_native_put(w, "m%d", level);
	else
		ml_native_put(w, "0");
	for (size_t c = 0; c < w->s->constraint_count; c++) {
		uint32_t node = w->s->constraints[c].node;
		char name[32];

		if (ml_native_node_of(w, node)->level == level)
			ml_native_put(w, " | (uint32_t)(%s != 0) << %zu",
				      ml_native_scalar_name(w, node, name), c);
	}
	ml_native_put(w, ";\nif (bad)\nreturn 1;\n");
	if (constraints_at(w, level))
		ml_native_put(w, "if (select && (m%d ^ want) & care & 0x%xu)\n%s;\n",
			      level + 1, constraints_at(w, level),
			      level < 0 ? "return 0" : "continue");
}

/* counts[mask] for all combinations of the constraints of the innermost loop. */
static void tally(struct ml_native_writer *w, const size_t *at, size_t n)
{
	if (n > UNROLLED) {
		ml_native_put(w, "const uint64_t planes[] = { ");
		for (size_t i = 0; i < n; i++)
			ml_native_put(w, "p%u, ", w->s->constraints[at[i]].node);
		ml_native_put(w, "};\nstatic const uint8_t shift[] = { ");
		for (size_t i = 0; i < n; i++)
			ml_native_put(w, "%zu, ", at[i]);
		ml_native_put(w, "};\ntally(counts, m%d, live, planes, shift, %zu);\n",
			      w->inner, n);
		return;
	}
	for (unsigned k = 0; k < 1u << n; k++) {
		uint32_t mask = 0;

		for (size_t i = 0; i < n; i++)
			mask |= (uint32_t)(k >> i & 1) << at[i];
		ml_native_put(w, "counts[m%d | 0x%xu] += ones(live", w->inner, mask);
		for (size_t i = 0; i < n; i++)
			ml_native_put(w, " & %sp%u", k >> i & 1 ? "" : "~",
				      w->s->constraints[at[i]].node);
		ml_native_put(w, ");\n");
	}
}

static void rows(struct ml_native_writer *w, const size_t *at, size_t n)
{
	ml_native_put(w, "uint64_t match = live;\n");
	for (size_t i = 0; i < n; i++)
		ml_native_put(
			w,
			"if (care >> %zu & 1)\nmatch &= want >> %zu & 1 ? p%u : ~p%u;\n",
			at[i], at[i], w->s->constraints[at[i]].node,
			w->s->constraints[at[i]].node);
	ml_native_put(w, "for (; match; match &= match - 1) {\nconst int64_t i = c + "
			 "__builtin_ctzll(match);\nconst int64_t values[] = { ");
	for (int l = 0; l < w->inner; l++)
		ml_native_put(w, "v%u, ", w->s->params[l].node);
	ml_native_param_value(w, w->inner, "i");
	ml_native_put(w, " };\nif (row(arg, values))\nreturn 2;\n}\n");
}

static void innermost(struct ml_native_writer *w)
{
	uint32_t known = constraints_at(w, w->inner);
	size_t at[ML_SPACE_CONSTRAINTS], n = 0;
	bool lanes = false;

	for (size_t c = 0; c < w->s->constraint_count; c++)
		if (known >> c & 1)
			at[n++] = c;
	for (size_t i = 0; i < w->atom_count; i++)
		lanes = lanes || w->atoms[i].level == w->inner;
	ml_native_put(w, "for (int64_t c = from%d; c < to%d; c += 64) {\nTURN\n",
		      w->inner, w->inner);
	ml_native_put(
		w,
		"const uint64_t live = to%d - c >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (to%d "
		"- c)) - 1;\n",
		w->inner, w->inner);
	if (lanes)
		ml_native_lane_loop(w, NULL, w->inner);
	memset(w->plane, 0, w->s->exprs.count);
	for (size_t i = 0; i < n; i++)
		ml_native_plane(w, w->s->constraints[at[i]].node);
	if (w->divides)
		ml_native_put(w, "if (zero)\nreturn 1;\n");
	ml_native_put(w, "if (select) {\n");
	rows(w, at, n);
	ml_native_put(w, "} else {\n");
	tally(w, at, n);
	ml_native_put(w, "}\n}\n");
}

static void loops(struct ml_native_writer *w)
{
	for (int l = 0; l < w->inner; l++) {
		char index[16];

		snprintf(index, sizeof(index), "k%d", l);
		if (l == 0)
			ml_native_put(w, "do {\nconst int64_t k0 = part;\n");
		else
			ml_native_put(w,
				      "for (int64_t k%d = from%d; k%d < to%d; k%d++) "
				      "{\nTURN\n",
				      l, l, l, l, l);
		ml_native_put(w, "const int64_t v%u = ", w->s->params[l].node);
		ml_native_param_value(w, l, index);
		ml_native_put(w, ";\n");
		w->scalar[w->s->params[l].node] = true;
		nodes(w, l);
		ranges(w, l);
		if (l == 0 && w->inner > 1)
			ml_native_put(
				w,
				"const int64_t from1 = share * count1 / of, to1 = (share + "
				"1) * count1 / of;\n");
		else
			ml_native_put(w, "const int64_t from%d = 0, to%d = count%d;\n",
				      l + 1, l + 1, l + 1);
		ml_native_tables(w, l);
	}
	innermost(w);
	for (int l = w->inner - 1; l >= 0; l--)
		ml_native_put(w, l ? "}\n" : "} while (0);\n");
}

/*
 * ones: the empty asm keeps gcc 12 from joining two counts into one vector instruction,
 * which it gets wrong with -O2 -march=native where AVX512_VPOPCNTDQ is there and the
 * operands are constants: it then adds the words instead of their bits.
 */
static const char head[] =
	"#include <stdint.h>\n"
	"#include <string.h>\n"
	"#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
	"#error the planes are made for little-endian machines\n"
	"#endif\n"
	"typedef int row_fn(void *, const int64_t *);\n"
	"typedef int stopped_fn(const void *);\n"
	"static inline __attribute__((always_inline)) uint64_t plane(const uint8_t *b)\n"
	"{\n"
	"uint64_t p = 0, x;\n"
	"for (int i = 0; i < LANES / 8; i++) {\n"
	"memcpy(&x, b + 8 * i, 8);\n"
	"p |= x * UINT64_C(0x0102040810204080) >> 56 << 8 * i;\n"
	"}\n"
	"return p;\n"
	"}\n"
	"static inline __attribute__((always_inline)) uint64_t ones(uint64_t x)\n"
	"{\n"
	"__asm__(\"\" : \"+r\"(x));\n"
	"return (uint64_t)__builtin_popcountll(x);\n"
	"}\n"
	"static void tally(uint64_t *counts, uint32_t mask, uint64_t live,\n"
	"const uint64_t *p, const uint8_t *shift, int n)\n"
	"{\n"
	"if (!live)\n"
	"return;\n"
	"if (!n) {\n"
	"counts[mask] += ones(live);\n"
	"return;\n"
	"}\n"
	"tally(counts, mask, live & ~*p, p + 1, shift + 1, n - 1);\n"
	"tally(counts, mask | UINT32_C(1) << *shift, live & *p, p + 1, shift + 1, n - 1);\n"
	"}\n"
	"static int64_t divisors(int64_t of, int64_t *v)\n"
	"{\n"
	"int64_t n = 0, m = 0, high[768];\n"
	"for (int64_t d = 1; d <= of / d; d++)\n"
	"if (of % d == 0) {\n"
	"v[n++] = d;\n"
	"if (d != of / d)\n"
	"high[m++] = of / d;\n"
	"}\n"
	"while (m)\n"
	"v[n++] = high[--m];\n"
	"return n;\n"
	"}\n"
	"static int64_t powers(int64_t v, int64_t by, int64_t last, int64_t *list)\n"
	"{\n"
	"int64_t n = 0;\n"
	"for (; v <= last; v *= by) {\n"
	"list[n++] = v;\n"
	"if (v > last / by)\n"
	"break;\n"
	"}\n"
	"return n;\n"
	"}\n";

static const char tail[] =
	"int ml_count(int64_t part, int64_t share, int64_t of, stopped_fn *stopped,\n"
	"const void *work, uint64_t *counts)\n"
	"{\n"
	"return body(0, part, share, of, stopped, work, counts, 0, 0, 0, 0);\n"
	"}\n"
	"int ml_select(int64_t part, int64_t share, int64_t of, stopped_fn *stopped,\n"
	"const void *work, uint32_t care, uint32_t want, row_fn *row, void *arg)\n"
	"{\n"
	"return body(1, part, share, of, stopped, work, 0, care, want, row, arg);\n"
	"}\n";

static void constant_tables(struct ml_native_writer *w)
{
	for (size_t t = 0; t < w->s->exprs.table_count; t++) {
		const struct ml_expr_table *x = &w->s->exprs.tables[t];

		ml_native_put(w, "static const int64_t table%zu[] = { ", t);
		for (size_t i = 0; i < x->count; i++)
			ml_native_put(w, "%lld%s", (long long)x->values[i],
				      i % 16 == 15 ? ",\n" : ", ");
		ml_native_put(w, "};\n");
	}
}

void ml_native_code(const struct ml_space *s, struct ml_buf *out)
{
	size_t n = s->exprs.count;
	struct ml_arena a = { 0 };
	struct ml_native_writer w = { .s = s,
				      .out = out,
				      .scalar = ml_arena_alloc(&a, n),
				      .lane = ml_arena_alloc(&a, n),
				      .plane = ml_arena_alloc(&a, n),
				      .atoms = ml_arena_alloc(
					      &a, n * sizeof(struct ml_native_atom)),
				      .inner = (int)s->param_count - 1 };

	for (size_t c = 0; c < s->constraint_count; c++)
		ml_native_find_atoms(&w, s->constraints[c].node);
	for (uint32_t k = 0; k < n; k++) {
		const struct ml_expr *e = &s->exprs.at[k];

		w.divides = w.divides ||
			    ((e->op == ML_EXPR_DIV || e->op == ML_EXPR_MOD) &&
			     ml_native_maybe_zero(&s->exprs.at[e->b]));
	}
	ml_native_put(
		&w,
		"#define LANES %u\n#define TURN if (!(++turns & %d) && stopped(work)) "
		"return %d;\n",
		ml_native_lane_count(&w), ML_NATIVE_POLL - 1, ML_NATIVE_STOPPED);
	ml_buf_put(out, head, sizeof(head) - 1);
	constant_tables(&w);
	ml_native_put(
		&w,
		"static inline __attribute__((always_inline)) int body(const int select, "
		"int64_t part, int64_t share, int64_t of, stopped_fn *stopped, const void "
		"*work, uint64_t *counts, uint32_t care, uint32_t want, row_fn *row, void "
		"*arg)\n{\nint bad = 0, zero = 0;\nuint32_t turns = 0;\n");
	nodes(&w, -1);
	ranges(&w, -1);
	if (w.inner == 0)
		ml_native_put(&w, "const int64_t from0 = 0, to0 = count0;\n");
	ml_native_tables(&w, -1);
	loops(&w);
	ml_native_put(&w, "return bad || zero;\n}\n");
	ml_buf_put(out, tail, sizeof(tail) - 1);
	ml_arena_release(&a);
}
