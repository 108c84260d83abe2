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

/* Eliminations divide: the multiple of the class that has the smallest values. */
static uint32_t best_scale(const struct ml_class *class, int32_t *max)
{
	uint32_t best = 1;

	*max = largest(class, 1);
	for (uint32_t scale = 2; scale <= MAX_SCALE && *max > 1; scale++) {
		int32_t m = largest(class, scale);

		if (m < *max) {
			*max = m;
			best = scale;
		}
	}
	return *max < ML_PRIME / 3 ? best : 0;
}

uint32_t ml_lift_fill(int32_t *table, const struct ml_class *class)
{
	int32_t max;
	uint32_t scale = best_scale(class, &max);

	for (uint32_t i = 0; scale && i < class->count; i++)
		table[class->roots[i].class] =
			centred(class->roots[i].value * scale % ML_PRIME);
	return scale;
}

bool ml_lift_init(struct ml_lift *l, const struct ml_rips *rips,
		  const struct ml_class *class)
{
	size_t bytes = rips->annotation.count * sizeof(*l->table);

	*l = (struct ml_lift){ .rips = rips, .class = class };
	l->table = ml_resize(NULL, bytes);
	memset(l->table, 0, bytes);
	l->scale = ml_lift_fill(l->table, class);
	if (l->scale)
		return true;
	ml_free(l->table);
	l->table = NULL;
	return false;
}

void ml_lift_release(struct ml_lift *l)
{
	ml_free(l->table);
	*l = (struct ml_lift){ 0 };
}

/* The node of the edge between two points, directed from the smaller to the larger. */
static uint32_t node_of(const struct ml_rips *r, uint32_t from, uint32_t to)
{
	return from > to ? ml_rips_leaf(r, from, to) : ml_rips_leaf(r, to, from);
}

static int32_t value_on(const struct ml_lift *l, uint32_t node)
{
	return l->table[ml_annotation_root(&l->rips->annotation, node, l->class->clock)];
}

/* The sums of lifts that least squares smooth into coordinates. */
struct smoothing {
	const struct ml_lift *lift;
	const int32_t *const *factor; /* [coordinate][lift] */
	size_t lifts, count;
	uint32_t birth, death; /* levels between which all live */
	struct ml_strut *struts;
	size_t strut_count, strut_cap;
};

static void find_levels(struct smoothing *s)
{
	s->death = UINT32_MAX;
	for (size_t k = 0; k < s->count; k++)
		for (size_t i = 0; i < s->lifts; i++) {
			const struct ml_class *class = s->lift[i].class;

			if (!s->factor[k][i])
				continue;
			if (class->birth_level > s->birth)
				s->birth = class->birth_level;
			if (class->death_level < s->death)
				s->death = class->death_level;
		}
}

static void add_strut(struct smoothing *s, uint32_t from, uint32_t to, double weight)
{
	s->struts = ml_grow(s->struts, &s->strut_cap, s->strut_count + 1,
			    sizeof(*s->struts));
	struct ml_strut *x = &s->struts[s->strut_count++];
	uint32_t node = node_of(s->lift->rips, from, to);

	*x = (struct ml_strut){ .from = from, .to = to, .weight = weight };
	for (size_t i = 0; i < s->lifts && node; i++)
		for (size_t k = 0; k < s->count; k++)
			if (s->factor[k][i])
				x->value[k] += (from > to ? -1 : 1) * s->factor[k][i] *
					       value_on(&s->lift[i], node);
}

/* Edges up to a level; all pairs of one level stand in the lists of its blocks. */
static void add_edges(struct smoothing *s, uint32_t levels)
{
	const struct ml_edges *e = s->lift->rips->edges;

	for (uint32_t level = 0; level < levels; level++)
		for (uint32_t block = 0; block < e->blocks; block++) {
			const struct ml_edge_list *l = ml_edges_list(e, block, level);

			for (size_t i = 0; i < l->run_count; i++)
				for (uint32_t k = 0; k < l->runs[i].count; k++)
					add_strut(s, l->ends[l->runs[i].first + k],
						  l->runs[i].point, little);
		}
}

/* The steps that edges join; strut[i] is that of step i, or SIZE_MAX. */
static void add_steps(struct smoothing *s, const struct ml_walk_step *steps, size_t count,
		      size_t *strut, uint64_t *moves, uint64_t *jumps)
{
	uint32_t levels = s->lift->rips->edges->levels;

	for (size_t i = 0; i < count; i++) {
		strut[i] = SIZE_MAX;
		if (steps[i].from == steps[i].to)
			continue;
		*moves += steps[i].count;
		if (steps[i].level >= s->death || steps[i].level >= levels) {
			*jumps += steps[i].count;
			continue;
		}
		strut[i] = s->strut_count;
		add_strut(s, steps[i].from, steps[i].to, (double)steps[i].count);
	}
}

static double nearest(double difference)
{
	return difference - round(difference);
}

/* Angles and turns of one coordinate. */
static void fill(struct ml_coordinate *c, size_t side, const struct smoothing *s,
		 double (*f)[ML_SIDES], const struct ml_walk_step *steps,
		 size_t step_count, const size_t *strut)
{
	uint32_t points = s->lift->rips->edges->points;

	c->angle = ml_resize(NULL, (points + 1) * sizeof(*c->angle));
	c->turn = ml_resize(NULL, (step_count + 1) * sizeof(*c->turn));
	for (uint32_t i = 0; i < points; i++)
		c->angle[i] = f[i][side];
	for (size_t i = 0; i < step_count; i++) {
		double d = c->angle[steps[i].to] - c->angle[steps[i].from];

		c->turn[i] = strut[i] != SIZE_MAX ? s->struts[strut[i]].value[side] + d
						  : nearest(d);
	}
}

bool ml_coordinates_init(struct ml_coordinate **c, const int32_t *const *factor,
			 size_t count, const struct ml_lift *lift, size_t lifts,
			 const struct ml_walk_step *steps, size_t step_count,
			 const struct ml_work *work, struct ml_err *err)
{
	uint32_t points = lift->rips->edges->points;
	struct smoothing s = {
		.lift = lift, .factor = factor, .lifts = lifts, .count = count
	};
	size_t *strut = ml_resize(NULL, (step_count + 1) * sizeof(*strut));
	double(*f)[ML_SIDES] = ml_resize(NULL, (points + 1) * sizeof(*f));
	uint64_t moves = 0, jumps = 0;

	find_levels(&s);
	add_steps(&s, steps, step_count, strut, &moves, &jumps);
	add_edges(&s, s.birth < s.death ? s.birth + 1 : s.death);
	bool ok = ml_least_squares(f, points, s.struts, s.strut_count, NULL, work, err);

	for (size_t k = 0; k < count; k++) {
		*c[k] = (struct ml_coordinate){ .moves = moves, .jumps = jumps };
		if (ok)
			fill(c[k], k, &s, f, steps, step_count, strut);
	}
	ml_free(s.struts);
	ml_free(strut);
	ml_free(f);
	return ok;
}

void ml_coordinate_release(struct ml_coordinate *c)
{
	ml_free(c->angle);
	ml_free(c->turn);
	*c = (struct ml_coordinate){ 0 };
}
