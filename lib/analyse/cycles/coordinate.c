#include "lib/analyse/cycles/coordinate.h"

#include <math.h>
#include <string.h>

#include "lib/analyse/cycles/edges.h"
#include "lib/analyse/cycles/least_squares.h"
#include "lib/analyse/cycles/rips.h"
#include "lib/base/arena.h"

enum { MAX_SCALE = 64 };

/* What an edge weighs that the walk never takes. */
static const double little = 1.0 / 64;

static int32_t centred(uint32_t value)
{
	return value > ML_PRIME / 2 ? (int32_t)value - ML_PRIME : (int32_t)value;
}

static int32_t largest(const struct ml_class *c, uint32_t scale)
{
	int32_t max = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		int32_t v = centred(c->roots[i].value * scale % ML_PRIME);

		v = v < 0 ? -v : v;
		max = v > max ? v : max;
	}
	return max;
}

bool ml_lift_init(struct ml_lift *l, const struct ml_rips *rips,
		  const struct ml_class *class)
{
	size_t bytes = rips->annotation.count * sizeof(*l->table);

	*l = (struct ml_lift){ .rips = rips, .class = class, .scale = 1 };
	l->max = largest(class, 1);
	/* eliminations divide: multiples of the class may have smaller values */
	for (uint32_t scale = 2; scale <= MAX_SCALE && l->max > 1; scale++) {
		int32_t max = largest(class, scale);

		if (max < l->max) {
			l->max = max;
			l->scale = scale;
		}
	}
	if (l->max >= ML_PRIME / 3)
		return false;
	l->table = ml_resize(NULL, bytes);
	memset(l->table, 0, bytes);
	for (uint32_t i = 0; i < class->count; i++)
		l->table[class->roots[i].class] =
			centred(class->roots[i].value * l->scale % ML_PRIME);
	return true;
}

void ml_lift_release(struct ml_lift *l)
{
	ml_free(l->table);
	*l = (struct ml_lift){ 0 };
}

int32_t ml_lift_value(const struct ml_lift *l, uint32_t from, uint32_t to)
{
	bool backwards = from > to;
	uint32_t leaf = backwards ? ml_rips_leaf(l->rips, from, to)
				  : ml_rips_leaf(l->rips, to, from);

	if (!leaf)
		return 0;
	int32_t v =
		l->table[ml_annotation_root(&l->rips->annotation, leaf, l->class->clock)];
	return backwards ? -v : v;
}

static double value_of(const struct ml_lift *lift, const int32_t *factor, size_t count,
		       uint32_t from, uint32_t to)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (factor[i])
			sum += (int64_t)factor[i] * ml_lift_value(&lift[i], from, to);
	return (double)sum;
}

struct struts {
	struct ml_strut *at;
	size_t count, cap;
};

static void add_strut(struct struts *s, uint32_t from, uint32_t to, double weight,
		      double value)
{
	s->at = ml_grow(s->at, &s->cap, s->count + 1, sizeof(*s->at));
	s->at[s->count++] = (struct ml_strut){ from, to, weight, value };
}

/* Edges up to a level; all pairs of one level stand in the lists of its blocks. */
static void add_edges(struct struts *s, const struct ml_lift *lift, const int32_t *factor,
		      size_t count, uint32_t levels)
{
	const struct ml_edges *e = lift->rips->edges;

	for (uint32_t level = 0; level < levels; level++)
		for (uint32_t block = 0; block < e->blocks; block++) {
			const struct ml_edge_list *l = ml_edges_list(e, block, level);

			for (size_t i = 0; i < l->run_count; i++)
				for (uint32_t k = 0; k < l->runs[i].count; k++) {
					uint32_t from = l->ends[l->runs[i].first + k],
						 to = l->runs[i].point;

					add_strut(
						s, from, to, little,
						value_of(lift, factor, count, from, to));
				}
		}
}

static double nearest(double difference)
{
	return difference - round(difference);
}

void ml_coordinate_init(struct ml_coordinate *c, const struct ml_lift *lift,
			const int32_t *factor, size_t count,
			const struct ml_walk_step *steps, size_t step_count)
{
	const struct ml_rips *r = lift->rips;
	const struct ml_edges *e = r->edges;
	struct struts struts = { 0 };
	uint32_t birth = 0, death = UINT32_MAX;
	/* the value of each step, NAN where no edge joins its ends */
	double *value = ml_resize(NULL, (step_count + 1) * sizeof(*value));

	*c = (struct ml_coordinate){ 0 };
	for (size_t i = 0; i < count; i++) {
		if (!factor[i])
			continue;
		if (lift[i].class->birth_level > birth)
			birth = lift[i].class->birth_level;
		if (lift[i].class->death_level < death)
			death = lift[i].class->death_level;
	}
	for (size_t i = 0; i < step_count; i++) {
		uint32_t a = steps[i].from, b = steps[i].to;

		value[i] = 0;
		if (a == b)
			continue;
		c->moves += steps[i].count;
		value[i] = NAN;
		if (steps[i].level >= death || steps[i].level >= e->levels) {
			c->jumps += steps[i].count;
			continue;
		}
		value[i] = value_of(lift, factor, count, a, b);
		add_strut(&struts, a, b, (double)steps[i].count, value[i]);
	}
	add_edges(&struts, lift, factor, count, birth < death ? birth + 1 : death);
	c->angle = ml_resize(NULL, (e->points + 1) * sizeof(*c->angle));
	ml_least_squares(c->angle, e->points, struts.at, struts.count);
	c->turn = ml_resize(NULL, (step_count + 1) * sizeof(*c->turn));
	for (size_t i = 0; i < step_count; i++) {
		double d = c->angle[steps[i].to] - c->angle[steps[i].from];

		c->turn[i] = isnan(value[i]) ? nearest(d) : value[i] + d;
	}
	ml_free(struts.at);
	ml_free(value);
}

void ml_coordinate_release(struct ml_coordinate *c)
{
	ml_free(c->angle);
	ml_free(c->turn);
	*c = (struct ml_coordinate){ 0 };
}
