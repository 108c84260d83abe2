/* The operations of library nodes of DaCe, by their known volume. */
#include <string.h>

#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_read_parts.h"

static const struct ml_sym *volume(struct ml_arena *a, const struct ml_sdfg_subset *x)
{
	const struct ml_sym *v = ml_sym_const(a, 1);

	for (uint32_t d = 0; d < x->dims; d++)
		v = ml_sym_make(
			a, ML_SYM_MUL, v,
			ml_sym_add_const(
				a, ml_sym_sub(a, x->range[d].to, x->range[d].from), 1));
	return v;
}

/* Extent of dimension d from the end: 1 is the last. */
static const struct ml_sym *extent(struct ml_arena *a, const struct ml_sdfg_subset *x,
				   uint32_t d)
{
	if (x->dims < d)
		return ml_sym_const(a, 1);
	const struct ml_flow_range *g = &x->range[x->dims - d];

	return ml_sym_add_const(a, ml_sym_sub(a, g->to, g->from), 1);
}

struct call {
	struct ml_sdfg_reader *r;
	json_t *node;
	const struct ml_sdfg_operand *operand;
	size_t count;
};

/* The subset of a connector; else that of the first operand on that side. */
static const struct ml_sdfg_subset *operand(const struct call *c, bool write,
					    const char *const *names)
{
	static const struct ml_sdfg_subset none = { .bad = true };
	const struct ml_sdfg_subset *first = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct ml_sdfg_operand *x = &c->operand[i];

		if (x->write != write)
			continue;
		for (size_t n = 0; names && names[n]; n++)
			if (!strcmp(x->connector, names[n]))
				return &x->subset;
		first = first ? first : &x->subset;
	}
	return first ? first : &none;
}

static const struct ml_sym *product(const struct call *c)
{
	static const char *const left[] = { "_a", "_A", "_x", "A", NULL };
	struct ml_arena *a = &c->r->f->arena;
	const struct ml_sdfg_subset *in = operand(c, false, left);
	json_t *turned = ml_sdfg_attr(c->node, "transA");
	bool back = json_is_true(turned) && in->dims > 1;

	/* each element of the result takes the length of the inner dimension */
	return ml_sym_make(a, ML_SYM_MUL, volume(a, operand(c, true, NULL)),
			   extent(a, in, back ? 2 : 1));
}

/* Weights [channels out][channels in][window]: all but the first for each result. */
static const struct ml_sym *convolution(const struct call *c)
{
	static const char *const weights[] = { "W", "_W", "_weight", "weight", NULL };
	struct ml_arena *a = &c->r->f->arena;
	const struct ml_sdfg_subset *w = operand(c, false, weights);
	const struct ml_sym *n = volume(a, operand(c, true, NULL));

	for (uint32_t d = 1; d < w->dims; d++)
		n = ml_sym_make(a, ML_SYM_MUL, n, extent(a, w, d));
	return n;
}

static const struct ml_sym *input(const struct call *c)
{
	return volume(&c->r->f->arena, operand(c, false, NULL));
}

static const struct ml_sym *output(const struct call *c)
{
	return volume(&c->r->f->arena, operand(c, true, NULL));
}

/* Operations of one step, and the number of steps; NULL: no operations at all. */
static const struct library {
	const char *name;
	uint64_t add, mul, div, special, compare;
	const struct ml_sym *(*steps)(const struct call *c);
} libraries[] = {
	{ "MatMul", .add = 1, .mul = 1, .steps = product },
	{ "BatchedMatMul", .add = 1, .mul = 1, .steps = product },
	{ "Gemm", .add = 1, .mul = 1, .steps = product },
	{ "Gemv", .add = 1, .mul = 1, .steps = product },
	{ "Dot", .add = 1, .mul = 1, .steps = input },
	{ "Ger", .mul = 1, .add = 1, .steps = output },
	{ "Axpy", .add = 1, .mul = 1, .steps = output },
	{ "Conv", .add = 1, .mul = 1, .steps = convolution },
	{ "Conv2D", .add = 1, .mul = 1, .steps = convolution },
	{ "Reduce", .add = 1, .steps = input },
	{ "ReduceSum", .add = 1, .steps = input },
	{ "ReduceMean", .add = 1, .steps = input },
	{ "ReduceMax", .compare = 1, .steps = input },
	{ "ReduceMin", .compare = 1, .steps = input },
	/* the maximum, its difference, the exponential, their sum, the quotient */
	{ "Softmax", .compare = 1, .add = 2, .special = 1, .div = 1, .steps = input },
	{ "LogSoftmax", .compare = 1, .add = 3, .special = 1, .steps = input },
	/* mean, difference, square, variance; quotient, scale, shift */
	{ "LayerNormalization", .add = 4, .mul = 2, .div = 1, .steps = input },
	{ "BatchNormalization", .add = 2, .mul = 2, .steps = output },
	{ "Relu", .compare = 1, .steps = output },
	{ "MaxPool", .compare = 1, .steps = input },
	{ "AveragePool", .add = 1, .steps = input },
	{ "Sigmoid", .special = 1, .add = 1, .div = 1, .steps = output },
	{ "Tanh", .special = 1, .steps = output },
	{ "Erf", .special = 1, .steps = output },
	{ "Exp", .special = 1, .steps = output },
	{ "Sqrt", .special = 1, .steps = output },
	{ "Add", .add = 1, .steps = output },
	{ "Sub", .add = 1, .steps = output },
	{ "Mul", .mul = 1, .steps = output },
	{ "Div", .div = 1, .steps = output },
	{ .name = "Transpose" },
	{ .name = "TensorTranspose" },
	{ .name = "Reshape" },
	{ .name = "CopyNode" },
	{ .name = "CopyLibraryNode" },
	{ .name = "MemsetLibraryNode" },
	{ 0 },
};

/* A reduction adds, unless its function says something else. */
static void reduction(const struct call *c, uint64_t *ops)
{
	const char *wcr = ml_sdfg_code(ml_sdfg_attr(c->node, "wcr"));

	if (strstr(wcr, "max") || strstr(wcr, "min")) {
		ops[ML_FLOW_ADD] = 0;
		ops[ML_FLOW_COMPARE] = 1;
	} else if (strchr(wcr, '*')) {
		ops[ML_FLOW_ADD] = 0;
		ops[ML_FLOW_MUL] = 1;
	}
}

void ml_sdfg_library(struct ml_sdfg_reader *r, uint32_t work, json_t *node,
		     const struct ml_sdfg_operand *operands, size_t count)
{
	const struct call c = { r, node, operands, count };
	const char *path = ml_sdfg_text(node, "classpath"), *dot = strrchr(path, '.');
	const char *name = dot ? dot + 1 : path;
	const struct library *l = libraries;
	uint64_t *ops = r->f->node[work].ops;

	if (!strncmp(name, "ONNX", 4))
		name += 4;
	while (l->name && strcmp(l->name, name) != 0)
		l++;
	r->f->node[work].assumed = true;
	ml_flow_add_note(r->f,
			 "library node '%s' is taken to access each element of its "
			 "memlets once",
			 name);
	if (!l->name) {
		ml_flow_add_note(
			r->f, "the operations of library node '%s' are not known", name);
		return;
	}
	if (!l->steps)
		return;
	const struct ml_sym *steps = l->steps(&c);
	if (ml_sym_has_unknown(steps)) {
		ml_flow_add_note(r->f,
				 "the operations of library node '%s' depend on data and "
				 "are not counted",
				 name);
		return;
	}
	/* updates of memlets with conflict resolution are counted where they move */
	ops[ML_FLOW_ADD] = l->add;
	ops[ML_FLOW_MUL] = l->mul;
	ops[ML_FLOW_DIV] = l->div;
	ops[ML_FLOW_SPECIAL] = l->special;
	ops[ML_FLOW_COMPARE] = l->compare;
	if (!strcmp(name, "Reduce"))
		reduction(&c, ops);
	r->f->node[work].repeat = steps;
}
