#include "lib/query/flow_check/explain.h"

#include <inttypes.h>
#include <string.h>

#include "lib/flow/count/count.h"
#include "lib/flow/run/experiment.h"
#include "lib/flow/flow.h"
#include "lib/query/flow_check/check_rows.h"

struct expected {
	uint64_t reads, writes; /* if a value stays in a register over some loops */
	const char *over;       /* the variables of these loops; NULL: none */
	bool known;
};

static bool depends(const struct ml_sym *e, uint32_t symbol)
{
	if (e->op == ML_SYM_SYMBOL)
		return e->symbol == symbol;
	return e->op == ML_SYM_UNKNOWN || (e->a && depends(e->a, symbol)) ||
	       (e->b && depends(e->b, symbol));
}

/* The outermost of the loops around an access, from the innermost on, that its place does
 * not depend on: over those the value may stay in a register. */
static uint32_t outermost_idle_loop(const struct ml_flow *f, const struct ml_sym *place,
				    uint32_t node)
{
	uint32_t idle = ML_FLOW_NONE;

	for (; node != ML_FLOW_NONE; node = f->node[node].parent) {
		if (f->node[node].kind == ML_FLOW_IF)
			break;
		if (f->node[node].kind != ML_FLOW_FOR)
			continue;
		if (depends(place, f->node[node].symbol))
			break;
		idle = node;
	}
	return idle;
}

static bool runs_of(const struct ml_flow_counts *c, const int64_t *value, uint32_t node,
		    uint64_t *runs)
{
	int64_t v;

	if (c->runs[node].kind == ML_FLOW_NO_FORM ||
	    !ml_poly_eval(c->runs[node].poly, value, &v) || v < 0)
		return false;
	*runs = (uint64_t)v;
	return true;
}

/* One read and one write of the same place in a computation: equal reads count once. */
static bool is_repeated(const struct ml_flow_node *n, const struct ml_sym *const *place,
			size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (n->access[j].container == n->access[i].container &&
		    n->access[j].write == n->access[i].write &&
		    ml_sym_equal(place[j], place[i]))
			return true;
	return false;
}

static uint32_t innermost(const struct ml_flow *f, uint32_t node)
{
	while (node != ML_FLOW_NONE && f->node[node].kind != ML_FLOW_FOR)
		node = f->node[node].parent;
	return node;
}

/* What a compiler leaves if it keeps values in registers as long as their place stays. */
static struct expected in_registers(const struct ml_flow_check_row *r,
				    const struct ml_flow *f,
				    const struct ml_flow_counts *c, const int64_t *value,
				    uint64_t calls, struct ml_arena *a)
{
	struct expected e = { .known = true };

	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct ml_flow_node *n = &f->node[i];
		const struct ml_sym **place =
			ml_arena_alloc(a, (n->access_count + 1) * sizeof(*place));

		for (size_t j = 0; j < n->access_count; j++)
			place[j] = ml_flow_place(a, &f->container[n->access[j].container],
						 &n->access[j]);
		for (size_t j = 0; j < n->access_count; j++) {
			uint32_t idle;
			uint64_t runs;

			if (n->access[j].container != r->container ||
			    innermost(f, i) != r->loop || is_repeated(n, place, j))
				continue;
			idle = outermost_idle_loop(f, place[j], n->parent);
			if (idle != ML_FLOW_NONE)
				e.over = f->names[f->node[idle].symbol];
			e.known = e.known &&
				  runs_of(c, value, idle == ML_FLOW_NONE ? i : idle,
					  &runs);
			if (e.known)
				*(n->access[j].write ? &e.writes : &e.reads) += runs *
										calls;
		}
	}
	return e;
}

/* Whether data decide which of the accesses of a row run: the prediction is a bound. */
static bool data_decide(const struct ml_flow_check_row *r, const struct ml_flow *f)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		for (size_t j = 0; j < f->node[i].access_count; j++) {
			bool bounded = f->node[i].access[j].bounded;

			if (f->node[i].access[j].container != r->container ||
			    innermost(f, i) != r->loop)
				continue;
			for (uint32_t up = i; up != ML_FLOW_NONE; up = f->node[up].parent)
				bounded |= f->node[up].kind == ML_FLOW_IF &&
					   ml_sym_has_unknown(f->node[up].condition);
			if (bounded)
				return true;
		}
	return false;
}

static const char *times_text(struct ml_arena *a, uint64_t times)
{
	return ml_arena_printf(a,
			       "%" PRIu64
			       " times the prediction: the function ran so often "
			       "(--calls), or the trace has other sizes",
			       times);
}

static const char *explain_fewer(const struct ml_flow_check_row *r,
				 const struct expected *e, struct ml_arena *a)
{
	const struct ml_flow_check_side *p = &r->predicted, *is = &r->recorded;

	if (e->known && is->reads == e->reads && is->writes == e->writes)
		return e->over ? ml_arena_printf(a, "kept in a register over loop %s",
						 e->over)
			       : "a value used twice is read once";
	if (e->known && e->over && is->reads == e->reads && is->writes == p->writes)
		return ml_arena_printf(a,
				       "read once before loop %s, but written each time: "
				       "for all the compiler knows, arrays overlap",
				       e->over);
	if (is->bytes == p->bytes)
		return ml_arena_printf(
			a, "vector instructions: %.3g bytes an access, the same bytes",
			(double)is->bytes / (double)(is->reads + is->writes));
	if (e->known && e->writes && is->writes == e->writes && is->reads < p->reads)
		return e->over ? ml_arena_printf(
					 a,
					 "written after loop %s only; values stay "
					 "in registers",
					 e->over)
			       : "values stay in registers between iterations";
	if ((is->reads + is->writes) * 4 <= is->bytes && is->bytes < p->bytes &&
	    is->reads + is->writes < (p->reads + p->writes) / 2)
		return "vector instructions, and values that stay in registers";
	return "values stay in registers: fewer accesses than the source writes down";
}

static const char *explain(struct ml_arena *out, struct ml_flow_check_row *r,
			   const struct ml_flow *f, const struct ml_flow_counts *c,
			   const struct ml_experiment *x)
{
	const struct ml_flow_check_side *p = &r->predicted, *is = &r->recorded;
	uint64_t expected = p->reads + p->writes, found = is->reads + is->writes;

	if (r->container == ML_FLOW_NONE)
		return "no array of the source: scalars, spilled registers, other memory";
	if (!found)
		return "not recorded: the compiler removed it, or it is in another line";
	if (!expected)
		return "not predicted here: the place depends on data, or the line is "
		       "another loop's";
	if (is->reads == p->reads && is->writes == p->writes) {
		r->as_predicted = is->bytes == p->bytes;
		return r->as_predicted ? "as predicted"
				       : "as many accesses, of another size";
	}
	if (found > expected) {
		if (!(is->reads % (p->reads ? p->reads : 1)) && found % expected == 0 &&
		    is->reads == p->reads * (found / expected))
			return times_text(out, found / expected);
		return "more than the source writes down: values are read again because "
		       "pointers may overlap, or the function ran with other sizes";
	}
	if (data_decide(r, f))
		return "the prediction is an upper bound: data decide which of these "
		       "accesses run";
	struct ml_arena a = { 0 };
	int64_t *value = ml_arena_alloc(&a, (f->symbol_count + 1) * sizeof(*value));
	memcpy(value, x->now.served.walk.value, f->symbol_count * sizeof(*value));
	ml_flow_count_atoms(f, value);
	struct expected e = in_registers(r, f, c, value, x->calls ? x->calls : 1, &a);
	const char *why = explain_fewer(r, &e, out);
	ml_arena_release(&a);
	return why;
}

void ml_flow_check_explain(struct ml_arena *a, struct ml_flow_check_row *r,
			   const struct ml_flow *f, const struct ml_flow_counts *c,
			   const struct ml_experiment *x)
{
	r->why = explain(a, r, f, c, x);
}
