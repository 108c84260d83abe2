/*
 * Traces made for findings: start, then put lines of a text trace or touch addresses,
 * then finish, which simulates a machine and makes the findings. Unless said otherwise
 * the machine has 16 lines of 16 bytes and a memory that takes 100 cycles, where L1 takes
 * 1.
 */
#pragma once

#include <stdio.h>

#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/passes/surcharge.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/trace/tables.h"
#include "lib/trace/text/text.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

#define FULL "L1 256 full 16B lru 1c | memory 100c"
#define SETS "L1 256 1w 16B lru 1c | memory 100c" /* 16 sets of one line */

/* The trace as it grows. */
static struct ml_writer *writer;
static struct ml_text reader;
static uint64_t count;

__attribute__((format(printf, 1, 2))) static inline void put(const char *fmt, ...)
{
	char line[300];
	struct ml_err err;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	CHECK_OK(ml_text_lines(&reader, line, strlen(line), &err), &err);
}

static inline void start(void)
{
	struct ml_err err;

	CHECK_OK(ml_writer_open(&writer, scratch(), &err), &err);
	ml_text_init(&reader, writer, "text");
}

/* A reference of so many bytes, by the present line. */
static inline void touch(char kind, uint64_t addr, unsigned size)
{
	put("%c0x%llx:%u", kind, (unsigned long long)addr, size);
}

struct found {
	struct ml_trace trace;
	struct ml_profile profile;
	struct ml_findings findings;
};

/* What holds for every kind: advice says when it is legal, an estimate has bounds. */
static inline void check_promise(const struct ml_finding *n)
{
	if (!strstr(n->advice, "egal"))
		TEST_SAY("the advice of '%s' does not say when it is legal: %s", n->kind,
			 n->advice);
	if (n->low > n->gain || n->gain > n->high)
		TEST_SAY("the gain of '%s', %g, is not between %g and %g", n->kind,
			 n->gain, n->low, n->high);
	/* with one level there is one size that tiles can fit */
	if (!n->simulated && !(n->low < n->high) && strcmp(n->kind, "tile") != 0)
		TEST_SAY("the estimate of '%s' has no bounds", n->kind);
}

static inline bool is_one_of(const char *kind, const char *kinds)
{
	const char *at = strstr(kinds, kind);

	return at && at[-1] == '|' && at[strlen(kind)] == '|';
}

static inline const char *region_name(const struct found *x, uint32_t region)
{
	const struct ml_tables *t = &x->trace.tables;

	return region < t->regions.count ? ml_tables_text(t, t->regions.at[region].name)
					 : "";
}

/* The share of all cycles that references to regions of this name, or to all, take beyond
 * those of L1. */
static inline double waits(const struct found *x, const char *name)
{
	const struct ml_profile *p = &x->profile;
	const struct ml_machine *m = &p->machine;
	double sum = 0, all = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];
		uint64_t refs = c->kind[0] + c->kind[1] + c->kind[2];
		double cycles = ml_surcharge_cycles(&c->surcharge, m, refs);

		for (unsigned k = 1; k <= m->levels + 1; k++)
			cycles += (double)c->served[k] *
				  (k > m->levels ? m->memory_cycles
						 : m->level[k - 1].cycles);
		all += cycles;
		if (!name || !strcmp(region_name(x, c->region), name))
			sum += cycles - (double)refs * m->level[0].cycles;
	}
	return all > 0 ? sum / all : 0;
}

/*
 * No finding promises more than the references wait for that it is about. Some kinds
 * leave references out, or are about threads or remote memory that wait; they promise
 * no more than all cycles. Others spare neighbours their misses.
 */
static inline void check_most(const struct found *x, const struct ml_finding *n)
{
	static const char leaves_out[] =
		"|stride|cleared|never read|copies|fuse|sweep|"
		"false sharing|true sharing|imbalance|first touch|",
			  spares[] =
				  "|padding|overlap|pages|tile|"; /* or a loop's others */
	double own = waits(x, n->region), most = own > 0 ? own : waits(x, NULL);

	if (is_one_of(n->kind, spares) || strstr(n->title, "more alike"))
		most = waits(x, NULL);
	if (is_one_of(n->kind, leaves_out))
		most = 1;
	if (n->gain > most + 1e-9 || n->high > most + 1e-9)
		TEST_SAY("'%s' of %s promises %g, up to %g, where %g is waiting", n->kind,
			 n->region, n->gain, n->high, most);
}

/* turn: references of a thread before the next one has its turn; 0: as in the trace. */
static inline void finish_in_turn(struct found *x, const char *machine, uint64_t turn)
{
	struct ml_replay_options o = { .want = ML_SIM_CAUSES | ML_SIM_USE,
				       .interleave = turn };
	struct ml_replay *replay;
	struct ml_err err;

	ml_text_release(&reader);
	CHECK_OK(ml_writer_close(writer, &err), &err);
	*x = (struct found){ 0 };
	CHECK_OK(ml_trace_open(&x->trace, scratch(), &err), &err);
	CHECK_OK(ml_machine_parse(&o.machine, machine, &err), &err);
	CHECK_OK(ml_replay_open(&replay, &x->trace, &o, &err), &err);
	struct ml_profiler *p = ml_profiler_open(&x->profile);
	struct ml_pass pass = ml_profiler_pass(p);
	CHECK_OK(ml_replay_run(replay, &pass, 1, &err), &err);
	ml_profiler_close(p, replay);
	ml_replay_close(replay);
	CHECK_OK(ml_findings_make(&x->findings, &x->trace, &x->profile, NULL, &err),
		 &err);
	count = x->findings.count;
	for (size_t i = 0; i < count; i++)
		for (const struct ml_finding *n = &x->findings.at[i]; n; n = n->other) {
			check_promise(n);
			check_most(x, n);
		}
}

static inline void finish(struct found *x, const char *machine)
{
	finish_in_turn(x, machine, 0);
}

static inline void done(struct found *x)
{
	ml_findings_release(&x->findings);
	ml_profile_release(&x->profile);
	ml_trace_close(&x->trace);
}

/* The finding of a kind, or NULL. */
static inline const struct ml_finding *find(const struct found *x, const char *kind)
{
	for (size_t i = 0; i < x->findings.count; i++)
		if (!strcmp(x->findings.at[i].kind, kind))
			return &x->findings.at[i];
	return NULL;
}

static inline const struct ml_finding *need(const struct found *x, const char *kind)
{
	const struct ml_finding *n = find(x, kind);

	if (!n)
		TEST_SAY("there is no finding '%s' among %zu, the first '%s'", kind,
			 x->findings.count, count ? x->findings.at[0].kind : "");
	return n;
}

static inline double fact(const struct ml_finding *n, const char *key)
{
	for (const struct ml_fact *f = n->facts; f->key; f++)
		if (!strcmp(f->key, key))
			return f->number;
	TEST_SAY("no fact '%s'", key);
	return 0;
}
