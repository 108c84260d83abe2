/*
 * Growth by copying: a block is read into a larger block of the same array and then
 * freed. The simulated change leaves the copying out and lets all blocks of one growth
 * lie where the last of them lies, as if it had been reserved at once.
 */
#include "lib/analyse/trial/elements.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/tables.h"

enum { RECENT = 16, MAX_REGIONS = 2, MIN_COPIES = 4 };

struct read {
	uint64_t block, offset;
	uint32_t region, site;
};

/* References of one site to the array, as far as they were seen. */
struct copier {
	uint64_t all, copied; /* copied: they read or wrote a copy */
};

struct growth {
	uint32_t region;
	uint64_t bytes;              /* copied into larger blocks, as far as seen */
	struct ml_map next;          /* block: the block that it was copied into */
	struct ml_elements elements; /* blocks that were copied... */
	uint64_t *places; /* ...and by number the address of the last of its growth */
	struct copier *sites;
	bool *by; /* sites that do little else than copy */
	size_t trial;
};

struct mine {
	struct growth growths[MAX_REGIONS];
	size_t count;
	struct read recent[RECENT];
	unsigned at;
};

static struct growth *growth_of(struct mine *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->growths[i].region == region)
			return &m->growths[i];
	return NULL;
}

static bool grows(const struct ml_find *f, uint32_t region)
{
	size_t freed = 0;

	if (!ml_find_movable(f, region) ||
	    f->tables->regions.at[region].kind != ML_REGION_HEAP)
		return false;
	for (size_t i = 0; i < f->trace->block_count && freed < MIN_COPIES; i++)
		freed += ml_find_same(f, f->trace->blocks[i].region) == region &&
			 f->trace->blocks[i].until != ML_FOREVER;
	return freed >= MIN_COPIES;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (s->excess + (double)s->refs * f->cost[1] < f->min_cycles ||
		    growth_of(m, s->region) || !grows(f, s->region))
			continue;
		size_t sites = f->tables->sites.count + 1;
		m->growths[m->count++] = (struct growth){
			.region = s->region,
			.sites = ml_arena_alloc(f->arena, sites * sizeof(struct copier)),
			.by = ml_arena_alloc(f->arena, sites * sizeof(bool)),
		};
	}
	if (m->count)
		ml_find_watch(f);
}

/* A recent read of the same offset in an earlier block of the region, or NULL. */
static const struct read *source(const struct ml_find *f, const struct mine *m,
				 uint32_t region, uint64_t block, uint64_t offset)
{
	const struct ml_block *all = f->trace->blocks;

	for (unsigned i = 0; i < RECENT; i++) {
		const struct read *r = &m->recent[i];

		if (r->region == region && r->offset == offset && r->block < block &&
		    all[r->block].until != ML_FOREVER)
			return r;
	}
	return NULL;
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;
	const struct ml_batch *b = s->refs;

	for (size_t i = 0; i < b->count; i++) {
		struct growth *g = growth_of(m, s->region[i]);

		uint32_t site = b->caller[i] ? b->caller[i] : b->site[i];

		if (!g || s->block[i] == ML_NO_BLOCK)
			continue;
		g->sites[site].all++;
		if (ml_what_kind(b->what[i]) != ML_WRITE) {
			m->recent[m->at++ % RECENT] = (struct read){ s->block[i],
								     s->offset[i],
								     s->region[i], site };
			continue;
		}
		const struct read *r = source(f, m, s->region[i], s->block[i],
					      s->offset[i]);
		if (!r)
			continue;
		g->sites[site].copied++;
		g->sites[r->site].copied++;
		/* s = s + t copies into a block that just fits, and then into a larger
		 * one */
		if (f->trace->blocks[r->block].size >= f->trace->blocks[s->block[i]].size)
			continue;
		g->bytes += ml_what_size(b->what[i]);
		*ml_map_add(&g->next, r->block, NULL) = s->block[i];
	}
}

static uint64_t last_of(const struct growth *g, uint64_t block)
{
	const uint64_t *next;

	while ((next = ml_map_find(&g->next, block)))
		block = *next;
	return block;
}

/*
 * Only sites that mostly copy are left out: a line that copies sometimes and does other
 * things mostly would take all those with it.
 */
static void choose_sites(const struct ml_find *f, struct growth *g)
{
	for (size_t i = 0; i < f->tables->sites.count + 1; i++)
		g->by[i] = g->sites[i].copied && 2 * g->sites[i].copied > g->sites[i].all;
}

/* Each block that was copied lies where the last one of its growth does. */
static void find_places(struct ml_find *f, struct growth *g)
{
	g->places = ml_arena_alloc(f->arena, (g->next.count + 1) * sizeof(*g->places));
	for (uint64_t k = 0; k < f->trace->block_count; k++)
		if (ml_map_find(&g->next, k))
			g->places[ml_elements_add(&g->elements,
						  ml_change_element(0, k, 0))] =
				f->trace->blocks[last_of(g, k)].addr;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		struct growth *g = &m->growths[i];
		struct ml_change *together;

		if (g->next.count < MIN_COPIES)
			continue;
		choose_sites(f, g);
		find_places(f, g);
		together = ml_arena_alloc(f->arena, sizeof(*together));
		*together = (struct ml_change){ .kind = ML_CHANGE_PACK,
						.region = g->region,
						.elements = &g->elements,
						.places = g->places };
		g->trial = ml_find_try(f,
				       &(struct ml_change){ .kind = ML_CHANGE_DROP,
							    .region = g->region,
							    .by = g->by,
							    .also = together },
				       NULL);
	}
}

/* The line of the user that makes the array grow is where its blocks are allocated. */
static void place(struct ml_find *f, struct ml_finding *n, const struct ml_region *r)
{
	if (!r->line)
		return;
	n->file = ml_tables_text(f->tables, r->file);
	n->func = ml_tables_text(f->tables, r->func);
	n->line = r->line;
}

static void tell(struct ml_find *f, const struct growth *g, double saved)
{
	const char *name = ml_find_region(f, g->region);
	struct ml_candidate *c = ml_find_add(f, g->region, ml_find_worst(f, g->region),
					     saved, true);

	ml_find_tried(f, c, g->trial);
	place(f, &c->finding, &f->tables->regions.at[g->region]);
	c->finding.title = ml_arena_printf(f->arena, "%s grows by copying itself", name);
	ml_find_say(f, c,
		    "%s of its blocks were copied into larger ones and freed, %s in all.",
		    ml_find_count(f, g->next.count), ml_find_bytes(f, g->bytes));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"reserve the final size of %s before the first element is added "
		"(vector::reserve, one malloc), or let it grow by a factor and not by a "
		"constant",
		name);
	ml_find_fact(c, "copies", (double)g->next.count);
	ml_find_fact(c, "bytes", (double)g->bytes);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == g->region &&
		    g->by[f->spots[i].worst->caller ? f->spots[i].worst->caller
						    : f->spots[i].worst->site])
			ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		struct growth *g = &m->growths[i];
		double saved = g->next.count >= MIN_COPIES ? ml_find_saved(f, g->trial)
							   : 0;

		if (saved >= f->min_cycles)
			tell(f, g, saved);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		ml_map_release(&m->growths[i].next);
		ml_elements_release(&m->growths[i].elements);
	}
}

const struct ml_finder ml_find_copies = {
	.kind = "copies",
	.rule = "A block grows by copying, again and again.",
	.view = { .name = "regions" },
	.legal = "Always legal, if the size or a bound of it is known before",
	.weight = 1.2, /* the cause is certain, and the change is one line */
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
