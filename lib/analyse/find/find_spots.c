#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/trace/trace.h"

static void find_costs(struct ml_find *f)
{
	const struct ml_machine *m = &f->p->machine;

	for (unsigned i = 0; i < m->levels; i++)
		f->cost[i + 1] = m->level[i].cycles;
	f->memory = m->levels + 1;
	f->cost[f->memory] = m->memory_cycles;
	f->line = m->level[0].line;
	f->line_bits = (unsigned)__builtin_ctzll(f->line);
	f->cycles = f->p->cycles * (double)f->p->refs;
}

double ml_find_miss(const struct ml_find *f, unsigned level)
{
	return f->cost[level + 1] - f->cost[level];
}

double ml_find_translation(const struct ml_find *f, unsigned tlb)
{
	const struct ml_machine *m = &f->p->machine;

	return tlb > m->tlbs ? m->walk_cycles : m->tlb[tlb - 1].cycles;
}

uint64_t ml_find_missed(const uint64_t served[ML_SERVED], unsigned level)
{
	uint64_t n = 0;

	for (unsigned i = level + 1; i < ML_SERVED; i++)
		n += served[i];
	return n;
}

static double excess_of(const struct ml_find *f, const uint64_t served[ML_SERVED])
{
	double sum = 0;

	for (unsigned i = 2; i <= f->memory; i++)
		sum += (f->cost[i] - f->cost[1]) * (double)served[i];
	return sum;
}

static uint64_t refs_of(const struct ml_profile_cell *c)
{
	return c->kind[0] + c->kind[1] + c->kind[2];
}

/* Cycles of translation beyond those that a page of the first TLB takes. */
static double translation_beyond(const struct ml_find *f, const struct ml_profile_cell *c)
{
	const struct ml_machine *m = &f->p->machine;
	uint64_t data = refs_of(c) - c->surcharge.fetches;

	return m->tlbs ? ml_surcharge_translation(&c->surcharge, m, refs_of(c)) -
				 (double)data * m->tlb[0].cycles
		       : 0;
}

/* A line that was lost to another core came from there: the rest of its price. */
static void add_transfers(struct ml_spot *s, const struct ml_profile_cell *c,
			  double transfer)
{
	uint64_t data = c->cause[0][ML_CAUSE_SHARING];
	uint64_t other = c->cause[0][ML_CAUSE_FALSE_SHARING];

	if (data + other == 0)
		return;
	double part = (double)data / (double)(data + other);

	s->by_cause[ML_CAUSE_SHARING] += part * transfer;
	s->by_cause[ML_CAUSE_FALSE_SHARING] += (1 - part) * transfer;
}

double ml_find_cell_waits(const struct ml_find *f, const struct ml_profile_cell *c)
{
	return excess_of(f, c->served) + translation_beyond(f, c) +
	       ml_surcharge_transfer(&c->surcharge, &f->p->machine);
}

static void add_cell(const struct ml_find *f, struct ml_spot *s,
		     const struct ml_profile_cell *c)
{
	double transfer = ml_surcharge_transfer(&c->surcharge, &f->p->machine);
	double translation = translation_beyond(f, c);
	double excess = ml_find_cell_waits(f, c);

	for (unsigned i = 0; i < 3; i++) {
		s->kind[i] += c->kind[i];
		s->refs += c->kind[i];
	}
	s->bytes += c->bytes;
	for (unsigned i = 0; i < ML_SERVED; i++)
		s->served[i] += c->served[i];
	for (unsigned l = 0; l + 1 < f->memory; l++)
		for (unsigned i = 0; i < ML_CAUSES; i++) {
			s->cause[l][i] += c->cause[l][i];
			s->by_cause[i] += ml_find_miss(f, l + 1) * (double)c->cause[l][i];
		}
	add_transfers(s, c, transfer);
	ml_surcharge_add(&s->surcharge, &c->surcharge);
	s->translation += translation;
	s->excess += excess;
	if (!s->worst || excess > s->worst_excess) {
		s->worst = c;
		s->worst_excess = excess;
	}
}

static int by_excess(const void *a, const void *b)
{
	const struct ml_spot *x = a, *y = b;

	if (x->excess != y->excess)
		return x->excess > y->excess ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

static void find_same(struct ml_find *f)
{
	size_t count = f->tables->regions.count;
	struct ml_map first = { 0 };

	f->same = ml_arena_alloc(f->arena, count * sizeof(*f->same));
	for (uint32_t i = 0; i < count; i++) {
		const struct ml_region *r = &f->tables->regions.at[i];
		uint32_t key[] = { (uint32_t)r->kind, r->name,  r->type,
				   r->file,           r->line,  r->func,
				   (uint32_t)r->elem, r->fields };
		bool is_new = true;
		uint64_t *at = r->kind == ML_REGION_HEAP && r->line
				       ? ml_map_add(&first, ml_hash(key, sizeof(key)),
						    &is_new)
				       : NULL;

		if (at && is_new)
			*at = i;
		f->same[i] = at ? (uint32_t)*at : i;
	}
	ml_map_release(&first);
}

uint32_t ml_find_same(const struct ml_find *f, uint32_t region)
{
	return region < f->tables->regions.count ? f->same[region] : region;
}

struct ml_profile_use ml_find_use(const struct ml_find *f, uint32_t region,
				  unsigned level)
{
	struct ml_profile_use sum = { .region = region, .level = level };

	for (size_t i = 0; i < f->p->use_count; i++) {
		const struct ml_profile_use *u = &f->p->uses[i];

		if (u->level != level || ml_find_same(f, u->region) != region)
			continue;
		sum.lines += u->lines;
		sum.bytes += u->bytes;
		sum.used += u->used;
		sum.read += u->read;
		sum.written += u->written;
		sum.write_first += u->write_first;
		sum.never_read += u->never_read;
		sum.in_vain += u->in_vain;
	}
	return sum;
}

/*
 * Finds regions that the user's code waits for. The user cannot change the loader's
 * tables.
 */
static void find_own(struct ml_find *f)
{
	size_t count = f->tables->regions.count;
	double *theirs = ml_arena_alloc(f->arena, count * sizeof(*theirs));

	f->own = ml_arena_alloc(f->arena, count * sizeof(*f->own));
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region < count)
			theirs[f->spots[i].region] +=
				f->user_lines.lines[f->spots[i].line].own
					? -f->spots[i].excess
					: f->spots[i].excess;
	for (size_t i = 0; i < count; i++)
		f->own[i] = theirs[i] < 0;
}

void ml_find_spots(struct ml_find *f)
{
	size_t cap = 0;

	find_costs(f);
	find_same(f);
	ml_user_lines_init(&f->user_lines, f->tables);
	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];
		bool is_new;
		uint64_t line = ml_user_lines_line(&f->user_lines, c->site, c->caller,
						   &is_new);
		uint32_t region = ml_find_same(f, c->region);
		uint64_t *at = ml_map_add(&f->spot_of, line << 32 | region, &is_new);

		if (is_new) {
			f->spots = ml_grow(f->spots, &cap, f->spot_count + 1,
					   sizeof(*f->spots));
			f->spots[f->spot_count].line = (uint32_t)line;
			f->spots[f->spot_count].region = region;
			*at = f->spot_count++;
		}
		add_cell(f, &f->spots[*at], c);
	}
	if (f->spot_count)
		qsort(f->spots, f->spot_count, sizeof(*f->spots), by_excess);
	for (size_t i = 0; i < f->spot_count; i++)
		*ml_map_find(&f->spot_of,
			     (uint64_t)f->spots[i].line << 32 | f->spots[i].region) = i;
	find_own(f);
}

void ml_find_release(struct ml_find *f)
{
	for (size_t i = 0; f->observers[i]; i++)
		f->observers[i]->release(f);
	for (size_t i = 0; i < f->candidate_count; i++)
		ml_free(f->candidates[i].claims);
	ml_free(f->candidates);
	ml_free(f->tried);
	ml_free(f->spots);
	ml_map_release(&f->spot_of);
	ml_user_lines_release(&f->user_lines);
}

struct ml_spot *ml_find_spot(const struct ml_find *f, uint32_t site, uint32_t caller,
			     uint32_t region)
{
	uint64_t line = f->user_lines.of_site[caller ? caller : site];
	uint64_t *at = line ? ml_map_find(&f->spot_of, (line - 1) << 32 | region) : NULL;

	return at ? &f->spots[*at] : NULL;
}

bool ml_find_together(const struct ml_find *f, const struct ml_spot *a,
		      const struct ml_spot *b)
{
	const struct ml_user_line *x = &f->user_lines.lines[a->line];
	const struct ml_user_line *y = &f->user_lines.lines[b->line];

	return x->func == y->func && x->file == y->file && x->own == y->own;
}

unsigned ml_find_worst_level(const struct ml_find *f, const uint64_t missed[ML_LEVELS])
{
	unsigned worst = 1;
	double max = 0;

	for (unsigned l = 1; l < f->memory; l++) {
		double cost = ml_find_miss(f, l) * (double)missed[l - 1];

		if (cost > max) {
			max = cost;
			worst = l;
		}
	}
	return worst;
}

const struct ml_spot *ml_find_worst(const struct ml_find *f, uint32_t region)
{
	for (size_t i = 0; i < f->spot_count; i++) /* most excess first */
		if (f->spots[i].region == region)
			return &f->spots[i];
	return NULL;
}

struct ml_spot ml_find_sum(const struct ml_find *f, uint32_t region)
{
	struct ml_spot sum = { .region = region };

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *s = &f->spots[i];

		if (s->region != region)
			continue;
		if (!sum.worst) {
			sum.line = s->line;
			sum.worst = s->worst;
			sum.worst_excess = s->worst_excess;
		}
		sum.refs += s->refs;
		sum.bytes += s->bytes;
		for (unsigned k = 0; k < 3; k++)
			sum.kind[k] += s->kind[k];
		for (unsigned k = 0; k < ML_SERVED; k++)
			sum.served[k] += s->served[k];
		ml_surcharge_add(&sum.surcharge, &s->surcharge);
		sum.translation += s->translation;
		sum.excess += s->excess;
		for (unsigned k = 0; k < ML_CAUSES; k++) {
			sum.by_cause[k] += s->by_cause[k];
			for (unsigned l = 0; l < ML_LEVELS; l++)
				sum.cause[l][k] += s->cause[l][k];
		}
	}
	return sum;
}

bool ml_find_negligible(const struct ml_find *f, const struct ml_spot *s)
{
	return s->excess * 100 < f->min_cycles;
}

size_t ml_find_costly(const struct ml_find *f)
{
	size_t low = 0, high = f->spot_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ml_find_negligible(f, &f->spots[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool ml_find_irregular(const struct ml_find *f, const struct ml_spot *s)
{
	const struct ml_profile_cell *c = s->worst;
	uint64_t repeated = 0, near = 0, far = 0, steps = c->steps;

	for (uint32_t i = 0; i < c->strides; i++) {
		int64_t bytes = c->stride[i].bytes;
		uint64_t count = c->stride[i].count;

		if (!bytes) { /* reads and then writes the same */
			steps -= count;
			continue;
		}
		repeated += count;
		if (bytes < (int64_t)f->line && -bytes < (int64_t)f->line)
			near += count * (uint64_t)(bytes < 0 ? -bytes : bytes);
		else
			far += count;
	}
	if (2 * repeated < steps)
		return true;
	/* short runs: most misses come from the jumps between them */
	return near && ml_find_missed(c->served, 1) * f->line > 2 * near &&
	       2 * far < steps - repeated + far;
}

bool ml_find_layable(const struct ml_find *f, uint32_t region)
{
	if (!region || region >= f->tables->regions.count)
		return false;
	enum ml_region_kind kind = f->tables->regions.at[region].kind;

	return kind == ML_REGION_GLOBAL || kind == ML_REGION_HEAP ||
	       kind == ML_REGION_REGISTERED || kind == ML_REGION_MMAP;
}

bool ml_find_movable(const struct ml_find *f, uint32_t region)
{
	return ml_find_layable(f, region) && f->own[region];
}

const struct ml_block *ml_find_largest_block(const struct ml_find *f, uint32_t region,
					     size_t *count)
{
	const struct ml_block *blocks[] = { f->trace->blocks, f->tables->globals.at };
	size_t counts[] = { f->trace->block_count, f->tables->globals.count };
	const struct ml_block *largest = NULL;
	size_t n = 0;

	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < counts[k]; i++) {
			const struct ml_block *b = &blocks[k][i];

			if (ml_find_same(f, b->region) != region)
				continue;
			n++;
			if (!largest || b->size > largest->size)
				largest = b;
		}
	if (count)
		*count = n;
	return largest;
}

uint64_t ml_find_block_size(const struct ml_find *f, uint32_t region, size_t *count)
{
	const struct ml_block *largest = ml_find_largest_block(f, region, count);

	return largest ? largest->size : 0;
}

void ml_find_watch(struct ml_find *f)
{
	f->seen[f->now_index] = true;
}

void ml_find_follow(struct ml_find *f, const struct ml_find_observer *o)
{
	size_t i = 0;

	ml_find_watch(f);
	while (f->observers[i] && f->observers[i] != o)
		i++;
	if (f->observers[i])
		return;
	assert(i + 1 < ML_FIND_OBSERVERS);
	f->observers[i] = o;
	o->watch(f);
}

const bool *ml_find_sites(struct ml_find *f, uint32_t line)
{
	size_t count = f->tables->sites.count;
	bool *sites = ml_arena_alloc(f->arena, count * sizeof(*sites));

	for (size_t i = 0; i < count; i++)
		sites[i] = f->user_lines.of_site[i] == (uint64_t)line + 1;
	return sites;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

struct ml_candidate *ml_find_add(struct ml_find *f, uint32_t region,
				 const struct ml_spot *spot, double saved, bool simulated)
{
	f->candidates = ml_grow(f->candidates, &f->candidate_cap, f->candidate_count + 1,
				sizeof(*f->candidates));
	struct ml_candidate *c = &f->candidates[f->candidate_count++];
	struct ml_finding *n = &c->finding;

	c->finder = f->now;
	c->region = region;
	n->kind = f->now->kind;
	n->rule = f->now->rule;
	n->view = &f->now->view;
	n->vague = f->now->vague;
	n->region = region ? ml_find_region(f, region) : "";
	n->file = n->func = "";
	n->gain = saved / f->cycles;
	n->low = n->high = n->gain;
	n->simulated = simulated;
	c->theirs = spot ? !f->user_lines.lines[spot->line].own
			 : region < f->tables->regions.count && !f->own[region];
	if (spot) {
		const struct ml_user_line *l = &f->user_lines.lines[spot->line];

		n->file = ml_tables_text(f->tables, l->file);
		n->func = ml_tables_text(f->tables, l->func);
		n->line = l->line;
	}
	return c;
}

void ml_find_claim(struct ml_find *f, struct ml_candidate *c, const struct ml_spot *spot,
		   double cycles)
{
	c->claims = ml_grow(c->claims, &c->claim_cap, c->claim_count + 1,
			    sizeof(*c->claims));
	c->claims[c->claim_count++] = (struct ml_claim){ (uint32_t)(spot - f->spots),
							 cycles };
	c->finding.cost += cycles / f->cycles;
}

void ml_find_bounds(struct ml_find *f, struct ml_candidate *c, double low, double high)
{
	c->finding.low = low / f->cycles;
	c->finding.high = high / f->cycles;
}

static struct ml_fact *next_fact(struct ml_candidate *c)
{
	size_t i = 0;

	while (c->finding.facts[i].key)
		i++;
	assert(i + 1 < ML_FINDING_FACTS);
	return &c->finding.facts[i];
}

void ml_find_fact(struct ml_candidate *c, const char *key, double number)
{
	*next_fact(c) = (struct ml_fact){ key, NULL, number };
}

void ml_find_fact_text(struct ml_candidate *c, const char *key, const char *text)
{
	*next_fact(c) = (struct ml_fact){ key, text, 0 };
}

void ml_find_say(struct ml_find *f, struct ml_candidate *c, const char *fmt, ...)
{
	size_t i = 0;
	va_list ap;

	while (c->finding.says[i])
		i++;
	assert(i + 1 < ML_FINDING_SAYS);
	va_start(ap, fmt);
	c->finding.says[i] = ml_arena_vprintf(f->arena, fmt, ap);
	va_end(ap);
}

const char *ml_find_count(struct ml_find *f, uint64_t n)
{
	return ml_format_count(ml_arena_alloc(f->arena, ML_NUMBER_ROOM), n);
}

const char *ml_find_bytes(struct ml_find *f, uint64_t n)
{
	if (n < 10000)
		return ml_arena_printf(f->arena, "%s byte%s", ml_find_count(f, n),
				       n == 1 ? "" : "s");
	return ml_format_bytes(ml_arena_alloc(f->arena, ML_NUMBER_ROOM), n);
}

const char *ml_find_percent(struct ml_find *f, double share)
{
	double percent = 100 * share;

	return ml_arena_printf(f->arena, percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
}

const char *ml_find_region(struct ml_find *f, uint32_t region)
{
	return region ? ml_profile_region_name(f->p, f->tables, region) : "other memory";
}

const char *ml_find_run(const struct ml_find *f, uint32_t region)
{
	return f->tables->regions.at[region].column_major ? "column" : "row";
}

const char *ml_find_place(struct ml_find *f, uint32_t line)
{
	const struct ml_user_line *l = &f->user_lines.lines[line];

	if (l->line)
		return ml_arena_printf(f->arena, "%s:%u",
				       base_name(ml_tables_text(f->tables, l->file)),
				       l->line);
	if (!l->own)
		return "code that is not yours";
	const char *func = ml_tables_text(f->tables, l->func);
	return *func ? func : "unknown code";
}

const char *ml_find_misses(struct ml_find *f, const uint64_t served[ML_SERVED])
{
	const struct ml_machine *m = &f->p->machine;
	uint64_t all = ml_find_missed(served, 0), missed = ml_find_missed(served, 1);
	const char *text = ml_arena_printf(f->arena, "%s of %s references miss %s",
					   ml_find_count(f, missed),
					   ml_find_count(f, all), m->level[0].name);
	const char *sep = " (served by ";

	for (unsigned i = 2; i <= f->memory; i++) {
		double share = missed ? (double)served[i] / (double)missed : 0;

		if (share < 0.005)
			continue;
		text = ml_arena_printf(f->arena, "%s%s%s %.0f %%", text, sep,
				       i == f->memory ? "memory" : m->level[i - 1].name,
				       100 * share);
		sep = ", ";
	}
	return missed && *sep == ',' ? ml_arena_printf(f->arena, "%s)", text) : text;
}
