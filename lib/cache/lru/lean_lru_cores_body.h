/*
 * The part of lean_lru_body.h that keeps the caches of several cores coherent; only that
 * header includes it. The rules are those of coherence.c.
 */
#pragma once

/* The first depth at which both cores have the same cache. */
INLINE unsigned common_depth(const struct ml_lean_lru *x, unsigned a, unsigned b)
{
	unsigned depth = 0;

	while (depth < x->levels && x->paths[a][0][depth] != x->paths[b][0][depth])
		depth++;
	return depth;
}

struct lean_snoop {
	const struct request *q;
	bool write;
	uint64_t holders; /* cores that hold the line afterwards */
	uint64_t bounced; /* cores that gave up data, or the right to write them */
	unsigned levels; /* the most levels that a loser does not share with the writer */
};

/* Looks into a cache of another core, which cleans the line, or loses it to a write. */
INLINE void look_into(struct ml_lean_lru *x, struct lean_snoop *n, struct lean_cache *c)
{
	const struct request *q = n->q;
	uint64_t *row = row_of(c, q->line);
	int at = find_key(row, c->lanes, key_of(q->line));

	if (at == LEAN_NOWHERE)
		return;
	unsigned holder = (unsigned)__builtin_ctzll(c->cores);
	unsigned depth = common_depth(x, q->core, holder);
	uint64_t dirty = row[at] & LEAN_DIRTY;
	if (dirty) {
		pass_by(x, c, depth, q->line);
		pass_on(x, x->paths[q->core][0], depth, row[at] | LEAN_AHEAD, true);
	}
	if ((dirty || n->write) && !(n->bounced & c->cores))
		n->bounced |= (uint64_t)1 << holder;
	if (n->write) {
		take(x, c, row, (unsigned)at);
		n->levels = depth > n->levels ? depth : n->levels;
		return;
	}
	c->counts->write_backs += dirty;
	c->counts->taken += dirty;
	row[at] &= ~LEAN_DIRTY;
	n->holders |= c->cores;
}

/* Looks into all caches that the core of q does not share, of cores that may hold it. */
OUTLINE void snoop(struct ml_lean_lru *x, struct lean_snoop *n, uint64_t others)
{
	const struct request *q = n->q;

	for (unsigned depth = 0; depth < x->levels; depth++)
		for (unsigned fetch = 0; fetch <= (depth == 0 && x->split); fetch++)
			for (uint64_t left = others; left;) {
				unsigned core = (unsigned)__builtin_ctzll(left);
				struct lean_cache *c = x->paths[core][fetch][depth];

				left &= ~c->cores;
				if (c != x->paths[q->core][fetch][depth])
					look_into(x, n, c);
			}
	if (!q->demand || !x->observer.bounce)
		return;
	for (uint64_t left = n->bounced; left; left &= left - 1) {
		struct ml_bounce b = {
			.line = q->line << x->bits,
			.from = (unsigned)__builtin_ctzll(left),
			.to = q->core,
			.access = q->access,
			.write = n->write,
		};

		x->observer.bounce(x->observer.arg, &b);
	}
}

/*
 * The first cache that is asked is not one of all cores, and has this copy of the line,
 * or 0. Returns in how many levels other cores lost the line, from the first.
 */
INLINE unsigned ask_others(struct ml_lean_lru *x, const struct request *q, uint64_t copy)
{
	struct lean_snoop n = { q, q->demand && q->kind == ML_ACCESS_WRITE, 0, 0, 0 };

	if (copy && (!n.write || copy & LEAN_DIRTY))
		return 0;
	uint64_t *holders = ml_holders_of(&x->holders, q->line);
	uint64_t own = (uint64_t)1 << q->core, others = *holders & ~own;
	if (others)
		snoop(x, &n, others);
	*holders = (others & n.holders) | own;
	return n.levels;
}
