#include "lib/cache/exact/coherence.h"

#include "lib/cache/exact/motion.h"

/* The first depth whose cache both cores share; levels if there is none. */
static unsigned common_depth(const struct ml_sim *s, unsigned a, unsigned b)
{
	unsigned depth = 0;

	while (depth < s->levels &&
	       ml_sim_cache(s, a, depth) != ml_sim_cache(s, b, depth))
		depth++;
	return depth;
}

struct snoop {
	struct ml_sim *s;
	const struct ml_request *q;
	bool write;
	uint64_t unit;    /* address of its first byte */
	uint64_t bounced; /* cores that gave up data, or the right to write them */
	uint64_t losers;  /* cores that lost it */
	unsigned levels; /* the most levels that a loser does not share with the writer */
	unsigned held;   /* bit by depth: the first that q shares with a holder */
	uint64_t kept;   /* cores that hold it afterwards */
};

/* A bit for each core of a cache. */
static uint64_t cores_of(const struct ml_cache *c)
{
	uint32_t first = ml_cache_core(c), end = first + c->spec->share;

	return (end >= 64 ? UINT64_MAX : ((uint64_t)1 << end) - 1) >> first << first;
}

/* Looks into one cache that the core of q does not share. */
static void look_into(struct snoop *n, struct ml_cache *c)
{
	struct ml_sim *s = n->s;
	unsigned holder = ml_cache_core(c), depth = common_depth(s, n->q->core, holder);
	uint64_t its_cores = cores_of(c);
	uint64_t line = n->unit >> c->bits;

	for (uint64_t lines = (uint64_t)1 << (s->unit_bits - c->bits); lines--; line++) {
		struct ml_sim_place p = { c, ml_cache_find(c, line) };

		if (p.at == ML_NOWHERE)
			continue;
		n->held |= 1u << depth;
		bool dirty = c->flags[p.at] & ML_DIRTY;
		if (dirty) {
			ml_motion_pass(s, p, depth);
			unsigned to = ml_motion_carry(s, n->q->core, depth,
						      ml_cache_addr(c, p.at),
						      c->spec->line);

			ml_motion_note(s, n->q, ML_MOVE_TRANSFER, p, c->level, to,
				       holder);
			c->counts->write_backs += !n->write;
			c->counts->taken += !n->write;
			if (!n->write)
				c->flags[p.at] &= (uint8_t)~ML_DIRTY;
		}
		if ((dirty || n->write) && !(n->bounced & its_cores))
			n->bounced |= (uint64_t)1 << holder;
		if (n->write) {
			ml_motion_take(s, n->q, p, ML_NO_OWNER);
			n->losers |= its_cores;
			if (n->levels < depth)
				n->levels = depth;
		} else {
			n->kept |= its_cores;
		}
	}
}

unsigned ml_coherence_snoop(struct ml_sim *s, const struct ml_request *q, bool write,
			    enum ml_cause cause, unsigned *held)
{
	struct snoop n = {
		.s = s,
		.q = q,
		.write = write,
		.unit = q->addr >> s->unit_bits << s->unit_bits,
	};

	uint64_t *holders = ml_holders_of(&s->holders, n.unit >> s->unit_bits);
	uint64_t own = (uint64_t)1 << q->core, others = *holders & ~own;

	*held = 0;
	*holders |= own;
	if (!others)
		return 0;
	for (unsigned depth = 0; depth < s->levels; depth++)
		for (unsigned fetch = 0; fetch <= (depth == 0 && s->icaches); fetch++)
			for (uint64_t left = others; left;) {
				unsigned core = (unsigned)__builtin_ctzll(left);
				struct ml_cache *c = s->paths[core][fetch][depth];

				if (c != s->paths[q->core][fetch][depth])
					look_into(&n, c);
				left &= ~cores_of(c);
			}
	*holders = (others & n.kept) | own;
	for (unsigned core = 0; core < s->cores; core++) {
		if (n.losers >> core & 1 && s->want & ML_SIM_CAUSES)
			ml_sharing_lose(&s->sharing, n.unit >> s->unit_bits, core,
					common_depth(s, q->core, core));
		if (n.bounced >> core & 1 && q->demand && s->observer.bounce) {
			struct ml_bounce b = {
				.line = n.unit,
				.from = core,
				.to = q->core,
				.access = q->access,
				.write = write,
				.cause = cause,
			};

			s->observer.bounce(s->observer.arg, &b);
		}
	}
	*held = n.held;
	return n.levels;
}

void ml_coherence_restored(struct ml_sim *s)
{
	ml_holders_release(&s->holders);
	for (unsigned depth = 0; s->coherent && depth < s->levels; depth++)
		for (unsigned fetch = 0; fetch <= (depth == 0 && s->icaches); fetch++)
			for (unsigned core = 0; core < s->cores; core++) {
				const struct ml_cache *c = s->paths[core][fetch][depth];
				size_t places = (size_t)c->sets * c->ways;

				if (c->spec->share == s->cores ||
				    core != ml_cache_core(c))
					continue;
				for (size_t at = 0; at < places; at++)
					if (c->tags[at])
						*ml_holders_of(&s->holders,
							       ml_cache_addr(c, at) >>
								       s->unit_bits) |=
							(uint64_t)1 << core;
			}
}

static bool holds_some(const struct ml_cache *c, uint64_t unit, uint64_t size)
{
	for (uint64_t offset = 0; offset < size; offset += c->spec->line)
		if (ml_cache_find(c, (unit + offset) >> c->bits) != ML_NOWHERE)
			return true;
	return false;
}

static bool held_elsewhere(const struct ml_sim *s, unsigned core, uint64_t addr)
{
	uint64_t unit = addr >> s->unit_bits << s->unit_bits;

	for (unsigned depth = 0; depth < s->levels; depth++)
		for (unsigned other = 0; other < s->cores; other++) {
			const struct ml_cache *c = ml_sim_cache(s, other, depth);

			if (c != ml_sim_cache(s, core, depth) &&
			    holds_some(c, unit, (uint64_t)1 << s->unit_bits))
				return true;
		}
	return false;
}

char ml_coherence_state(const struct ml_sim *s, struct ml_sim_place p)
{
	uint64_t addr = ml_cache_addr(p.cache, p.at);
	unsigned core = ml_cache_core(p.cache);

	for (unsigned depth = 0; depth < s->levels; depth++) {
		const struct ml_cache *c = ml_sim_cache(s, core, depth);
		size_t at = ml_cache_find(c, addr >> c->bits);

		if (c->spec->share < s->cores && at != ML_NOWHERE &&
		    c->flags[at] & ML_DIRTY)
			return 'M';
	}
	return held_elsewhere(s, core, addr) ? 'S' : 'E';
}
