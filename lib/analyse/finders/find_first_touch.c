/*
 * First touch: the thread that touches a page first decides on which node the page lies.
 * If one thread fills what all threads use, all pages lie on its node, and the threads of
 * the other node fetch over the link. Only machines with `remote` have two nodes; each
 * has half of the cores. The estimate counts references that no cache of the core's own
 * serves, by page and node: as the first touch placed the page, and as its main user
 * would. The line that fills a page does not count as a user. How many of these
 * references memory serves is known from the profile, in which threads take turns. Here
 * they run as they were recorded, which differs from recording to recording, and with it
 * what a shared cache holds.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = 3, PAGE = 4096, THREADS = 1 << 16, NODES = 2, MIN_PAGES = 16 };

struct page {
	uint32_t region;             /* number of the entry in regions */
	uint8_t node;                /* of the first touch */
	const struct ml_spot *first; /* that made it: whoever fills the page */
	uint64_t far[NODES];         /* references that leave the core, by node */
};

struct touched {
	uint32_t region;
	uint64_t pages, placed[NODES];
	/* of the references that leave the core: to the other node, now and if placed by
	 * use; all of them, without the fill */
	uint64_t remote, rest, used;
	const struct ml_spot *first; /* the last spot that placed a page */
};

struct mine {
	struct touched regions[MAX_REGIONS];
	size_t count;
	struct ml_map pages;
	struct page *page;
	size_t page_count, page_cap;
	uint16_t *cores; /* by thread: core + 1, in the order of appearance */
	uint32_t threads;
	bool *fills; /* by spot: it placed a page */
};

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

	if (!f->p->machine.remote_cycles || f->p->thread_count < 2)
		return;
	m = *mine = ml_arena_alloc(f->arena, sizeof(*m));
	m->cores = ml_arena_alloc(f->arena, THREADS * sizeof(*m->cores));
	m->fills = ml_arena_alloc(f->arena, (f->spot_count + 1) * sizeof(*m->fills));
	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (ml_find_negligible(f, s))
			break;
		if (ml_find_movable(f, s->region) && !known(m, s->region) &&
		    ml_find_block_size(f, s->region, NULL) >= MIN_PAGES * PAGE)
			m->regions[m->count++].region = s->region;
	}
	if (m->count)
		ml_find_watch(f);
}

static unsigned node_of(const struct ml_find *f, struct mine *m, uint16_t thread)
{
	uint32_t cores = f->p->machine.cores;
	uint16_t *core = &m->cores[thread];

	if (!*core)
		*core = (uint16_t)(m->threads++ % cores + 1);
	return *core - 1u >= (cores + 1) / NODES;
}

static struct page *page_of(struct mine *m, uint64_t number, bool *is_new)
{
	uint64_t *at = ml_map_add(&m->pages, number, is_new);

	if (*is_new) {
		*at = m->page_count;
		m->page = ml_grow(m->page, &m->page_cap, m->page_count + 1,
				  sizeof(*m->page));
		m->page_count++;
	}
	return &m->page[*at];
}

/* The number of levels that each core has for itself. */
static unsigned own_levels(const struct ml_machine *m)
{
	unsigned n = 0;

	while (n < m->levels && m->level[n].share == 1)
		n++;
	return n;
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;
	const struct ml_batch *b = s->refs;
	unsigned own = own_levels(&f->p->machine);

	for (size_t i = 0; i < b->count; i++) {
		unsigned node = node_of(f, m, b->thread[i]);
		uint32_t k = 0;
		bool is_new;

		while (k < m->count && m->regions[k].region != s->region[i])
			k++;
		if (k == m->count)
			continue;
		struct page *p = page_of(m, b->addr[i] / PAGE, &is_new);
		const struct ml_spot *spot = s->spot[i];

		if (is_new) {
			p->region = k;
			p->node = (uint8_t)node;
			m->regions[k].placed[node]++;
			p->first = spot;
			if (spot) {
				m->fills[spot - f->spots] = true;
				m->regions[k].first = spot;
			}
		}
		/* the fill moves with the page */
		p->far[node] += s->served[i] > own && spot != p->first;
	}
}

/* Cycles: pages placed by use, and interleaved over the nodes. */
struct gain {
	double by_use, interleaved;
};

static void tell(struct ml_find *f, const struct touched *t, double share, struct gain g)
{
	uint64_t remote = (uint64_t)((double)t->remote * share + 0.5);
	uint64_t rest = (uint64_t)((double)t->rest * share + 0.5);
	const char *name = ml_find_region(f, t->region);
	const char *here = ml_find_place(f, t->first->line);
	unsigned node = t->placed[1] > t->placed[0];
	double all = (double)(t->placed[0] + t->placed[1]);
	struct ml_candidate *c = ml_find_add(f, t->region, t->first, g.by_use, false);

	c->finding.cost = g.by_use / f->cycles;
	c->more = g.by_use; /* no simulated reference waits for remote memory */
	c->finding.title = ml_arena_printf(f->arena, "all of %s lies on one node", name);
	ml_find_say(f, c,
		    "%s of its %s pages are touched first by threads of one node, at %s; "
		    "%s of the references that memory serves come from the other node.",
		    ml_find_percent(f, (double)t->placed[node] / all),
		    ml_find_count(f, t->placed[0] + t->placed[1]), here,
		    ml_find_count(f, remote));
	ml_find_say(
		f, c,
		"Placed where they are used most, %s would. The figure assumes that "
		"half of the threads run on each node, and %u cycles for a fetch from "
		"the other one.",
		ml_find_count(f, rest), f->p->machine.remote_cycles);
	c->finding.advice = ml_arena_printf(
		f->arena,
		"let each thread fill the part of %s that it works on (the same schedule "
		"at %s as in the loops that use it), or interleave its pages over the nodes "
		"(numactl --interleave). Always legal; threads must stay on their cores",
		name, here);
	ml_find_bounds(f, c, g.interleaved, g.by_use);
	ml_find_fact(c, "pages", all);
	ml_find_fact(c, "remote", (double)remote);
	ml_find_fact(c, "remote_if_placed", (double)rest);
}

/* References of the whole run that memory serves, without the fill. */
static double fetches(const struct ml_find *f, const struct mine *m, uint32_t region)
{
	double all = 0;

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == region && !m->fills[i])
			all += (double)f->spots[i].served[f->memory];
	return all;
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->page_count; i++) {
		const struct page *p = &m->page[i];
		struct touched *t = &m->regions[p->region];

		t->used += p->far[0] + p->far[1];
		t->remote += p->far[!p->node];
		t->rest += p->far[0] < p->far[1] ? p->far[0] : p->far[1];
	}
	for (size_t i = 0; m && i < m->count; i++) {
		const struct touched *t = &m->regions[i];
		double each = (double)f->p->machine.remote_cycles - f->cost[f->memory];
		/* fetches from memory for one reference that leaves the core */
		double share = t->used ? fetches(f, m, t->region) / (double)t->used : 0;
		double saved = (double)(t->remote - t->rest) * each * share;
		double low = ((double)t->remote - (double)t->used / 2) * each * share;

		if (t->first && saved >= f->min_cycles)
			tell(f, t, share, (struct gain){ saved, low > 0 ? low : 0 });
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	ml_map_release(&m->pages);
	ml_free(m->page);
}

const struct ml_finder ml_find_first_touch = {
	.kind = "first touch",
	.rule = "One thread touches first what other threads use.",
	.view = { .name = "regions",
		  .again = true,
		  .threads = true,
		  .miss = "{toucher}" },
	.weight = 1,
	.standing = ML_STANDING_CERTAIN,
	.look = look,
	.see = see,
	.conclude = conclude,
	.release = release,
};
