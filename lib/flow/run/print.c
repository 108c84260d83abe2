#include "lib/flow/run/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/flow/count/count.h"
#include "lib/flow/flow.h"
#include "lib/flow/run/locality.h"

enum { EXACT = 256, DIVISION = 200 }; /* distances listed one by one; steps */

bool ml_flow_values(const struct ml_flow *f, const char *text, struct ml_arena *a,
		    int64_t **value, bool **known, struct ml_err *err)
{
	*value = ml_arena_alloc(a, (f->symbol_count + 1) * sizeof(**value));
	*known = ml_arena_alloc(a, (f->symbol_count + 1) * sizeof(**known));
	char *at = text && *text ? ml_arena_strdup(a, text) : NULL;
	for (char *next; at; at = next) {
		char *equals = strchr(at, '='), *end;

		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		if (!equals || (next && equals > next))
			return ml_fail(err, ML_USAGE,
				       "'%s' sets nothing: say NAME=NUMBER", at);
		*equals = 0;
		uint32_t s = ml_flow_find_symbol(f, at);
		if (s == UINT32_MAX) {
			struct ml_buf names = { 0 };

			for (size_t i = 0; i < f->symbol_count; i++)
				if (f->symbol[i].kind <= ML_FLOW_TRIPS)
					ml_buf_printf(&names, "%s%s",
						      names.size ? ", " : "",
						      f->names[i]);
			ml_fail(err, ML_USAGE,
				"there is no parameter '%s'; parameters are %.*s", at,
				(int)names.size,
				names.size ? (const char *)names.data : "");
			ml_buf_release(&names);
			return false;
		}
		(*value)[s] = strtoll(equals + 1, &end, 10);
		if (end == equals + 1 || *end || (*value)[s] < 0 ||
		    (*value)[s] > (int64_t)1 << 40)
			return ml_fail(err, ML_USAGE,
				       "'%s' is no size for '%s'; sizes are 0 to 2^40",
				       equals + 1, at);
		(*known)[s] = true;
	}
	return true;
}

static void key_count(const struct ml_flow *f, const char *key,
		      const struct ml_flow_count *c, struct ml_json *w)
{
	struct ml_buf b = { 0 };

	ml_json_key(w, key);
	if (c->kind == ML_FLOW_NO_FORM) {
		ml_json_null(w);
		return;
	}
	ml_flow_count_print(c, f, &b);
	ml_json_bytes(w, (const char *)b.data, b.size);
	ml_buf_release(&b);
}

static void text_of(const struct ml_flow *f, const struct ml_sym *e, struct ml_json *w)
{
	struct ml_buf b = { 0 };

	if (!e) {
		ml_json_null(w);
		return;
	}
	ml_sym_print(e, f->names, &b);
	ml_json_bytes(w, (const char *)b.data, b.size);
	ml_buf_release(&b);
}

void ml_flow_print_shape(const struct ml_flow *f, uint32_t container, struct ml_buf *out)
{
	const struct ml_flow_container *c = &f->container[container];

	for (uint32_t d = 0; d < c->dims; d++) {
		ml_buf_text(out, "[");
		if (c->shape[d])
			ml_sym_print(c->shape[d], f->names, out);
		ml_buf_text(out, "]");
	}
}

static uint32_t power_of(const struct ml_poly_term *t, uint32_t symbol)
{
	for (uint32_t i = 0; i < t->factors; i++)
		if (t->factor[i].symbol == symbol)
			return t->factor[i].power;
	return 0;
}

/* Lexicographic by symbol: an order that multiplication keeps. */
static bool leads(const struct ml_poly_term *x, const struct ml_poly_term *y)
{
	uint32_t i = 0, j = 0;

	while (i < x->factors && j < y->factors &&
	       x->factor[i].symbol == y->factor[j].symbol &&
	       x->factor[i].power == y->factor[j].power) {
		i++;
		j++;
	}
	if (i == x->factors || j == y->factors)
		return i < x->factors;
	if (x->factor[i].symbol != y->factor[j].symbol)
		return x->factor[i].symbol < y->factor[j].symbol;
	return x->factor[i].power > y->factor[j].power;
}

static const struct ml_poly_term *leading(struct ml_poly x)
{
	const struct ml_poly_term *t = x.term;

	for (size_t i = 1; i < x.count; i++)
		t = leads(&x.term[i], t) ? &x.term[i] : t;
	return t;
}

/* x / y for terms; false: y does not divide x. */
static bool term_quotient(struct ml_arena *a, const struct ml_poly_term *x,
			  const struct ml_poly_term *y, struct ml_poly *q)
{
	*q = ml_poly_const(a, 1);
	for (uint32_t i = 0; i < y->factors; i++)
		if (power_of(x, y->factor[i].symbol) < y->factor[i].power)
			return false;
	for (uint32_t i = 0; i < x->factors; i++)
		for (uint32_t n = power_of(y, x->factor[i].symbol);
		     n < x->factor[i].power; n++)
			*q = ml_poly_mul(a, *q, ml_poly_symbol(a, x->factor[i].symbol));
	*q = ml_poly_scale(a, ml_poly_scale(a, *q, x->num, x->den), y->den, y->num);
	return !q->bad;
}

/* x / y where nothing remains, by long division. */
static bool divided(struct ml_arena *a, struct ml_poly x, struct ml_poly y,
		    struct ml_poly *out)
{
	struct ml_poly q;

	*out = ml_poly_const(a, 0);
	for (int step = 0; step < DIVISION && x.count && !x.bad; step++) {
		if (!term_quotient(a, leading(x), leading(y), &q))
			return false;
		*out = ml_poly_add(a, *out, q);
		x = ml_poly_add(a, x, ml_poly_scale(a, ml_poly_mul(a, q, y), -1, 1));
	}
	return !x.count && !x.bad && !out->bad;
}

void ml_flow_print_ratio(const struct ml_flow *f, const struct ml_flow_count *above,
			 const struct ml_flow_count *below, struct ml_buf *out)
{
	if (above->kind == ML_FLOW_NO_FORM || below->kind == ML_FLOW_NO_FORM) {
		ml_buf_text(out, "no closed form");
		return;
	}
	if (!below->poly.count) {
		ml_buf_text(out, "-");
		return;
	}
	if (!above->poly.count) {
		ml_buf_text(out, "0");
		return;
	}
	/* proportional: the quotient of the first terms is that of all */
	const struct ml_poly_term *x = above->poly.term, *y = below->poly.term;
	__int128 num = (__int128)x->num * y->den, den = (__int128)y->num * x->den;
	struct ml_arena a = { 0 };
	struct ml_poly quotient;
	bool fits = num < INT64_MAX && num > INT64_MIN && den < INT64_MAX &&
		    den > INT64_MIN && den;
	if (fits &&
	    ml_poly_equal(above->poly,
			  ml_poly_scale(&a, below->poly, (int64_t)num, (int64_t)den))) {
		ml_buf_printf(out, "%.6g", (double)num / (double)den);
	} else if (divided(&a, above->poly, below->poly, &quotient)) {
		ml_poly_print(quotient, f->names, out);
	} else {
		ml_buf_text(out, "(");
		ml_poly_print(above->poly, f->names, out);
		ml_buf_text(out, ") / (");
		ml_poly_print(below->poly, f->names, out);
		ml_buf_text(out, ")");
	}
	ml_arena_release(&a);
}

void ml_flow_print_intensity(const struct ml_flow *f, const struct ml_flow_counts *c,
			     struct ml_buf *out)
{
	ml_flow_print_ratio(f, &c->all_ops, &c->all_bytes, out);
}

static void containers(const struct ml_flow *f, const struct ml_flow_counts *c,
		       struct ml_json *w)
{
	ml_json_key_array(w, "containers");
	for (size_t i = 0; i < f->container_count; i++) {
		const struct ml_flow_container *x = &f->container[i];

		ml_json_object(w);
		ml_json_key_string(w, "name", x->name);
		ml_json_key_string(w, "type", x->type);
		ml_json_key_u64(w, "element", x->element);
		ml_json_key_array(w, "shape");
		for (uint32_t d = 0; d < x->dims; d++)
			text_of(f, x->shape[d], w);
		ml_json_end(w);
		ml_json_key_array(w, "strides");
		for (uint32_t d = 0; d < x->dims; d++)
			text_of(f, x->stride[d], w);
		ml_json_end(w);
		ml_json_key_bool(w, "transient", x->transient);
		ml_json_key_bool(w, "scalar", x->scalar);
		key_count(f, "read", &c->read[i], w);
		key_count(f, "written", &c->written[i], w);
		ml_json_key_bool(w, "bounded",
				 c->read[i].bounded || c->written[i].bounded);
		ml_json_end(w);
	}
	ml_json_end(w);
}

void ml_flow_json(const struct ml_flow *f, const struct ml_flow_counts *c,
		  struct ml_json *w)
{
	struct ml_buf b = { 0 };

	ml_json_key_string(w, "function", f->function);
	ml_json_key_string(w, "dialect", f->dialect);
	ml_json_key_array(w, "parameters");
	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].kind <= ML_FLOW_TRIPS)
			ml_json_string(w, f->names[i]);
	ml_json_end(w);
	containers(f, c, w);
	key_count(f, "bytes", &c->all_bytes, w);
	key_count(f, "operations", &c->all_ops, w);
	ml_json_key_object(w, "operations_by_kind");
	for (int i = 0; i < ML_FLOW_OPS; i++)
		key_count(f, ml_flow_op_names[i], &c->ops[i], w);
	ml_json_end(w);
	ml_flow_print_intensity(f, c, &b);
	ml_json_key(w, "intensity");
	ml_json_bytes(w, (const char *)b.data, b.size);
	ml_json_key_bool(w, "bounded", c->all_bytes.bounded || c->all_ops.bounded);
	ml_json_key_bool(w, "fitted",
			 c->all_bytes.kind == ML_FLOW_FITTED ||
				 c->all_ops.kind == ML_FLOW_FITTED);
	ml_json_key_array(w, "conditions");
	for (size_t i = 0; i < c->condition_count; i++) {
		b.size = 0;
		ml_poly_print(c->condition[i], f->names, &b);
		ml_buf_text(&b, " >= 0");
		ml_json_bytes(w, (const char *)b.data, b.size);
	}
	ml_json_end(w);
	ml_json_key_array(w, "notes");
	for (size_t i = 0; i < f->note_count; i++)
		ml_json_string(w, f->note[i]);
	ml_json_end(w);
	ml_buf_release(&b);
}

/* Pairs [distance, touches]; beyond EXACT different ones, those of a power of two
 * together, with the lowest distance. */
static void histogram(const struct ml_locality_container *c, struct ml_json *w)
{
	uint64_t(*pair)[2];
	size_t n = ml_locality_distances(c, &pair);

	ml_json_key_array(w, "distances");
	for (size_t i = 0; i < n;) {
		uint64_t low = pair[i][0], count = 0, next = low + 1;

		if (n > EXACT && low)
			next = (uint64_t)2 << (63 - __builtin_clzll(low));
		if (n > EXACT && low)
			low = next / 2;
		for (; i < n && pair[i][0] < next; i++)
			count += pair[i][1];
		ml_json_array(w);
		ml_json_u64(w, low);
		ml_json_u64(w, count);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_key_bool(w, "distances_exact", n <= EXACT);
	ml_free(pair);
}

void ml_flow_json_at(const struct ml_locality *l, struct ml_json *w)
{
	const struct ml_flow *f = l->walk.flow;
	uint64_t cold = 0, misses = 0;

	ml_json_key_object(w, "values");
	for (size_t i = 0; i < f->symbol_count; i++)
		if (f->symbol[i].kind <= ML_FLOW_TRIPS && l->walk.known[i])
			ml_json_key_i64(w, f->names[i], l->walk.value[i]);
	ml_json_end(w);
	ml_json_key_u64(w, "line", l->walk.line);
	ml_json_key_u64(w, "threshold", l->threshold);
	ml_json_key_u64(w, "accesses", l->walk.count);
	ml_json_key_u64(w, "computations", l->walk.instances);
	ml_json_key_u64(w, "uncertain", l->walk.uncertain);
	ml_json_key_array(w, "containers");
	for (size_t i = 0; i < f->container_count; i++) {
		const struct ml_locality_container *c = &l->container[i];

		if (f->container[i].scalar)
			continue;
		ml_json_object(w);
		ml_json_key_string(w, "name", f->container[i].name);
		ml_json_key_u64(w, "reads", c->reads);
		ml_json_key_u64(w, "writes", c->writes);
		ml_json_key_u64(w, "unplaced", l->walk.placed[i].unplaced);
		ml_json_key_u64(w, "cold", c->cold);
		ml_json_key_u64(w, "misses", c->misses);
		ml_json_key_u64(w, "bytes", (c->cold + c->misses) * l->walk.line);
		histogram(c, w);
		ml_json_end(w);
		cold += c->cold;
		misses += c->misses;
	}
	ml_json_end(w);
	ml_json_key_u64(w, "cold", cold);
	ml_json_key_u64(w, "misses", misses);
	ml_json_key_u64(w, "bytes", (cold + misses) * l->walk.line);
}
