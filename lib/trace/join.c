#include "lib/trace/join.h"

#include <string.h>

enum { NEAR = 4 /* bases before it that another may move with */ };

static bool fits(int64_t v)
{
	return v == (int32_t)v;
}

size_t ml_join_most(const struct ml_shapes *shapes, const uint32_t *paths, size_t count)
{
	size_t n = 0, slots = 0;

	for (; n < count && n < ML_JOIN_PARTS; n++) {
		const struct ml_path *p = &shapes->path[paths[n]];

		slots += p->slots;
		if (p->maybe || p->drifts || p->user != shapes->path[paths[0]].user ||
		    slots > ML_JOIN_SLOTS)
			break;
	}
	return n;
}

void ml_join_init(struct ml_join *j, bool user)
{
	j->shape = (struct ml_shape){ .user = user };
	j->links = 0;
	j->changed = j->derived = 0;
}

/* Does the base follow from an earlier one, by its register? */
static bool by_register(const struct ml_join *j, struct ml_base b, struct ml_link *link)
{
	if (b.reg == ML_NO_REG || !(j->derived >> b.reg & 1))
		return false;
	*link = (struct ml_link){ j->delta[b.reg] + b.delta, j->of[b.reg] };
	return fits(link->delta);
}

/* By what two runs have in common? The nearest is the likeliest to be no accident. */
static bool by_runs(const struct ml_join *j, uint64_t first, uint64_t second,
		    struct ml_link *link)
{
	for (unsigned k = j->shape.bases; k-- > 0;)
		if (first - j->value[0][k] == second - j->value[1][k]) {
			*link = (struct ml_link){ (int64_t)(first - j->value[0][k]),
						  (uint16_t)k };
			return true;
		}
	return false;
}

/* Did the value move in all runs as the drift says? Sets the shift. */
static bool drifts_as(const struct ml_drift_runs *r, const uint64_t *value,
		      struct ml_drift *d)
{
	uint64_t moved[ML_DRIFT_RUNS];
	bool differ = false;

	for (unsigned i = 0; i < r->runs; i++) {
		moved[i] = r->value[i][d->as] - r->value[i][d->from];
		differ |= moved[i] != moved[0];
		if (!moved[i])
			return false;
	}
	if (!differ)
		return false; /* what goes the same way always shows nothing */
	for (d->shift = 0; d->shift <= ML_DRIFT_SHIFT; d->shift++) {
		unsigned same = 0;

		while (same < r->runs &&
		       value[same] - r->value[same][d->like] == moved[same] << d->shift)
			same++;
		if (same == r->runs)
			return true;
	}
	return false;
}

bool ml_drift_find(const struct ml_drift_runs *r, uint32_t state, const uint64_t *value,
		   struct ml_drift *out)
{
	unsigned like = r->bases, as = r->bases;

	while (like-- > 0 && r->state[like] != state)
		continue;
	if (like >= r->bases)
		return false;
	while (as-- > 0 && as + NEAR >= r->bases)
		for (unsigned from = as; as != like && from-- > 0;) {
			*out = (struct ml_drift){ (uint16_t)like, (uint16_t)as,
						  (uint16_t)from, 0 };
			if (r->state[from] == r->state[as] && drifts_as(r, value, out))
				return true;
		}
	return false;
}

/* By moving, since the same code ran before, as one of the bases before it did? */
static bool by_drifting(const struct ml_join *j, uint32_t state, uint64_t first,
			uint64_t second, struct ml_drift *out)
{
	struct ml_drift_runs r = { .runs = 2,
				   .bases = j->shape.bases,
				   .state = j->state,
				   .value = { j->value[0], j->value[1] } };

	return ml_drift_find(&r, state, (uint64_t[]){ first, second }, out);
}

/* A base of the next part; now and offset are its base in the join and the distance. */
static void join_base(struct ml_join *j, struct ml_base b, struct ml_link link,
		      uint16_t *now, int64_t *offset)
{
	if (link.from != ML_JOIN_NEW && link.from & ML_DRIFT) {
		*now = link.from;
		*offset = 0;
		j->link[j->links++] = link;
		return; /* nothing can be said of its register */
	}
	if (link.from != ML_JOIN_NEW) {
		*now = link.from;
		*offset = link.delta;
	} else {
		*now = j->shape.bases++;
		*offset = 0;
		j->base[*now] = b;
		j->state[*now] = b.state;
		if (b.reg != ML_NO_REG && j->changed >> b.reg & 1)
			j->base[*now].reg = ML_NO_REG;
	}
	if (b.reg != ML_NO_REG) {
		j->of[b.reg] = *now;
		j->delta[b.reg] = *offset - b.delta;
		j->derived |= 1u << b.reg;
	}
	j->link[j->links++] = link;
}

/* What the registers hold behind the part. */
static void join_effects(struct ml_join *j, const struct ml_path *path,
			 const uint16_t *now, const int64_t *offset)
{
	j->changed |= path->clobber;
	j->derived &= ~path->clobber;
	for (unsigned i = 0; i < path->effects; i++) {
		struct ml_effect e = path->effect[i];

		j->changed |= 1u << e.reg;
		if (now[e.base] & ML_DRIFT)
			continue; /* of which a register cannot be said to be derived */
		j->derived |= 1u << e.reg;
		j->of[e.reg] = now[e.base];
		j->delta[e.reg] = offset[e.base] + e.delta;
	}
}

static void join_exit(struct ml_join *j)
{
	struct ml_exit *e = &j->exit[j->shape.exits];
	struct ml_effect *effect = j->effect[j->shape.exits++];

	*e = (struct ml_exit){ .slots = j->shape.slots,
			       .bases = j->shape.bases,
			       .clobber = (uint16_t)j->changed,
			       .effect = effect };
	for (uint8_t r = 0; r < ML_REGS; r++)
		if (j->changed & j->derived & 1u << r && fits(j->delta[r]))
			effect[e->effects++] = (struct ml_effect){ r, j->of[r],
								   (int32_t)j->delta[r] };
}

void ml_join_part(struct ml_join *j, const struct ml_shapes *shapes, uint32_t path,
		  const uint64_t *first, const uint64_t *second, const uint8_t *free)
{
	const struct ml_path *p = &shapes->path[path];
	const struct ml_slot *slot = shapes->at[p->shape].slot;
	uint16_t now[ML_JOIN_SLOTS];
	int64_t offset[ML_JOIN_SLOTS];

	for (unsigned i = 0; i < p->bases; i++) {
		unsigned how = free ? free[i] : ML_JOIN_ANY;
		struct ml_link link;
		struct ml_drift drift;
		bool follows = false;

		if (how == ML_JOIN_ANY)
			follows = by_register(j, p->base[i], &link) ||
				  (first && by_runs(j, first[i], second[i], &link));
		if (!follows && how != ML_JOIN_FREE && first &&
		    by_drifting(j, p->base[i].state, first[i], second[i], &drift)) {
			link = (struct ml_link){ 0,
						 (uint16_t)(ML_DRIFT + j->shape.drifts) };
			j->drift[j->shape.drifts++] = drift;
			follows = true;
		}
		if (!follows) {
			link = (struct ml_link){ 0, ML_JOIN_NEW };
			if (first) {
				j->value[0][j->shape.bases] = first[i];
				j->value[1][j->shape.bases] = second[i];
			}
		}
		join_base(j, p->base[i], link, &now[i], &offset[i]);
	}
	for (unsigned i = 0; i < p->slots; i++) {
		struct ml_slot s = slot[i];

		if (s.base != ML_NO_BASE) {
			s.offset += (uint64_t)offset[s.base];
			s.base = now[s.base];
		}
		j->slot[j->shape.slots++] = s;
	}
	join_effects(j, p, now, offset);
	join_exit(j);
}

uint32_t ml_join_done(struct ml_join *j, struct ml_shapes *shapes)
{
	/* the last exit is the end of the whole shape */
	struct ml_exit end = j->exit[--j->shape.exits];

	j->shape.clobber = end.clobber;
	j->shape.effects = end.effects;
	j->shape.effect = end.effect;
	j->shape.slot = j->slot;
	j->shape.base = j->base;
	j->shape.drift = j->drift;
	j->shape.exit = j->exit;
	uint32_t number = ml_shapes_add(shapes, &j->shape);
	return shapes->at[number].path; /* which may have moved */
}
