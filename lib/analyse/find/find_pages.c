/*
 * More pages are in use than the TLBs hold, so translations are looked up in the page
 * table again and again. Larger pages cover more memory. The TLBs are simulated again to
 * know the region and the line of each walk.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"

struct mine {
	uint64_t *walks; /* by spot: walks that were seen */
	uint64_t *refs;  /* by spot: references that were seen */
};

static uint64_t missed(const struct ml_level_counts *c)
{
	return c->missed[0] + c->missed[1] + c->missed[2];
}

static void look(struct ml_find *f, void **mine)
{
	const struct ml_machine *m = &f->p->machine;
	struct mine *x;

	if (!m->tlbs ||
	    (double)missed(&f->p->tlb[m->tlbs - 1]) * m->walk_cycles < f->min_cycles)
		return;
	x = *mine = ml_arena_alloc(f->arena, sizeof(*x));
	x->walks = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*x->walks));
	x->refs = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*x->refs));
	f->translate = true;
	ml_find_watch(f);
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	for (size_t i = 0; s->paged && i < s->refs->count; i++) {
		const struct ml_spot *x = f->spot_at[i];

		if (!x)
			continue;
		m->refs[x - f->spots]++;
		m->walks[x - f->spots] += s->paged[i] > f->p->machine.tlbs;
	}
}

/* Walks of a spot in the whole run. */
static double walks_of(const struct ml_find *f, const struct mine *m, size_t spot)
{
	return m->refs[spot] ? (double)m->walks[spot] * (double)f->spots[spot].refs /
				       (double)m->refs[spot]
			     : 0;
}

static void tell(struct ml_find *f, const struct mine *m, uint32_t region, double walks,
		 size_t worst)
{
	const struct ml_machine *machine = &f->p->machine;
	const struct ml_level_spec *tlb = &machine->tlb[machine->tlbs - 1];
	const struct ml_spot *s = &f->spots[worst];
	const char *name = ml_find_region(f, region);
	double saved = walks * machine->walk_cycles;
	struct ml_candidate *c = ml_find_add(f, region, s, saved, false);

	c->finding.cost = saved / f->cycles;
	c->finding.title = ml_arena_printf(f->arena,
					   "%s uses more pages than the TLB holds", name);
	ml_find_say(
		f, c,
		"%s references to %s miss %s, which holds %s pages of %s, and wait for "
		"the page table; %s of them at %s.",
		ml_find_count(f, (uint64_t)(walks + 0.5)), name, tlb->name,
		ml_find_count(f, tlb->size / tlb->line), ml_find_bytes(f, tlb->line),
		ml_find_percent(f, walks_of(f, m, worst) / walks),
		ml_find_place(f, s->line));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"use large pages for %s (madvise with MADV_HUGEPAGE), store what is used "
		"of it on fewer pages, or work on one part of it at a time",
		name);
	ml_find_fact_text(c, "tlb", tlb->name);
	ml_find_fact(c, "misses", walks);
	ml_find_fact(c, "page", (double)tlb->line);
}

static void conclude(struct ml_find *f, void *arg)
{
	const struct mine *m = arg;
	struct ml_map done = { 0 };

	for (size_t i = 0; m && i < f->spot_count; i++) {
		double walks = 0;
		size_t worst = i;
		bool is_new;

		ml_map_add(&done, f->spots[i].region, &is_new);
		if (!is_new)
			continue;
		for (size_t k = i; k < f->spot_count; k++) {
			if (f->spots[k].region != f->spots[i].region)
				continue;
			walks += walks_of(f, m, k);
			if (walks_of(f, m, k) > walks_of(f, m, worst))
				worst = k;
		}
		if (walks * f->p->machine.walk_cycles >= f->min_cycles)
			tell(f, m, f->spots[i].region, walks, worst);
	}
	ml_map_release(&done);
}

const struct ml_finder ml_find_pages = {
	.kind = "pages",
	.weight = 1,
	.look = look,
	.see = see,
	.conclude = conclude,
};
