#include "record/tracks/join.h"

#include <string.h>

enum {
	NEAR = 4,        /* a base may drift as one of so many bases before it */
	WRONG_OF = 8,    /* one of so many runs may say that a base does not follow */
	WRONG_DRIFT = 5, /* the same for drifts, which save more than they cost */
	DRIFT_RUNS = 3,  /* runs in which a drift is sought at a time */
};

static bool fits(int64_t v)
{
	return v == (int32_t)v;
}

size_t ml_join_max(const struct ml_shapes *shapes, const uint32_t *paths, size_t count)
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

/* Does the base follow from an earlier one by its register? */
static bool by_register(const struct ml_join *j, struct ml_base b, struct ml_link *link)
{
	if (b.reg == ML_NO_REG || !(j->derived >> b.reg & 1))
		return false;
	*link = (struct ml_link){ j->delta[b.reg] + b.delta, j->of[b.reg] };
	return fits(link->delta);
}

/* In how many runs is base i of the part not at this distance from base k? Counts to max.
 */
static unsigned unlike(const struct ml_join *j, const struct ml_join_runs *r, unsigned i,
		       unsigned k, uint64_t delta, unsigned max)
{
	unsigned wrong = 0;

	for (unsigned run = 0; run < r->count && wrong < max; run++)
		wrong += r->value[run][i] - j->value[run][k] != delta;
	return wrong;
}

/*
 * Does base i of the part follow by a constant? Of bases that fit the runs equally well
 * the nearest is the least likely to fit by accident. Either of the first two runs is
 * assumed to be as most runs are.
 */
static bool by_runs(const struct ml_join *j, const struct ml_join_runs *r, unsigned i,
		    struct ml_link *link)
{
	unsigned min = r->count / WRONG_OF + 1;

	for (unsigned k = j->shape.bases; min && k-- > 0;)
		for (unsigned run = 0; run < 2; run++) {
			uint64_t delta = r->value[run][i] - j->value[run][k];
			unsigned wrong = unlike(j, r, i, k, delta, min);

			if (wrong >= min)
				continue;
			*link = (struct ml_link){ (int64_t)delta, (uint16_t)k };
			min = wrong;
		}
	return min <= r->count / WRONG_OF;
}

/* The bases so far, by the states of their code and their values in a few runs. */
struct drift_runs {
	unsigned runs, bases;
	const uint32_t *state;
	const uint64_t *value[DRIFT_RUNS];
};

/* Did the value move in all of these runs as the drift says? Sets the shift. */
static bool drifts_as(const struct drift_runs *r, const uint64_t *value,
		      struct ml_drift *d)
{
	uint64_t moved[DRIFT_RUNS];
	bool differ = false;

	for (unsigned i = 0; i < r->runs; i++) {
		moved[i] = r->value[i][d->as] - r->value[i][d->from];
		differ |= moved[i] != moved[0];
		if (!moved[i])
			return false;
	}
	if (!differ)
		return false; /* equal distances show nothing: a constant does it */
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

/* Finds a drift of these bases that gives the value in each run. state: of its code. */
static bool find_drift(const struct drift_runs *r, uint32_t state, const uint64_t *value,
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

/* Does base i of the part drift so in most runs? */
static bool mostly_drifts(const struct ml_join *j, const struct ml_join_runs *r,
			  unsigned i, const struct ml_drift *d)
{
	unsigned wrong = 0;

	for (unsigned run = 0; run < r->count; run++)
		wrong += ml_drifted(d, j->value[run]) != r->value[run][i];
	return wrong * WRONG_DRIFT <= r->count;
}

/*
 * Does base i of the part drift? The drift is sought in a few runs at a time, so that a
 * run that does otherwise does not hide it.
 */
static bool by_drifting(const struct ml_join *j, uint32_t state,
			const struct ml_join_runs *r, unsigned i, struct ml_drift *out)
{
	unsigned few = r->count < DRIFT_RUNS ? r->count : DRIFT_RUNS;

	for (unsigned from = 0; from + few <= r->count; from += few) {
		struct drift_runs d = { few, j->shape.bases, j->state, { 0 } };
		uint64_t value[DRIFT_RUNS];

		for (unsigned run = 0; run < few; run++) {
			d.value[run] = j->value[from + run];
			value[run] = r->value[from + run][i];
		}
		if (find_drift(&d, state, value, out) && mostly_drifts(j, r, i, out))
			return true;
	}
	return false;
}

/* Adds a base of the next part. *now and *offset: its base in the join, and the distance.
 */
static void join_base(struct ml_join *j, struct ml_base b, struct ml_link link,
		      uint16_t *now, int64_t *offset)
{
	if (link.from != ML_JOIN_NEW && link.from & ML_DRIFT) {
		*now = link.from;
		*offset = 0;
		j->link[j->links++] = link;
		return; /* a register cannot be told by a drift */
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

/* Notes what the registers hold behind the part. */
static void join_effects(struct ml_join *j, const struct ml_path *path,
			 const uint16_t *now, const int64_t *offset)
{
	j->changed |= path->clobber;
	j->derived &= ~path->clobber;
	for (unsigned i = 0; i < path->effects; i++) {
		struct ml_effect e = path->effect[i];

		j->changed |= 1u << e.reg;
		if (now[e.base] & ML_DRIFT)
			continue; /* a register cannot be told by a drift */
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

/* How base i of the part follows from earlier ones; ML_JOIN_NEW: it does not. */
static struct ml_link find_link(struct ml_join *j, const struct ml_base *b, unsigned i,
				const struct ml_join_runs *runs, enum ml_join_free free)
{
	struct ml_link link = { 0, ML_JOIN_NEW };

	if (free == ML_JOIN_ANY &&
	    (by_register(j, *b, &link) || by_runs(j, runs, i, &link)))
		return link;
	if (free != ML_JOIN_FREE &&
	    by_drifting(j, b->state, runs, i, &j->drift[j->shape.drifts]))
		return (struct ml_link){ 0, (uint16_t)(ML_DRIFT + j->shape.drifts) };
	return (struct ml_link){ 0, ML_JOIN_NEW };
}

void ml_join_part(struct ml_join *j, const struct ml_shapes *shapes, uint32_t path,
		  const struct ml_join_runs *runs, const uint8_t *free,
		  const struct ml_link *known)
{
	const struct ml_path *p = &shapes->path[path];
	const struct ml_slot *slot = shapes->at[p->shape].slot;
	uint16_t now[ML_JOIN_SLOTS];
	int64_t offset[ML_JOIN_SLOTS];

	for (unsigned i = 0; i < p->bases; i++) {
		struct ml_link link = known ? known[i]
					    : find_link(j, &p->base[i], i, runs, free[i]);

		if (link.from == ML_JOIN_NEW)
			for (unsigned run = 0; run < runs->count; run++)
				j->value[run][j->shape.bases] = runs->value[run][i];
		else if (link.from & ML_DRIFT)
			j->shape.drifts++;
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
	j->part[j->shape.exits] = path;
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
	return shapes->at[number].path; /* shapes->at may have moved */
}
