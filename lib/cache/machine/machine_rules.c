#include "lib/cache/machine/machine_rules.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"
#include "lib/cache/machine/policy.h"

#define LINES_MAX (1ull << 28) /* 16 GiB of 64-byte lines; a simulation takes two GiB */

static bool is_tlb(const struct ml_level_spec *s)
{
	return s->name[0] == 'T';
}

bool ml_machine_geometry(struct ml_level_spec *s, uint32_t ways, bool full, bool said,
			 struct ml_err *err)
{
	char size[ML_NUMBER_ROOM];
	uint64_t lines = s->size / s->line;

	if (s->size % s->line)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: its size of %llu bytes is no multiple of its "
			"line of %u bytes",
			s->name, (unsigned long long)s->size, s->line);
	if (lines > LINES_MAX)
		return ml_fail(err, ML_USAGE,
			       "machine: %s: %s is more than 2^28 lines of %u bytes, too "
			       "many to simulate",
			       s->name, ml_format_bytes(size, s->size), s->line);
	if (!full && !said && ways > lines)
		ways = (uint32_t)lines;
	uint64_t all = full ? lines : ways;
	if (all > ML_WAYS)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: 'full' is %llu ways here, and at most %d can "
			"be simulated",
			s->name, (unsigned long long)all, ML_WAYS);
	if (lines % all) {
		if (is_tlb(s))
			return ml_fail(err, ML_USAGE,
				       "machine: %s: %llu entries are no multiple of %u "
				       "ways%s",
				       s->name, (unsigned long long)lines, ways,
				       said ? "" : ", the default; give the ways");
		return ml_fail(err, ML_USAGE,
			       "machine: %s: its size of %llu bytes is no multiple of %u "
			       "ways%s of %u bytes",
			       s->name, (unsigned long long)s->size, ways,
			       said ? "" : " (the default)", s->line);
	}
	s->ways = (uint32_t)all;
	s->sets = (uint32_t)(lines / all);
	return true;
}

static bool policy_fits(const struct ml_level_spec *s, struct ml_err *err)
{
	if (!strcmp(s->policy->name, "plru") && s->ways & (s->ways - 1))
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: plru is a binary tree over the ways and needs "
			"a power of two of them, not %u",
			s->name, s->ways);
	return true;
}

/*
 * OPT and PES use the next use of each line, which is computed beforehand from the
 * requests that reach a level. That needs requests that do not depend on what the level
 * holds, and lines that enter and leave only by the level's own choice.
 */
static bool future_fits(const struct ml_machine *m, unsigned level, struct ml_err *err)
{
	const struct ml_level_spec *s = &m->level[level];
	const char *policy = s->policy->name;

	if (m->cores > 1)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: %s is for one core: of several cores, one takes "
			"lines from another, so the next use is not known "
			"beforehand; add 'cores 1'",
			s->name, policy);
	if (s->inclusion == ML_INCLUSIVE)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: %s cannot be inclusive: lines that it evicts leave "
			"the levels within and come back as new requests, so the "
			"future would depend on its own choices",
			s->name, policy);
	if (s->inclusion == ML_EXCLUSIVE)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: %s cannot be exclusive: lines come into such a "
			"level when the level within evicts them, not when they are "
			"asked for, so the next request is no measure of their worth",
			s->name, policy);
	for (unsigned i = 0; i <= level; i++)
		if (m->level[i].prefetch != ML_PREFETCH_NONE)
			return ml_fail(
				err, ML_USAGE,
				"machine: %s: %s knows the future of demands only, and "
				"prefetching in %s brings in other lines; add "
				"'no-prefetch'",
				s->name, policy, m->level[i].name);
	for (unsigned i = level + 1; i < m->levels; i++)
		if (m->level[i].inclusion == ML_INCLUSIVE)
			return ml_fail(
				err, ML_USAGE,
				"machine: %s: %s cannot lie within the inclusive %s, "
				"which takes lines from it against its choice",
				s->name, policy, m->level[i].name);
	return true;
}

static bool shares_nest(const struct ml_machine *m, const struct ml_level_spec *s,
			const struct ml_level_spec *outer, struct ml_err *err)
{
	if (m->cores % s->share)
		return ml_fail(err, ML_USAGE,
			       "machine: %s: %u cores cannot be divided into groups that "
			       "share=%u",
			       s->name, m->cores, s->share);
	if (outer && outer->share % s->share)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s is shared by %u cores but %s by %u: cores that "
			"share a level share all levels behind it",
			s->name, s->share, outer->name, outer->share);
	return true;
}

static bool level_fits(const struct ml_machine *m, unsigned level, struct ml_err *err)
{
	const struct ml_level_spec *s = &m->level[level];
	const struct ml_level_spec *inner = level ? s - 1 : NULL;
	const struct ml_level_spec *outer = level + 1 < m->levels ? s + 1 : NULL;

	if (!inner && s->inclusion != ML_NEITHER)
		return ml_fail(err, ML_USAGE,
			       "machine: %s cannot be '%s': there is no level within it",
			       s->name,
			       s->inclusion == ML_INCLUSIVE ? "inclusive" : "exclusive");
	if (inner && inner->line > s->line)
		return ml_fail(
			err, ML_USAGE,
			"machine: the lines of %s (%uB) are shorter than those of %s "
			"within it (%uB)",
			s->name, s->line, inner->name, inner->line);
	if (inner && inner->line != s->line &&
	    (s->inclusion == ML_EXCLUSIVE || m->cores > 1))
		return ml_fail(err, ML_USAGE,
			       "machine: lines of %s (%uB) and %s (%uB) differ, which %s "
			       "cannot have: %s",
			       inner->name, inner->line, s->name, s->line,
			       m->cores > 1 ? "several cores" : "an exclusive level",
			       m->cores > 1 ? "coherence is kept by line"
					    : "victims move into it as they are");
	if (s->inclusion == ML_EXCLUSIVE && s->prefetch != ML_PREFETCH_NONE)
		return ml_fail(
			err, ML_USAGE,
			"machine: %s: an exclusive level cannot prefetch: it takes "
			"the victims of %s and nothing from further out; give the "
			"prefetcher to %s, or add 'prefetch=none'",
			s->name, inner->name, inner->name);
	return policy_fits(s, err) && shares_nest(m, s, outer, err) &&
	       (!s->policy->future || future_fits(m, level, err));
}

static bool icache_fits(const struct ml_machine *m, struct ml_err *err)
{
	const struct ml_level_spec *s = &m->icache;

	if (s->line != m->level[0].line)
		return ml_fail(
			err, ML_USAGE,
			"machine: L1i has lines of %u bytes and L1 of %u; they must "
			"be equal",
			s->line, m->level[0].line);
	if (s->policy->future)
		return ml_fail(err, ML_USAGE,
			       "machine: L1i: %s is not for instructions; the future is "
			       "known for data caches only",
			       s->policy->name);
	return policy_fits(s, err) &&
	       shares_nest(m, s, m->levels > 1 ? &m->level[1] : NULL, err);
}

bool ml_machine_check(const struct ml_machine *m, struct ml_err *err)
{
	for (unsigned i = 0; i < m->levels; i++)
		if (!level_fits(m, i, err))
			return false;
	for (unsigned i = 0; i < m->tlbs; i++) {
		const struct ml_level_spec *s = &m->tlb[i];

		if (s->policy->future)
			return ml_fail(err, ML_USAGE,
				       "machine: %s: %s is not for TLBs; the future is "
				       "known for data caches only",
				       s->name, s->policy->name);
		if (!policy_fits(s, err))
			return false;
		if (s->line != m->tlb[0].line)
			return ml_fail(err, ML_USAGE,
				       "machine: TLB and TLB2 have pages of %u and %u "
				       "bytes; they must be equal",
				       m->tlb[0].line, s->line);
	}
	return !m->split || icache_fits(m, err);
}

static uint64_t lines_of(const struct ml_machine *m, const struct ml_level_spec *s)
{
	return (uint64_t)s->sets * s->ways * (m->cores / s->share);
}

uint64_t ml_machine_lines(const struct ml_machine *m)
{
	uint64_t lines = m->split ? lines_of(m, &m->icache) : 0;

	for (unsigned i = 0; i < m->levels; i++)
		lines += lines_of(m, &m->level[i]);
	for (unsigned i = 0; i < m->tlbs; i++)
		lines += (uint64_t)m->tlb[i].sets * m->tlb[i].ways * m->cores;
	return lines;
}

struct ml_machine ml_machine_alone(const struct ml_machine *m, size_t threads)
{
	struct ml_machine alone = *m;

	if (threads != 1)
		return alone;
	alone.cores = alone.icache.share = 1;
	for (unsigned i = 0; i < m->levels; i++)
		alone.level[i].share = 1;
	for (unsigned i = 0; i < m->tlbs; i++)
		alone.tlb[i].share = 1;
	return alone;
}

static const char *level_not_lru(const struct ml_level_spec *l, uint32_t line)
{
	if (!l->policy->recency)
		return "a level is not lru";
	if (l->write_through || l->no_allocate)
		return "a level is write-through or no-allocate";
	return l->line == line ? NULL : "levels have different line sizes";
}

const char *ml_machine_not_lru(const struct ml_machine *m)
{
	const char *why = NULL;

	for (unsigned i = 0; i < m->levels && !why; i++)
		why = level_not_lru(&m->level[i], m->level[0].line);
	return m->split && !why ? level_not_lru(&m->icache, m->level[0].line) : why;
}

bool ml_machine_plain(const struct ml_machine *m)
{
	bool plain = m->cores == 1 && !m->split && !ml_machine_not_lru(m);

	for (unsigned i = 0; i < m->levels; i++)
		plain &= m->level[i].inclusion == ML_NEITHER &&
			 m->level[i].prefetch == ML_PREFETCH_NONE;
	return plain;
}
