/* Random small machines and traces for the tests of simulators. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/policy.h"

static uint64_t random_state = 1;

static inline uint64_t random_below(uint64_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % n;
}

static inline bool one_in(uint64_t n)
{
	return random_below(n) == 0;
}

/* A level that differs from the usual in a few ways; a NULL policy is a random one. */
static inline struct ml_level_spec random_level(const char *name, uint32_t line,
						const char *policy)
{
	static const uint32_t sets[] = { 1, 2, 3, 4, 4, 5, 6, 8, 8, 16 };
	static const uint32_t ways[] = { 1, 2, 2, 3, 4, 4, 5, 8 };
	struct ml_level_spec l = {
		.line = line,
		.sets = sets[random_below(10)],
		.ways = ways[random_below(8)],
		.write_through = one_in(4),
		.no_allocate = one_in(4),
		.share = 1,
		.degree = 1,
	};
	unsigned count = 0;

	snprintf(l.name, sizeof(l.name), "%s", name);
	while (ml_policies[count].name)
		count++;
	do
		l.policy = policy ? ml_policy_find(policy)
				  : &ml_policies[random_below(count)];
	while (!policy && l.policy->future);
	l.size = (uint64_t)l.sets * l.ways * line;
	return l;
}

static inline struct ml_machine random_machine(unsigned cores, const char *policy)
{
	struct ml_machine m = {
		.cores = cores,
		.levels = 1 + (uint32_t)random_below(4),
		.split = one_in(3),
		.seed = random_below(1000),
	};
	uint32_t line = 8u << random_below(4), share = 1;
	static const char *names[] = { "L1", "L2", "L3", "L4" };

	m.icache = random_level("L1i", line, policy);
	for (unsigned i = 0; i < m.levels; i++) {
		struct ml_level_spec *l = &m.level[i];

		if (i && one_in(3) && line < 128)
			line *= 2;
		if (i)
			while (share * 2 <= cores && one_in(2))
				share *= 2;
		*l = random_level(names[i], line, policy);
		l->share = share;
		if (i && one_in(3))
			l->inclusion = ML_INCLUSIVE;
		else if (i && one_in(3) && line == m.level[i - 1].line)
			l->inclusion = ML_EXCLUSIVE;
	}
	return m;
}

/* One with prefetchers and TLBs, which the slow simulator does not have. */
static inline struct ml_machine any_machine(unsigned cores)
{
	struct ml_machine m = random_machine(cores, NULL);

	for (unsigned i = 0; i < m.levels; i++)
		if (m.level[i].inclusion != ML_EXCLUSIVE && one_in(3)) {
			m.level[i].prefetch = (enum ml_prefetcher)random_below(4);
			m.level[i].degree = 1 + (uint32_t)random_below(3);
		}
	m.tlbs = (uint32_t)random_below(3);
	for (unsigned i = 0; i < m.tlbs; i++)
		m.tlb[i] = random_level("TLB", 256, NULL);
	return m;
}

struct random_trace {
	size_t count;
	uint64_t addr[4000];
	uint16_t what[4000], core[4000];
	uint32_t owner[4000], site[4000];
	struct ml_accesses all;
};

/*
 * Some accesses are hot, some strided, some random; some cross lines; a third are writes.
 */
static inline void random_trace(struct random_trace *t, size_t count, unsigned cores)
{
	uint64_t at = 0, stride = 8, base = random_below(3) << 40;

	t->count = count;
	for (size_t i = 0; i < count; i++) {
		uint64_t kind = random_below(10) < 6 ? 0 : random_below(8) ? 1 : 2;
		uint64_t size = (uint64_t)1 << random_below(4);

		if (one_in(50)) {
			stride = one_in(2) ? 4 + random_below(16) : 64 * random_below(9);
			at = random_below(4096);
		}
		at += stride;
		t->addr[i] = base + (one_in(3)   ? random_below(256)
				     : one_in(4) ? random_below(4096)
						 : at % 8192);
		if (one_in(40))
			size = 1 + random_below(300);
		t->what[i] = (uint16_t)(kind << 14 | size);
		t->core[i] = (uint16_t)random_below(cores);
		t->owner[i] = (uint32_t)random_below(5);
		t->site[i] = (uint32_t)random_below(7);
	}
	t->all = (struct ml_accesses){
		count, t->addr, t->what, t->core, t->site, t->owner
	};
}

static inline struct ml_accesses part_of(const struct ml_accesses *a, size_t from,
					 size_t to)
{
	return (struct ml_accesses){ to - from,      a->addr + from, a->what + from,
				     a->core + from, a->site + from, a->owner + from };
}
