#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/policy.h"

static void number(struct ml_buf *out, const char *before, uint64_t v, const char *unit)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%llu%s", before, (unsigned long long)v, unit);
	ml_buf_text(out, text);
}

static void bytes(struct ml_buf *out, uint64_t v)
{
	if (v % (1 << 20) == 0)
		number(out, " ", v >> 20, "M");
	else if (v % (1 << 10) == 0)
		number(out, " ", v >> 10, "K");
	else
		number(out, " ", v, "");
}

static void ways_and_policy(struct ml_buf *out, const struct ml_level_spec *s, bool tlb)
{
	if (s->sets == 1 && s->ways > 1)
		ml_buf_text(out, " full");
	else
		number(out, " ", s->ways, "w");
	if (tlb)
		bytes(out, s->line);
	else
		number(out, " ", s->line, "B");
	ml_buf_text(out, " ");
	ml_buf_text(out, s->policy->name);
}

static void share(struct ml_buf *out, const struct ml_machine *m,
		  const struct ml_level_spec *s)
{
	if (m->cores == 1)
		return;
	if (s->share == 1)
		ml_buf_text(out, " private");
	else if (s->share == m->cores)
		ml_buf_text(out, " shared");
	else
		number(out, " share=", s->share, "");
}

static void level(struct ml_buf *out, const struct ml_machine *m, unsigned i)
{
	static const char *const inclusions[] = { " neither", " inclusive",
						  " exclusive" };
	static const char *const prefetchers[] = { "", " prefetch=next",
						   " prefetch=stride",
						   " prefetch=stream" };
	const struct ml_level_spec *s = &m->level[i];

	ml_buf_text(out, s->name);
	bytes(out, s->size);
	ways_and_policy(out, s, false);
	ml_buf_text(out, s->write_through ? " wt" : " wb");
	ml_buf_text(out, s->no_allocate ? " nwa" : " wa");
	if (i)
		ml_buf_text(out, inclusions[s->inclusion]);
	share(out, m, s);
	ml_buf_text(out, prefetchers[s->prefetch]);
	if (s->degree > 1)
		number(out, "*", s->degree, "");
	number(out, " ", s->cycles, "c");
}

const char *ml_machine_level_name(const struct ml_machine *m, unsigned level)
{
	return level <= m->levels ? m->level[level - 1].name : "memory";
}

void ml_machine_print(const struct ml_machine *m, struct ml_buf *out)
{
	if (m->cores > 1)
		number(out, "cores ", m->cores, " | ");
	for (unsigned i = 0; i < m->levels; i++) {
		if (i)
			ml_buf_text(out, " | ");
		level(out, m, i);
	}
	if (m->split) {
		ml_buf_text(out, " | L1i");
		bytes(out, m->icache.size);
		ways_and_policy(out, &m->icache, false);
		share(out, m, &m->icache);
		number(out, " ", m->icache.cycles, "c");
	}
	for (unsigned i = 0; i < m->tlbs; i++) {
		const struct ml_level_spec *t = &m->tlb[i];

		ml_buf_text(out, " | ");
		ml_buf_text(out, t->name);
		number(out, " ", t->size / t->line, "e");
		ways_and_policy(out, t, true);
		number(out, " ", t->cycles, "c");
	}
	number(out, " | memory ", m->memory_cycles, "c");
	if (m->tlbs)
		number(out, " | walk ", m->walk_cycles, "c");
	if (m->cores > 1)
		number(out, " | transfer ", m->transfer_cycles, "c");
	if (m->remote_cycles)
		number(out, " | remote ", m->remote_cycles, "c");
	if (m->seed)
		number(out, " | seed ", m->seed, "");
}
