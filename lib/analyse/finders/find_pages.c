/*
 * More pages are in use than the TLBs hold, so translations are looked up in a slower TLB
 * or in the page table again and again. Large pages cover more memory; they are
 * simulated, each taking one entry of the same TLBs. Where only a part of each page is
 * used, a denser layout helps as well. Data that are smaller than one large page hardly
 * get one: there only smaller elements help, and whether the elements can be smaller is
 * not known here.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"

enum {
	MAX_REGIONS = 4,
	LARGE = 2 << 20,         /* a large page of x86 and of Arm with pages of 4 KiB */
	LARGE_OF_16K = 32 << 20, /* of Arm with pages of 16 KiB */
};

#define LEGAL \
	"Large pages are always legal; another layout is if nothing outside knows it"

/* Pages of which less is used are wasted. */
static const double DENSE = 0.5;

struct crowded {
	uint32_t region;
	struct ml_spot sum;
	bool small;          /* less than a large page, and used densely */
	double dense;        /* share of its pages that is used */
	size_t trial;        /* large pages; if small, elements of half the size */
	struct ml_map pages; /* by page, of the references that were seen: the 64ths of it
				that were touched, as bits */
};

struct mine {
	struct crowded regions[MAX_REGIONS];
	size_t count;
};

static uint64_t page_of(const struct ml_find *f)
{
	return f->p->machine.tlb[0].line;
}

static bool known(const struct mine *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->regions[i].region == region)
			return true;
	return false;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m;

	if (!f->p->machine.tlbs)
		return;
	m = *mine = ml_arena_alloc(f->arena, sizeof(*m));
	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		uint32_t region = f->spots[i].region;

		if (f->spots[i].translation <= 0 || known(m, region))
			continue;
		struct ml_spot sum = ml_find_sum(f, region);
		if (sum.translation >= f->min_cycles)
			m->regions[m->count++] = (struct crowded){ .region = region,
								   .sum = sum };
	}
	if (m->count)
		ml_find_watch(f);
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;
	uint64_t page = page_of(f);

	for (size_t i = 0; i < s->refs->count; i++)
		for (size_t k = 0; k < m->count; k++)
			if (m->regions[k].region == s->region[i]) {
				uint64_t addr = s->refs->addr[i];
				uint64_t part = addr % page * 64 / page;

				*ml_map_add(&m->regions[k].pages, addr / page,
					    NULL) |= (uint64_t)1 << part;
			}
}

static uint64_t large_page(const struct ml_find *f)
{
	return page_of(f) < 16384 ? LARGE : LARGE_OF_16K;
}

/* All bytes of a region. */
static uint64_t bytes_of(const struct ml_find *f, uint32_t region)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->trace->block_count; i++)
		if (ml_find_same(f, f->trace->blocks[i].region) == region)
			sum += f->trace->blocks[i].size;
	return sum ? sum : ml_find_block_size(f, region, NULL);
}

/* The share of its pages that a region uses. */
static double density(const struct crowded *r)
{
	const struct ml_map_cell *c;
	uint64_t used = 0;

	for (size_t at = 0; (c = ml_map_next(&r->pages, &at));)
		used += (uint64_t)__builtin_popcountll(c->value);
	return r->pages.count ? (double)used / 64 / (double)r->pages.count : 1;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->count; i++) {
		struct crowded *r = &m->regions[i];
		struct ml_change large = { .kind = ML_CHANGE_LARGE_PAGES,
					   .region = r->region,
					   .pitch = large_page(f),
					   .unit = page_of(f) };
		struct ml_change halved = { .kind = ML_CHANGE_SHRINK,
					    .region = r->region,
					    .pitch = 2,
					    .unit = 1 };

		r->dense = density(r);
		r->small = r->dense >= DENSE && bytes_of(f, r->region) < large_page(f);
		r->trial = ml_find_try(f, r->small ? &halved : &large, NULL);
	}
}

static const struct ml_spot *worst_of(const struct ml_find *f, uint32_t region)
{
	const struct ml_spot *worst = NULL;

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == region &&
		    (!worst || f->spots[i].translation > worst->translation))
			worst = &f->spots[i];
	return worst;
}

static const char *advice(struct ml_find *f, const struct crowded *r, const char *name)
{
	if (r->small)
		return ml_arena_printf(
			f->arena,
			"make the elements of %s smaller, if their values allow it (memlamp run "
			"--values tells), or work on one part of it at a time. Legal if nothing "
			"outside knows the layout",
			name);
	return r->dense < DENSE
		       ? ml_arena_printf(
				 f->arena,
				 "store what is used of %s side by side, so that it lies on "
				 "fewer pages, or use large pages for it (madvise with "
				 "MADV_HUGEPAGE). " LEGAL,
				 name)
		       : ml_arena_printf(
				 f->arena,
				 "use large pages for %s (madvise with MADV_HUGEPAGE), or "
				 "work on one part of it at a time. " LEGAL,
				 name);
}

static void tell(struct ml_find *f, const struct crowded *r, double saved)
{
	const struct ml_machine *m = &f->p->machine;
	const struct ml_spot *s = worst_of(f, r->region);
	const char *name = ml_find_region(f, r->region);
	uint64_t missed = ml_surcharge_missed(&r->sum.surcharge, m, 0);
	uint64_t walks = ml_surcharge_missed(&r->sum.surcharge, m, m->tlbs - 1);
	uint64_t page = page_of(f);
	struct ml_candidate *c = ml_find_add(f, r->region, s, saved, true);

	c->finding.vague = r->small;
	ml_find_tried(f, c, r->trial);
	c->finding.title = ml_arena_printf(f->arena,
					   "%s uses more pages than the TLB holds", name);
	ml_find_say(
		f, c,
		"%s of %s references to %s miss %s, which holds %s pages of %s; %s of "
		"them at %s.",
		ml_find_count(f, missed), ml_find_count(f, r->sum.refs), name,
		m->tlb[0].name, ml_find_count(f, m->tlb[0].size / page),
		ml_find_bytes(f, page),
		ml_find_percent(f, s->translation / r->sum.translation),
		ml_find_place(f, s->line));
	if (m->tlbs > 1 && walks)
		ml_find_say(f, c, "%s of them miss %s too and wait for the page table.",
			    ml_find_count(f, walks), m->tlb[m->tlbs - 1].name);
	if (r->dense < DENSE)
		ml_find_say(f, c, "Of the pages that it touches it uses %s.",
			    ml_find_percent(f, r->dense));
	if (r->small)
		ml_find_say(
			f, c,
			"It has %s, and a large page has %s: large pages hardly serve "
			"it. The figure is for elements of half the size.",
			ml_find_bytes(f, bytes_of(f, r->region)),
			ml_find_bytes(f, large_page(f)));
	c->finding.advice = advice(f, r, name);
	ml_find_fact_text(c, "tlb", m->tlb[0].name);
	ml_find_fact(c, "misses", (double)missed);
	ml_find_fact(c, "walks", (double)walks);
	ml_find_fact(c, "page", (double)page);
	ml_find_fact(c, "page_used", r->dense);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == r->region && f->spots[i].translation > 0)
			ml_find_claim(f, c, &f->spots[i], f->spots[i].translation);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->count; i++) {
		double saved = ml_find_saved(f, m->regions[i].trial);

		if (saved >= f->min_cycles)
			tell(f, &m->regions[i], saved);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++)
		ml_map_release(&m->regions[i].pages);
}

const struct ml_finder ml_find_pages = {
	.kind = "pages",
	.rule = "An array uses more pages than the TLB holds.",
	.view = { .name = "space", .miss = "{far}" },
	.weight = 1,
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
