/*
 * Results that nobody reads: a line of code writes data that are overwritten by the same
 * line, freed, or left behind at the end without being read. System calls read too
 * (write, send), which no reference shows; so regions that were handed to one are not
 * looked at, nor traces that do not say which regions were. The simulated change does not
 * make the writes.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_written.h"
#include "lib/trace/address_ranges.h"
#include "lib/trace/tables.h"

enum { MAX_SPOTS = 3 };

struct mine {
	struct ml_address_ranges given; /* memory that system calls read */
	const struct ml_spot *spots[MAX_SPOTS];
	size_t trial[MAX_SPOTS];
	size_t count;
};

/* Whether all that reads the program's memory is known. */
static bool is_complete(const struct ml_find *f, struct mine *m)
{
	const char *given = ml_tables_meta_find(f->tables, "read by the system");
	const char *ended = ml_tables_meta_find(f->tables, "ended");

	return given && ml_address_ranges_parse(&m->given, given) &&
	       (!ended || !strcmp(ended, "whole")) && !f->tables->gaps.count;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = ml_arena_alloc(f->arena, sizeof(*m));

	if (!is_complete(f, m))
		return;
	*mine = m;
	for (size_t i = 0; i < f->spot_count; i++)
		if (ml_written_worth(f, &f->spots[i])) {
			ml_find_follow(f, &ml_find_written);
			return;
		}
}

static uint64_t never_read(const struct ml_written_spot *w)
{
	return w->left + w->again;
}

/* Whether a system call read any of the region's blocks, or its address at least. */
static bool is_given(const struct ml_find *f, const struct mine *m, uint32_t region)
{
	const struct ml_block *blocks[] = { f->trace->blocks, f->tables->globals.at };
	size_t counts[] = { f->trace->block_count, f->tables->globals.count };

	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < counts[k]; i++)
			if (ml_find_same(f, blocks[k][i].region) == region &&
			    ml_address_ranges_meets(&m->given, blocks[k][i].addr,
						    blocks[k][i].size))
				return true;
	return false;
}

/* Other processes may read memory that the program mapped itself. */
static bool is_private(const struct ml_find *f, uint32_t region)
{
	return f->tables->regions.at[region].kind != ML_REGION_MMAP;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && f->written && i < f->spot_count && m->count < MAX_SPOTS;
	     i++) {
		const struct ml_spot *s = &f->spots[i];
		const struct ml_written_spot *w = ml_written_of(f, s);

		if (!ml_written_worth(f, s) || !f->user_lines.lines[s->line].own ||
		    2 * w->bytes < s->bytes || 10 * never_read(w) < 9 * w->bytes ||
		    !is_private(f, s->region) || is_given(f, m, s->region))
			continue;
		m->spots[m->count] = s;
		m->trial[m->count++] =
			ml_find_try(f,
				    &(struct ml_change){ .kind = ML_CHANGE_DROP,
							 .region = s->region },
				    s);
	}
}

static void tell(struct ml_find *f, const struct ml_spot *s, size_t trial, double saved)
{
	const struct ml_written_spot *w = ml_written_of(f, s);
	const char *name = ml_find_region(f, s->region);
	const char *here = ml_find_place(f, s->line);
	double share = (double)never_read(w) / (double)w->bytes;
	double left = (double)w->left / (double)w->bytes;
	struct ml_candidate *c = ml_find_add(f, s->region, s, saved, true);

	ml_find_tried(f, c, trial);
	c->finding.title = ml_arena_printf(f->arena, "nobody reads what is stored in %s",
					   name);
	ml_find_say(f, c,
		    "%s of the bytes that %s writes are never read: %s are left when the "
		    "block is freed or the program ends, %s are overwritten by the same "
		    "line.",
		    ml_find_percent(f, share), here, ml_find_percent(f, left),
		    ml_find_percent(f, share - left));
	ml_find_say(
		f, c,
		"Its %s references cost %s of all access time. No system call was given "
		"this memory.",
		ml_find_count(f, s->refs),
		ml_find_percent(f,
				(s->excess + (double)s->refs * f->cost[1]) / f->cycles));
	c->finding.advice = ml_arena_printf(
		f->arena,
		left * 2 > share
			? "do not store %s at %s. What is computed only for it need not be "
			  "computed either, which may save more. Legal if no other input "
			  "makes the program read it"
			: "store %s at %s only in the pass whose result is used. Legal if "
			  "no other input makes the program read the passes before",
		name, here);
	ml_find_fact(c, "never_read", share);
	ml_find_fact(c, "left", left);
	ml_find_fact(c, "bytes", (double)w->bytes);
	ml_find_fact(c, "references", (double)s->refs);
	ml_find_claim(f, c, s, s->excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->count; i++) {
		double saved = ml_find_saved(f, m->trial[i]);

		if (saved >= f->min_cycles)
			tell(f, m->spots[i], m->trial[i], saved);
	}
}

const struct ml_finder ml_find_never_read = {
	.kind = "never read",
	.rule = "Nobody reads what is stored.",
	.view = { .name = "regions",
		  .miss = "A line of {line} bytes comes in for a value that nothing "
			  "reads later." },
	.weight = 1,
	.look = look,
	.try = try,
	.conclude = conclude,
};
