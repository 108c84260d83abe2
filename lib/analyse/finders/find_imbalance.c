/*
 * Threads that run side by side and do not have the same amount of work: the others wait
 * for the one with the most. The work of a thread is the access time of its references.
 * Threads that spend most of their time in other lines of code than the longest do
 * another job (stages of a pipeline, a reader and a writer), and its work cannot be
 * divided among them. The gain is a share of the elapsed access time: that of the main
 * thread, and of the longest of the others. No miss is saved.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum {
	MAIN = 1,
	NAMED = 4,
	THREADS = 1 << 16,
	MAX_THREADS = 1024, /* that are compared: each has a row of all spots */
};

static const double tolerated = 1.2; /* the longest thread to the mean */

struct mine {
	const struct ml_profile_thread *longest;
	double cycles; /* of the longest thread */
	double group;  /* of all threads that run beside it, and of itself */
	size_t count;
	bool *member;    /* by thread of the profile: it is of this group */
	uint32_t *row;   /* by number of a thread: its place in the profile */
	double *by_spot; /* by place and spot: cycles that the thread was seen to take */
};

static double cycles_of(const struct ml_find *f, const struct ml_profile_thread *t)
{
	double sum = 0;

	for (unsigned i = 1; i <= f->memory; i++)
		sum += f->cost[i] * (double)t->served[i];
	return sum;
}

/* The last entry of a thread counts. */
static struct ml_thread life_of(const struct ml_find *f, uint32_t id)
{
	for (size_t i = f->tables->threads.count; i-- > 0;)
		if (f->tables->threads.at[i].id == id)
			return f->tables->threads.at[i];
	return (struct ml_thread){ .until = ML_FOREVER };
}

/*
 * Whether two threads run side by side: those of one parent. Valgrind runs one thread at
 * a time, so a short thread may end before the next one begins. But of a program that
 * makes many more threads than there are cores only those that overlap count.
 */
static bool beside(const struct ml_find *f, uint32_t a, uint32_t b)
{
	struct ml_thread x = life_of(f, a), y = life_of(f, b);

	return a == b ||
	       (x.parent == y.parent && (f->p->thread_count <= 2 * f->p->machine.cores ||
					 (x.from < y.until && y.from < x.until)));
}

static void find_longest(const struct ml_find *f, struct mine *m)
{
	for (size_t i = 0; i < f->p->thread_count; i++) {
		const struct ml_profile_thread *t = &f->p->threads[i];

		if (t->thread == MAIN || cycles_of(f, t) <= m->cycles)
			continue;
		m->longest = t;
		m->cycles = cycles_of(f, t);
	}
}

static void sum_up(const struct ml_find *f, struct mine *m)
{
	m->group = 0;
	m->count = 0;
	for (size_t i = 0; i < f->p->thread_count; i++) {
		if (!m->member[i])
			continue;
		m->group += cycles_of(f, &f->p->threads[i]);
		m->count++;
	}
}

static bool is_uneven(const struct mine *m)
{
	return m->count >= 2 && m->cycles * (double)m->count >= tolerated * m->group;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = ml_arena_alloc(f->arena, sizeof(*m));
	size_t count = f->p->thread_count;

	if (f->p->machine.cores < 2 || count > MAX_THREADS)
		return;
	find_longest(f, m);
	if (!m->longest)
		return;
	m->member = ml_arena_alloc(f->arena, count * sizeof(*m->member));
	m->row = ml_arena_alloc(f->arena, THREADS * sizeof(*m->row));
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = f->p->threads[i].thread;

		m->row[thread] = (uint32_t)i;
		m->member[i] = thread != MAIN && beside(f, thread, m->longest->thread);
	}
	sum_up(f, m);
	if (!is_uneven(m))
		return;
	*mine = m;
	m->by_spot = ml_arena_alloc(f->arena,
				    count * (f->spot_count + 1) * sizeof(*m->by_spot));
	ml_find_watch(f);
}

/* Cycles by spot that a thread of the profile was seen to take. */
static double *spots_of(const struct ml_find *f, const struct mine *m, size_t thread)
{
	return m->by_spot + thread * f->spot_count;
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	for (size_t i = 0; i < s->refs->count; i++) {
		size_t thread = m->row[s->refs->thread[i]];

		if (s->spot[i] && m->member[thread])
			spots_of(f, m,
				 thread)[s->spot[i] - f->spots] += f->cost[s->served[i]];
	}
}

/* Does a thread spend most of its time in lines that the longest hardly executes? */
static bool has_other_job(const struct ml_find *f, const struct mine *m, size_t thread)
{
	const double *own = spots_of(f, m, thread);
	const double *longest = spots_of(f, m, m->row[m->longest->thread]);
	double all = 0, alike = 0;

	for (size_t i = 0; i < f->spot_count; i++) {
		if (!f->user_lines.lines[f->spots[i].line].own)
			continue;
		all += own[i];
		alike += own[i] < longest[i] ? own[i] : longest[i];
	}
	return 2 * alike < all;
}

/* The spot of the user in which the longest thread spends most. */
static const struct ml_spot *where(const struct ml_find *f, const struct mine *m)
{
	const struct ml_spot *best = NULL;
	const double *cycles = spots_of(f, m, m->row[m->longest->thread]);

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->user_lines.lines[f->spots[i].line].own && cycles[i] > 0 &&
		    (!best || cycles[i] > cycles[best - f->spots]))
			best = &f->spots[i];
	return best;
}

/* "thread 2 61 %, thread 3 20 %". */
static const char *shares(struct ml_find *f, const struct mine *m)
{
	const char *text = "";
	unsigned n = 0;

	for (size_t i = 0; i < f->p->thread_count && n < NAMED; i++) {
		const struct ml_profile_thread *t = &f->p->threads[i];

		if (!m->member[i])
			continue;
		text = ml_arena_printf(f->arena, "%s%sthread %u %s", text,
				       n++ ? ", " : "", t->thread,
				       ml_find_percent(f, cycles_of(f, t) / m->group));
	}
	return m->count > n
		       ? ml_arena_printf(f->arena, "%s and %zu more", text, m->count - n)
		       : text;
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;
	const struct ml_spot *s = m ? where(f, m) : NULL;

	if (!s)
		return;
	for (size_t i = 0; i < f->p->thread_count; i++)
		m->member[i] &= !has_other_job(f, m, i);
	sum_up(f, m);
	if (!is_uneven(m))
		return;
	double mean = m->group / (double)m->count;
	double elapsed = f->cycles - m->group + m->cycles;
	double gain = (m->cycles - mean) / elapsed;

	if (gain * f->cycles < f->min_cycles)
		return;
	struct ml_candidate *c = ml_find_add(f, s->region, s, gain * f->cycles, false);
	c->finding.cost = gain;
	c->more = gain * f->cycles; /* threads wait, not references */
	c->finding.title = ml_arena_printf(
		f->arena, "thread %u has more work than others", m->longest->thread);
	ml_find_say(f, c, "Of the access time of %zu threads, %s.", m->count,
		    shares(f, m));
	ml_find_say(
		f, c,
		"The longest takes %.1f times the mean, and the others wait for it. The "
		"figure is of elapsed access time; no miss is saved.",
		m->cycles / mean);
	c->finding.advice = ml_arena_printf(
		f->arena,
		"divide the work of %s by its amount and not by its count: smaller pieces "
		"that idle threads take (schedule(dynamic), a queue), or pieces of equal "
		"cost. Legal if no piece depends on which thread does it",
		ml_find_place(f, s->line));
	/* as uneven as is tolerated, or even */
	ml_find_bounds(f, c, (m->cycles - tolerated * mean) / elapsed * f->cycles,
		       gain * f->cycles);
	ml_find_fact(c, "threads", (double)m->count);
	ml_find_fact(c, "longest", m->cycles / mean);
	ml_find_fact(c, "elapsed", elapsed);
}

const struct ml_finder ml_find_imbalance = {
	.kind = "imbalance",
	.rule = "Threads have unequal amounts of work.",
	.view = { .name = "eventmap",
		  .miss = "Thread {thread} is at work; the lanes below the timeline show "
			  "when the others are." },
	.weight = 1,
	.standing = ML_STANDING_CERTAIN,
	.look = look,
	.see = see,
	.conclude = conclude,
};
