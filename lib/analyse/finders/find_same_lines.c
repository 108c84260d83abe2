/*
 * Threads that all walk over the same data: each reads the whole of a region through its
 * own caches. If each needs only its part, the others read in vain; the estimate is that
 * of N threads one reads each line. If all need all of it, they can at least walk in
 * step, so that one fetch from memory serves all; that is the lower bound.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = 3, THREADS = 64, MAX_LINES = 1 << 20, MAIN = 1 };

/* What the threads read of one region. */
struct walk {
	uint32_t region;
	struct ml_map lines;    /* line: a bit for each thread that read it */
	uint64_t of[THREADS];   /* lines by thread */
	double cycles[THREADS]; /* of its reads */
	/* of these, waiting; of this, for lines that it has read before: alone it would
	 * wait for them too */
	double waits[THREADS], again[THREADS];
	uint64_t memory[THREADS]; /* its reads that memory served */
	uint64_t refs;            /* seen */
	uint64_t writers;         /* a bit for each thread that writes */
};

struct mine {
	struct walk walks[MAX_REGIONS];
	size_t count;
	uint64_t *readers;    /* by spot: a bit for each thread */
	uint64_t *main_reads; /* by spot: reads of the main thread */
};

static bool known(const struct mine *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->walks[i].region == region)
			return true;
	return false;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m;

	if (f->p->thread_count < 2 || f->p->machine.cores < 2)
		return;
	m = *mine = ml_arena_alloc(f->arena, sizeof(*m));
	m->readers = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(uint64_t));
	m->main_reads = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(uint64_t));
	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (ml_find_negligible(f, s))
			break;
		if (!ml_find_movable(f, s->region) || known(m, s->region) ||
		    ml_find_sum(f, s->region).excess < f->min_cycles)
			continue;
		m->walks[m->count++].region = s->region;
	}
	if (m->count)
		ml_find_watch(f);
}

static void see_one(const struct ml_find *f, struct walk *w, uint64_t line,
		    unsigned thread, unsigned served, bool write)
{
	uint64_t bit = (uint64_t)1 << thread;

	w->refs++;
	if (write) {
		w->writers |= bit;
		return;
	}
	double excess = f->cost[served] - f->cost[1];

	w->cycles[thread] += f->cost[served];
	w->waits[thread] += excess;
	w->memory[thread] += served == f->memory;
	uint64_t *at = w->lines.count < MAX_LINES ? ml_map_add(&w->lines, line, NULL)
						  : ml_map_find(&w->lines, line);
	if (!at || *at & bit) {
		w->again[thread] += excess;
		return;
	}
	*at |= bit;
	w->of[thread]++;
}

static void note_reader(const struct ml_find *f, struct mine *m, const struct ml_spot *at,
			unsigned thread)
{
	size_t spot = at ? (size_t)(at - f->spots) : f->spot_count;

	m->readers[spot] |= (uint64_t)1 << thread;
	m->main_reads[spot] += thread == MAIN;
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;
	const struct ml_batch *b = s->refs;

	for (size_t i = 0; i < b->count; i++) {
		if (b->thread[i] < THREADS && ml_what_kind(b->what[i]) == ML_READ)
			note_reader(f, m, s->spot[i], b->thread[i]);
		for (size_t k = 0; k < m->count; k++)
			if (s->region[i] == m->walks[k].region && b->thread[i] < THREADS)
				see_one(f, &m->walks[k], b->addr[i] / f->line,
					b->thread[i], s->served[i],
					ml_what_kind(b->what[i]) == ML_WRITE);
	}
}

/*
 * Whether the main thread reads the region mostly where other threads do, as in OpenMP.
 * Elsewhere it fills or sums up what the others share.
 */
static bool main_takes_part(const struct ml_find *f, const struct mine *m,
			    uint32_t region)
{
	uint64_t with = 0, alone = 0;

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == region) {
			bool others = m->readers[i] >> (MAIN + 1);

			with += others ? m->main_reads[i] : 0;
			alone += others ? 0 : m->main_reads[i];
		}
	return with > alone;
}

/* The threads that each read nine tenths of the lines, as bits. */
static uint64_t walkers(const struct ml_find *f, const struct mine *m,
			const struct walk *w, unsigned *count)
{
	uint64_t bits = 0;

	*count = 0;
	for (unsigned t = 0; t < THREADS; t++)
		if (w->lines.count && 10 * w->of[t] >= 9 * w->lines.count) {
			bits |= (uint64_t)1 << t;
			++*count;
		}
	if (bits >> MAIN & 1 && !main_takes_part(f, m, w->region)) {
		bits &= ~((uint64_t)1 << MAIN);
		--*count;
	}
	return bits;
}

/* Whether of these threads at most one writes: else they share what they work on. */
static bool only_read(uint64_t writers)
{
	return !(writers & (writers - 1));
}

/* The costliest line that mostly reads the region. */
static const struct ml_spot *reader(const struct ml_find *f, uint32_t region)
{
	for (size_t i = 0; i < f->spot_count; i++) /* most excess first */
		if (f->spots[i].region == region &&
		    f->spots[i].kind[0] > f->spots[i].kind[1])
			return &f->spots[i];
	return ml_find_worst(f, region);
}

static void tell(struct ml_find *f, const struct walk *w, unsigned threads, double saved,
		 double in_step)
{
	const char *name = ml_find_region(f, w->region);
	struct ml_spot sum = ml_find_sum(f, w->region);
	struct ml_candidate *c = ml_find_add(f, w->region, reader(f, w->region), saved,
					     false);

	c->finding.title = ml_arena_printf(
		f->arena, "%u threads all read the whole of %s", threads, name);
	ml_find_say(f, c,
		    "Each of %u threads reads at least nine tenths of the %s lines of %s "
		    "that any thread reads.",
		    threads, ml_find_count(f, w->lines.count), name);
	ml_find_say(f, c, "%s.", ml_find_misses(f, sum.served));
	ml_find_say(
		f, c,
		"The figure is for threads that each read a part of their own; if all "
		"need all of it and walk in step, so that one fetch from memory serves "
		"all, %s.",
		ml_find_percent(f, in_step / f->cycles));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"divide %s among the threads so that each reads only its part (sort or bin "
		"it by the thread that needs it), or let all threads work on the same "
		"part at the same time. Legal if a thread needs only its part",
		name);
	ml_find_bounds(f, c, in_step, saved);
	ml_find_fact(c, "threads", threads);
	ml_find_fact(c, "lines", (double)w->lines.count);
	ml_find_fact(c, "gain_at_least", in_step / f->cycles);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == w->region)
			ml_find_claim(f, c, &f->spots[i],
				      f->spots[i].excess * (threads - 1) / threads);
}

/* Data that each core keeps in its L1 are better read by all than divided. */
static bool waits(const struct ml_find *f, uint32_t region)
{
	struct ml_spot sum = ml_find_sum(f, region);

	return 10 * sum.excess > sum.excess + (double)sum.refs * f->cost[1];
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->count; i++) {
		struct walk *w = &m->walks[i];
		unsigned count;
		uint64_t bits = walkers(f, m, w, &count);
		double cycles = 0, memory = 0, wait = 0, again = 0;

		if (count < 2 || !only_read(w->writers) || !waits(f, w->region))
			continue;
		for (unsigned t = 0; t < THREADS; t++)
			if (bits >> t & 1) {
				cycles += w->cycles[t];
				memory += (double)w->memory[t];
				wait += w->waits[t];
				again += w->again[t];
			}
		if (2 * again > wait) /* the cause lies in each thread */
			continue;
		cycles -= again;
		/* of the whole run, and without the one thread that has to read */
		double part = (double)ml_find_sum(f, w->region).refs / (double)w->refs *
			      (count - 1) / count;
		if (cycles * part >= f->min_cycles)
			tell(f, w, count, cycles * part,
			     memory * part * ml_find_miss(f, f->memory - 1));
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++)
		ml_map_release(&m->walks[i].lines);
}

const struct ml_finder ml_find_same_lines = {
	.kind = "same lines",
	.rule = "Several threads walk the same lines.",
	.view = { .name = "rings", .again = true, .threads = true, .miss = "{copy}" },
	.weight = 1.2, /* tiles and fused loops would leave the cause in place */
	.look = look,
	.see = see,
	.conclude = conclude,
	.release = release,
};
