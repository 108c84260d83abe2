/*
 * Short simulations as text. A trace is "r0 w64 f128 1:r0/8": kind and address (in
 * bytes), and optionally the core before and the size behind (default 1 byte).
 */
#pragma once

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cache/exact/sim.h"
#include "tests/test.h"

enum { TEXT_MOST = 1000 };

struct text_run {
	struct ml_machine machine;
	struct ml_sim *sim;
	uint16_t outcome[TEXT_MOST];
	size_t count;
	char served[TEXT_MOST + 1]; /* a digit for each access */
	char causes[TEXT_MOST + 1]; /* of the first level: - z p o s f u */
};

static inline size_t text_trace(const char *text, uint64_t *addr, uint16_t *what,
				uint16_t *core)
{
	size_t n = 0;
	char *end = NULL;

	for (const char *p = text; *p; p = end, n++) {
		CHECK(n < TEXT_MOST);
		core[n] = 0;
		if (isdigit((unsigned char)*p)) {
			core[n] = (uint16_t)strtoul(p, &end, 10);
			p = end + 1;
		}
		unsigned kind = *p == 'r'   ? ML_ACCESS_READ
				: *p == 'w' ? ML_ACCESS_WRITE
					    : ML_ACCESS_FETCH;
		unsigned long size = 1;
		addr[n] = strtoull(p + 1, &end, 10);
		if (*end == '/')
			size = strtoul(end + 1, &end, 10);
		what[n] = (uint16_t)(kind << 14 | size);
		while (*end == ' ')
			end++;
	}
	return n;
}

static inline void text_more(struct text_run *r, const char *trace)
{
	static uint64_t addr[TEXT_MOST];
	static uint16_t what[TEXT_MOST], core[TEXT_MOST];
	struct ml_accesses a = { .addr = addr, .what = what, .core = core };
	struct ml_err err;

	a.count = r->count = text_trace(trace, addr, what, core);
	CHECK_OK(ml_sim_run(r->sim, &a, r->outcome, &err), &err);
	for (size_t i = 0; i < a.count; i++) {
		r->served[i] = (char)('0' + ml_outcome_served(r->outcome[i]));
		r->causes[i] = "-zposfu"[ml_outcome_cause(r->outcome[i], 1)];
	}
	r->served[a.count] = r->causes[a.count] = 0;
}

/* cold z(ero), capacity p, conflict o, sharing s, false sharing f, unknown u */
static inline struct text_run *text_run(const char *machine, unsigned want,
					const char *trace)
{
	static struct text_run r;
	struct ml_err err;

	ml_sim_close(r.sim);
	memset(&r, 0, sizeof(r));
	CHECK_OK(ml_machine_parse(&r.machine, machine, &err), &err);
	r.sim = ml_sim_open(&r.machine, want, &err);
	CHECK_OK(r.sim, &err);
	text_more(&r, trace);
	return &r;
}

static inline const struct ml_level_counts *text_counts(const struct text_run *r,
							unsigned level)
{
	return ml_sim_counts(r->sim, level);
}

static inline uint64_t text_missed(const struct text_run *r, unsigned level)
{
	const uint64_t *m = text_counts(r, level)->missed;

	return m[0] + m[1] + m[2];
}
