/*
 * The part of a profile that is about lines: misses by set, regions that evict each
 * other, used bytes, and lines that move from core to core.
 */
#include <stdlib.h>

#include "lib/analyse/passes/profile_parts.h"

static struct ml_profile_pair *pair_row(struct ml_profiler *x, const struct ml_miss *m)
{
	struct ml_profile *p = x->p;
	bool is_new;
	uint64_t *row = ml_map_add(&x->pair_row[m->level],
				   (uint64_t)m->owner << 32 | m->evictor, &is_new);

	if (is_new) {
		*row = p->pair_count;
		p->pairs = ml_grow(p->pairs, &p->pair_cap, p->pair_count + 1,
				   sizeof(*p->pairs));
		p->pairs[p->pair_count++] = (struct ml_profile_pair){
			.level = m->level, .loser = m->owner, .winner = m->evictor
		};
	}
	return &p->pairs[*row];
}

void ml_profile_miss(void *arg, const struct ml_events *e, const struct ml_miss *m)
{
	struct ml_profiler *x = arg;
	struct ml_profile_level *l = &x->p->level[m->level];

	if (!x->started)
		ml_profile_start(x, e->replay);
	if (l->set) {
		l->set[m->set].missed++;
		l->set[m->set].conflict += m->cause == ML_CAUSE_CONFLICT;
	}
	if (m->evictor == ML_NO_OWNER)
		return;
	if (m->cause == ML_CAUSE_CONFLICT)
		pair_row(x, m)->conflict++;
	else if (m->cause == ML_CAUSE_CAPACITY)
		pair_row(x, m)->capacity++;
}

static struct ml_profile_use *use_row(struct ml_profiler *x, unsigned level,
				      uint32_t region)
{
	struct ml_profile *p = x->p;
	bool is_new;
	uint64_t *row = ml_map_add(&x->use_row, (uint64_t)level << 32 | region, &is_new);

	if (is_new) {
		*row = p->use_count;
		p->uses = ml_grow(p->uses, &p->use_cap, p->use_count + 1,
				  sizeof(*p->uses));
		p->uses[p->use_count++] = (struct ml_profile_use){ .region = region,
								   .level = level };
	}
	return &p->uses[*row];
}

static uint64_t bytes_of(uint64_t mask, uint32_t unit)
{
	return (uint64_t)__builtin_popcountll(mask) * unit;
}

void ml_profile_leave(void *arg, const struct ml_events *e, const struct ml_leave *l)
{
	struct ml_profiler *x = arg;
	struct ml_profile *p = x->p;

	if (!x->started)
		ml_profile_start(x, e->replay);
	if (p->level[l->level].set)
		p->level[l->level].set[l->set].lines++;
	if (!(p->want & ML_SIM_USE))
		return;
	struct ml_profile_use *u = use_row(x, l->level, l->owner);
	uint32_t unit = x->unit[l->level];

	u->lines++;
	u->bytes += l->level ? p->machine.level[l->level - 1].line
			     : p->machine.icache.line;
	u->used += bytes_of(l->read | l->written, unit);
	u->read += bytes_of(l->read, unit);
	u->written += bytes_of(l->written, unit);
	u->write_first += l->write_first;
	u->never_read += l->write_first && !l->read;
	u->in_vain += !l->asked;
}

/*
 * A line and two cores do not fit one key. So rows are found by a hash of them; in the
 * rare case that two share a hash, the next key is tried.
 */
static uint64_t bounce_key(uint64_t line, unsigned from, unsigned to)
{
	return line * 0x9e3779b97f4a7c15u ^ ((uint64_t)from << 32 | to);
}

static struct ml_profile_bounce *find_bounce(const struct ml_profiler *x, uint64_t line,
					     unsigned from, unsigned to, uint64_t *key)
{
	for (*key = bounce_key(line, from, to);; ++*key) {
		uint64_t *row = ml_map_find(&x->bounce_row, *key);

		if (!row)
			return NULL;
		struct ml_profile_bounce *b = &x->p->bounces[*row];
		if (b->line == line && b->from == from && b->to == to)
			return b;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct ml_profile_bounce *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1)
				  : (x->to < y->to ? -1 : x->to > y->to);
}

static void index_bounces(struct ml_profiler *x)
{
	ml_map_release(&x->bounce_row);
	for (size_t i = 0; i < x->p->bounce_count; i++) {
		const struct ml_profile_bounce *b = &x->p->bounces[i];
		uint64_t key;

		find_bounce(x, b->line, b->from, b->to, &key);
		*ml_map_add(&x->bounce_row, key, NULL) = i;
	}
}

/* Too many lines bounce: drops the rarer half. */
static void drop_bounces(struct ml_profiler *x)
{
	struct ml_profile *p = x->p;
	size_t kept = p->bounce_count / 2;

	qsort(p->bounces, p->bounce_count, sizeof(*p->bounces), by_count);
	for (size_t i = kept; i < p->bounce_count; i++)
		p->bounces_left_out += p->bounces[i].count;
	p->bounce_count = kept;
	index_bounces(x);
}

void ml_profile_bounced(void *arg, const struct ml_events *e, const struct ml_bounce *b)
{
	struct ml_profiler *x = arg;
	struct ml_profile *p = x->p;
	uint64_t key;

	if (!x->started)
		ml_profile_start(x, e->replay);
	struct ml_profile_bounce *row = find_bounce(x, b->line, b->from, b->to, &key);

	if (!row) {
		if (p->bounce_count == ML_PROFILE_BOUNCES) {
			drop_bounces(x);
			find_bounce(x, b->line, b->from, b->to, &key);
		}
		*ml_map_add(&x->bounce_row, key, NULL) = p->bounce_count;
		p->bounces = ml_grow(p->bounces, &p->bounce_cap, p->bounce_count + 1,
				     sizeof(*p->bounces));
		row = &p->bounces[p->bounce_count++];
		*row = (struct ml_profile_bounce){ .line = b->line,
						   .from = b->from,
						   .to = b->to };
	}
	row->region = e->region[b->access];
	row->site_to = e->refs->site[b->access];
	row->count++;
	row->sharing += b->cause == ML_CAUSE_SHARING;
	row->false_sharing += b->cause == ML_CAUSE_FALSE_SHARING;
}

/* The site of the other core is known from the bounce in the other direction. */
void ml_profile_lines_end(struct ml_profiler *x)
{
	struct ml_profile *p = x->p;

	for (size_t i = 0; i < p->bounce_count; i++) {
		struct ml_profile_bounce *b = &p->bounces[i];
		uint64_t key;
		const struct ml_profile_bounce *back = find_bounce(x, b->line, b->to,
								   b->from, &key);

		b->site_from = back ? back->site_to : 0;
	}
	if (p->bounce_count)
		qsort(p->bounces, p->bounce_count, sizeof(*p->bounces), by_count);
	ml_map_release(&x->use_row);
	for (size_t i = 0; i <= ML_LEVELS; i++)
		ml_map_release(&x->pair_row[i]);
	ml_map_release(&x->bounce_row);
}
