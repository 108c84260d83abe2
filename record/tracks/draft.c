#include "record/tracks/draft.h"

#include "record/tracks/head.h"

enum {
	STALE = 1 << 14, /* time without a run after which a draft goes to another head */
	LOOKS = 8,       /* drafts among which a stale one is sought at a time */
};

void ml_drafts_release(struct ml_drafts *all)
{
	ml_arena_release(&all->arena);
}

static bool is_stale(const struct ml_drafts *all, const struct ml_draft *d)
{
	return all->time - d->seen > STALE;
}

static struct ml_draft *draft_of(const struct ml_drafts *all, const struct ml_head *head,
				 uint64_t key)
{
	struct ml_draft *d = head->draft ? all->at[head->draft - 1] : NULL;

	return d && d->owner == key ? d : NULL;
}

/* The number of a draft that no head needs, or ML_DRAFTS. */
static unsigned find_free(struct ml_drafts *all)
{
	if (all->frees)
		return all->free[--all->frees];
	if (all->count < ML_DRAFTS) {
		all->at[all->count] = ml_arena_alloc(&all->arena, sizeof(**all->at));
		return all->count++;
	}
	for (unsigned i = 0; i < LOOKS; i++) {
		unsigned number = all->next++ % ML_DRAFTS;

		if (is_stale(all, all->at[number]))
			return number;
	}
	return ML_DRAFTS;
}

struct ml_draft *ml_drafts_get(struct ml_drafts *all, struct ml_head *head, uint64_t key,
			       const void *track)
{
	struct ml_draft *d = draft_of(all, head, key);

	if (head->tries >= ML_HEAD_TRIES)
		return NULL;
	all->time++;
	if (d && d->track != track && !is_stale(all, d))
		return NULL;
	if (!d) {
		unsigned number = find_free(all);

		if (number == ML_DRAFTS) {
			/*
			 * a request in vain advances the time too; otherwise drafts
			 * without runs would never become stale
			 */
			all->time += ML_DRAFT_RUNS;
			return NULL;
		}
		head->draft = (uint16_t)(number + 1);
		d = all->at[number];
	}
	if (d->owner != key || d->track != track) {
		d->owner = key;
		d->track = track;
		d->runs = 0;
	}
	d->seen = all->time;
	return d;
}

void ml_drafts_drop(struct ml_drafts *all, struct ml_head *head, uint64_t key)
{
	struct ml_draft *d = draft_of(all, head, key);

	if (d) {
		d->owner = 0;
		all->free[all->frees++] = (uint8_t)(head->draft - 1);
	}
	head->draft = 0;
}

void ml_drafts_clear(struct ml_drafts *all)
{
	all->frees = all->count;
	for (unsigned i = 0; i < all->count; i++) {
		all->at[i]->owner = 0;
		all->free[i] = (uint8_t)i;
	}
}
