#include "record/tracks/superblock_draft.h"

#include <string.h>

#include "lib/trace/writer.h"
#include "record/tracks/superblock_steps.h"
#include "record/tracks/superblock_track.h"

enum { STALE = 1 << 14 /* runs in all after which a draft may be taken away */ };

static bool is_stale(const struct ml_superblock_drafts *all,
		     const struct ml_superblock_draft *d)
{
	return all->time - d->time > STALE;
}

/* One that nobody uses, or that has waited too long for its runs. */
static struct ml_superblock_draft *find_free(struct ml_superblock_steps *g)
{
	struct ml_superblock_drafts *all = &g->drafts;

	for (unsigned i = 0; i < all->count; i++)
		if (!all->at[i]->of)
			return all->at[i];
	if (all->count < ML_DRAFTS_AT_ONCE) {
		struct ml_superblock_draft *d = ml_arena_alloc(&g->arena, sizeof(*d));

		return all->at[all->count++] = d;
	}
	for (unsigned i = 0; i < all->count; i++)
		if (is_stale(all, all->at[i])) {
			ml_superblock_draft_end(all->at[i]);
			return all->at[i];
		}
	return NULL;
}

bool ml_superblock_draft_begin(struct ml_superblock_steps *g, struct ml_guest_start *s,
			       struct ml_superblock_track *t)
{
	if (s->draft && is_stale(&g->drafts, s->draft))
		ml_superblock_draft_end(s->draft);
	if (s->draft)
		return false;
	struct ml_superblock_draft *d = find_free(g);
	if (!d) {
		/* waiting is time too, or drafts that get no runs would stay forever */
		g->drafts.time += ML_JOIN_RUNS;
		return false;
	}
	d->of = s;
	d->track = t;
	d->time = g->drafts.time;
	d->runs = 0;
	s->draft = d;
	return true;
}

void ml_superblock_draft_end(struct ml_superblock_draft *d)
{
	d->of->draft = NULL;
	d->of = NULL;
}

bool ml_superblock_draft_look(struct ml_superblock_draft *d,
			      struct ml_superblock_steps *g, const uint64_t *w)
{
	struct ml_guest_run *r = &d->run[d->runs];
	uint8_t where = ml_guest_known_at(g, *w)->where;
	size_t at = 0;

	g->drafts.time++;
	r->parts = 0;
	while (r->parts < ML_GUEST_PARTS && at < ML_GUEST_WORDS) {
		const struct ml_guest_known *k = ml_guest_known_at(g, w[at]);
		size_t bases;

		if (!k || k->where != where)
			break;
		const uint64_t *base = ml_guest_bases(k, w + at);
		at = (size_t)(base - w);
		uint32_t back = ml_guest_left_at(k, base, ML_GUEST_WORDS - at, &bases);
		at += bases;
		/* where one may be left early is told by the word behind */
		if (at >= ML_GUEST_WORDS)
			break;
		r->id[r->parts] = (uint32_t)(k - g->shapes);
		r->path[r->parts] = k->path - back;
		r->end[r->parts++] = (uint16_t)at;
	}
	r->parts = (unsigned)ml_join_most(ml_writer_shapes(g->writer), r->path, r->parts);
	if (r->parts && (!d->track || r->path[0] == d->track->course->path[0])) {
		for (unsigned i = 0; i < r->end[r->parts - 1]; i++)
			r->word[i] = ML_WORD_VALUE(w[i]);
		d->runs++;
	}
	return d->runs == ML_JOIN_RUNS;
}

unsigned ml_guest_run_along(const struct ml_guest_run *r, const struct ml_guest_course *c)
{
	unsigned n = 0;

	while (n < c->parts && n < r->parts && r->path[n] == c->path[n])
		n++;
	return n;
}

/* The run that takes the most frequent path next, of those that went along so far. */
static const struct ml_guest_run *next_part(const struct ml_superblock_draft *d,
					    const bool *along, unsigned part)
{
	const struct ml_guest_run *best = NULL;
	unsigned most = 1, left = 0;

	for (unsigned i = 0; i < d->runs; i++)
		left += along[i];
	for (unsigned i = 0; i < d->runs && left > most; i++) {
		unsigned count = 0;

		for (unsigned k = i; along[i] && k < d->runs; k++)
			count += along[k] && d->run[k].path[part] == d->run[i].path[part];
		if (count > most) {
			most = count;
			best = &d->run[i];
		}
		left -= along[i];
	}
	return best;
}

void ml_superblock_draft_course(const struct ml_superblock_draft *d,
				struct ml_guest_course *out)
{
	bool along[ML_JOIN_RUNS];

	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < d->runs; i++)
		along[i] = true;
	for (; out->parts < ML_GUEST_PARTS; out->parts++) {
		unsigned n = out->parts;

		for (unsigned i = 0; i < d->runs; i++)
			along[i] = along[i] && d->run[i].parts > n &&
				   (!n || d->run[i].path[n - 1] == out->path[n - 1]);
		const struct ml_guest_run *r = next_part(d, along, n);
		if (!r)
			break;
		out->path[n] = r->path[n];
		out->id[n] = r->id[n];
		out->end[n] = r->end[n];
	}
}
