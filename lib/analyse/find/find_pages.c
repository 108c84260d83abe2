/*
 * More pages are in use than the TLBs hold, so translations are looked up in the page
 * table again and again. Larger pages cover more memory.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"

static uint64_t missed(const struct ml_level_counts *c)
{
	return c->missed[0] + c->missed[1] + c->missed[2];
}

static void conclude(struct ml_find *f, void *arg)
{
	const struct ml_machine *m = &f->p->machine;
	const struct ml_level_counts *last;
	const struct ml_level_spec *tlb;

	(void)arg;
	if (!m->tlbs)
		return;
	tlb = &m->tlb[m->tlbs - 1];
	last = &f->p->tlb[m->tlbs - 1];
	double saved = (double)missed(last) * m->walk_cycles;
	if (saved < f->min_cycles)
		return;
	struct ml_candidate *c = ml_find_add(f, 0, NULL, saved, false);
	c->finding.cost = saved / f->cycles;
	c->finding.title = "more pages are in use than the TLB holds";
	ml_find_say(f, c,
		    "%s references miss %s, which holds %s pages of %s, and wait for the "
		    "page table.",
		    ml_find_count(f, missed(last)), tlb->name,
		    ml_find_count(f, tlb->size / tlb->line), ml_find_bytes(f, tlb->line));
	c->finding.advice =
		"use large pages (madvise with MADV_HUGEPAGE), or work on one part "
		"of the data at a time";
	ml_find_fact_text(c, "tlb", tlb->name);
	ml_find_fact(c, "misses", (double)missed(last));
	ml_find_fact(c, "page", (double)tlb->line);
}

const struct ml_finder ml_find_pages = {
	.kind = "pages",
	.weight = 1,
	.conclude = conclude,
};
