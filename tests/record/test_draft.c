#include "record/tracks/draft.h"

#include "record/tracks/head.h"
#include "tests/test.h"

enum { A_TRACK, ANOTHER, TRACKS };

static const char track[TRACKS]; /* drafts only compare their addresses */

TEST(a_head_keeps_its_draft_until_it_is_dropped)
{
	struct ml_drafts all = { 0 };
	struct ml_head one = { 0 }, two = { 0 };
	struct ml_draft *d = ml_drafts_get(&all, &one, 1, NULL);

	CHECK(d);
	CHECK(!ml_draft_add(d));
	CHECK(ml_drafts_get(&all, &two, 2, NULL) != d);
	CHECK(ml_drafts_get(&all, &one, 1, NULL) == d);
	CHECK_EQ(d->runs, 1);
	ml_drafts_drop(&all, &one, 1);
	d = ml_drafts_get(&all, &one, 1, NULL);
	CHECK(d);
	CHECK_EQ(d->runs, 0);
	ml_drafts_release(&all);
}

TEST(a_head_reviews_one_track_at_a_time)
{
	struct ml_drafts all = { 0 };
	struct ml_head head = { 0 };
	struct ml_draft *d = ml_drafts_get(&all, &head, 1, &track[A_TRACK]);

	CHECK(d);
	CHECK(!ml_drafts_get(&all, &head, 1, &track[ANOTHER]));
	CHECK(ml_drafts_get(&all, &head, 1, &track[A_TRACK]) == d);
	ml_drafts_release(&all);
}

TEST(a_draft_whose_runs_stop_coming_goes_to_another_head)
{
	struct ml_head head[ML_DRAFTS] = { 0 }, late = { 0 };
	struct ml_drafts all = { 0 };
	unsigned waited = 0;

	for (unsigned i = 0; i < ML_DRAFTS; i++)
		CHECK(ml_drafts_get(&all, &head[i], i + 1, NULL));
	CHECK(!ml_drafts_get(&all, &late, ML_DRAFTS + 1, NULL));
	while (!ml_drafts_get(&all, &late, ML_DRAFTS + 1, NULL) && waited < 10000)
		waited++;
	CHECK(waited < 10000);
	ml_drafts_release(&all);
}

TEST(reviews_become_rare_while_nothing_changes)
{
	struct ml_review r;

	ml_review_init(&r);
	for (unsigned i = 1; i < ML_REVIEW_FIRST; i++)
		CHECK(!ml_review_use(&r));
	CHECK(ml_review_use(&r));
	ml_review_end(&r, true);
	CHECK_EQ(r.gap, ML_REVIEW_FIRST);
	for (unsigned i = 0; i < 100; i++)
		ml_review_end(&r, false);
	CHECK_EQ(r.gap, ML_REVIEW_LAST);
}
