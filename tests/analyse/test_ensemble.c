#include "lib/analyse/ensemble/ensemble.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/trace/trace.h"
#include "tests/scratch.h"
#include "tests/sim_random.h"
#include "tests/test.h"

static struct ml_ensemble e;
static struct ml_err err;

static uint32_t add_trace(struct ml_ensemble *x, const char *path, uint64_t count,
			  size_t bins)
{
	struct ml_trace t = { .path = path, .count = count };

	snprintf((char *)t.id, sizeof(t.id), "%s", path);
	return ml_ensemble_add_trace(x, &t, NULL, 0, 0, bins);
}

static bool add(struct ml_ensemble *x, uint32_t trace, const char *machine,
		const struct ml_parameter *params, size_t count)
{
	struct ml_machine m;

	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	return ml_ensemble_add_member(x, trace, &m, params, count);
}

/* As if it had been simulated: level 2 serves a share of each bin, memory the rest of
 * what the first level does not. */
static void simulate(struct ml_ensemble *x, size_t member)
{
	struct ml_member *m = &x->members[member];
	const struct ml_ensemble_trace *t = &x->traces[m->trace];

	ml_ensemble_make_series(x, m);
	for (size_t i = 0; i < t->bins; i++) {
		uint64_t left = ml_ensemble_bin_refs(t, i);

		for (unsigned s = m->parsed.levels + 1; s > 1; s--) {
			m->served[s][i] = (uint32_t)random_below(left + 1);
			left -= m->served[s][i];
		}
		m->served[1][i] = (uint32_t)left;
	}
	ml_ensemble_finish(x, m);
}

static void check_same(const struct ml_ensemble *a, const struct ml_ensemble *b)
{
	CHECK_EQ(a->trace_count, b->trace_count);
	CHECK_EQ(a->member_count, b->member_count);
	CHECK_EQ(a->state_count, b->state_count);
	for (size_t i = 0; i < a->trace_count; i++) {
		const struct ml_ensemble_trace *t = &a->traces[i], *u = &b->traces[i];

		CHECK_STR(t->path, u->path);
		CHECK_STR(t->label, u->label);
		CHECK_EQ(t->from, u->from);
		CHECK_EQ(t->to, u->to);
		CHECK_EQ(t->bits, u->bits);
		CHECK_EQ(t->bins, u->bins);
		CHECK(!memcmp(t->id, u->id, sizeof(t->id)));
		CHECK_EQ(t->milestone_count, u->milestone_count);
		for (size_t k = 0; k < t->milestone_count; k++) {
			CHECK_STR(t->milestones[k].name, u->milestones[k].name);
			CHECK_EQ(t->milestones[k].count, u->milestones[k].count);
			CHECK(!memcmp(t->milestones[k].at, u->milestones[k].at,
				      t->milestones[k].count * sizeof(uint64_t)));
		}
	}
	for (size_t i = 0; i < a->member_count; i++) {
		const struct ml_member *m = &a->members[i], *n = &b->members[i];

		CHECK_STR(m->label, n->label);
		CHECK_STR(m->machine, n->machine);
		CHECK_EQ(m->trace, n->trace);
		CHECK_EQ(m->done, n->done);
		CHECK_EQ(m->param_count, n->param_count);
		for (size_t k = 0; k < m->param_count; k++) {
			CHECK_STR(m->params[k].name, n->params[k].name);
			CHECK_STR(m->params[k].value, n->params[k].value);
			CHECK(isnan(m->params[k].number)
				      ? isnan(n->params[k].number)
				      : m->params[k].number == n->params[k].number);
		}
		for (unsigned s = 1; m->done && s <= m->parsed.levels + 1; s++) {
			CHECK_EQ(m->total[s], n->total[s]);
			CHECK(!memcmp(m->served[s], n->served[s],
				      a->traces[m->trace].bins * sizeof(uint32_t)));
		}
	}
	CHECK_EQ(a->choice_count, b->choice_count);
	for (size_t i = 0; i < a->choice_count; i++) {
		CHECK_STR(a->choices[i].name, b->choices[i].name);
		CHECK_STR(a->choices[i].value, b->choices[i].value);
	}
	for (size_t i = 0; i < a->state_count; i++) {
		CHECK_EQ(a->states[i].trace, b->states[i].trace);
		CHECK_EQ(a->states[i].position, b->states[i].position);
		CHECK_EQ(a->states[i].size, b->states[i].size);
		CHECK(!memcmp(a->states[i].data, b->states[i].data, a->states[i].size));
	}
}

/* Two traces, four members of which the last is not done, milestones, a state, choices.
 */
static void fill(struct ml_ensemble *x)
{
	static const struct ml_parameter size[] = { { "L1 size", "1K", 1024 },
						    { "L1 policy", "fifo", NAN } };

	ml_ensemble_init(x);
	uint32_t a = add_trace(x, "a.mlt", 10001, 100), b = add_trace(x, "b.mlt", 7, 0);
	add(x, a, "L1 1K fifo", size, 2);
	add(x, a, "L1 2K | L2 8K", NULL, 0);
	add(x, b, "L1 1K", NULL, 0);
	add(x, b, "L1 2K", NULL, 0);
	for (size_t i = 0; i < 3; i++)
		simulate(x, i);
	struct ml_milestones *m = ml_ensemble_new_milestones(x, &x->traces[0], "mark x");
	m->at = ml_grow(NULL, &m->cap, 3, sizeof(*m->at));
	m->count = 3;
	m->at[1] = 500;
	m->at[2] = 10001;
	ml_ensemble_add_state(x, 1, 5, "state", 5);
	ml_ensemble_choose(x, "time", "raw");
	ml_ensemble_choose(x, "window", "100");
	ml_ensemble_choose(x, "time", "matched");
	ml_ensemble_label(x);
}

TEST(bins_are_powers_of_two_and_cover_the_window)
{
	ml_ensemble_init(&e);
	add_trace(&e, "t", 10001, 100);
	CHECK_EQ(e.traces[0].bits, 7); /* 64 would be 157 bins */
	CHECK_EQ(e.traces[0].bins, 79);
	CHECK_EQ(ml_ensemble_bin_refs(&e.traces[0], 0), 128);
	CHECK_EQ(ml_ensemble_bin_refs(&e.traces[0], 78), 10001 - 78 * 128);
	add_trace(&e, "u", 128, 1);
	CHECK_EQ(e.traces[1].bins, 1);
	CHECK_EQ(ml_ensemble_bin_refs(&e.traces[1], 0), 128);
	add_trace(&e, "none", 0, 0);
	CHECK_EQ(e.traces[2].bins, 0);
	ml_ensemble_release(&e);
}

TEST(traces_and_members_are_added_once)
{
	ml_ensemble_init(&e);
	CHECK_EQ(add_trace(&e, "x/a.mlt", 100, 0), 0);
	CHECK_EQ(add_trace(&e, "x/a.mlt", 100, 0), 0);
	CHECK_EQ(add_trace(&e, "b", 100, 0), 1);
	CHECK_STR(e.traces[0].label, "a");
	CHECK(add(&e, 0, "L1 32K", NULL, 0));
	CHECK(!add(&e, 0, "L1 32768 8w lru", NULL, 0));
	CHECK(add(&e, 1, "L1 32K", NULL, 0));
	CHECK_EQ(e.member_count, 2);
	ml_ensemble_release(&e);
}

static const char *label(size_t member)
{
	return e.members[member].label;
}

TEST(labels_are_what_differs)
{
	static const struct ml_parameter small[] = { { "L1 size", "1K", 1024 },
						     { "L1 ways", "2", 2 },
						     { "L1 policy", "lru", NAN } };
	static const struct ml_parameter large[] = { { "L1 size", "2K", 2048 },
						     { "L1 ways", "2", 2 },
						     { "L1 policy", "fifo", NAN } };

	ml_ensemble_init(&e);
	add_trace(&e, "a", 100, 0);
	add(&e, 0, "L1 1K 2w lru", small, 3);
	add(&e, 0, "L1 2K 2w fifo", large, 3);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "1K lru");
	CHECK_STR(label(1), "2K fifo");
	/* one that nobody gave parameters of: the machines tell */
	add(&e, 0, "L1 2K 4w fifo", large, 3);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "1K 2w lru");
	CHECK_STR(label(2), "2K 4w fifo");
	add_trace(&e, "b", 100, 0);
	add(&e, 1, "L1 1K 2w lru", small, 3);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "a 1K 2w lru");
	CHECK_STR(label(3), "b 1K 2w lru");
	ml_ensemble_release(&e);
}

TEST(labels_say_of_which_level_when_several_differ)
{
	ml_ensemble_init(&e);
	add_trace(&e, "a", 100, 0);
	add(&e, 0, "L1 1K 2w | L2 8K", NULL, 0);
	add(&e, 0, "L1 2K 2w | L2 16K", NULL, 0);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "L1 1K L2 8K");
	CHECK_STR(label(1), "L1 2K L2 16K");
	ml_ensemble_release(&e);
	ml_ensemble_init(&e);
	add_trace(&e, "a", 100, 0);
	add(&e, 0, "L1 1K 2w | L2 8K 4w", NULL, 0);
	add(&e, 0, "L1 2K 4w | L2 16K 8w", NULL, 0);
	ml_ensemble_label(&e);
	CHECK_STR(label(1), "L1 2K 4w L2 16K 8w"); /* each level is named once */
	ml_ensemble_release(&e);
}

TEST(a_parameter_of_programs_stands_for_their_traces)
{
	static const struct ml_parameter pad[] = { { "PAD", "0", 0 }, { "PAD", "1", 1 } };

	ml_ensemble_init(&e);
	add_trace(&e, "pad0", 100, 0);
	add_trace(&e, "pad1", 100, 0);
	add(&e, 0, "L1 1K", &pad[0], 1);
	add(&e, 1, "L1 1K", &pad[1], 1);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "PAD=0");
	CHECK_STR(label(1), "PAD=1");
	ml_ensemble_release(&e);
}

TEST(labels_are_unique)
{
	ml_ensemble_init(&e);
	add_trace(&e, "x/a.mlt", 100, 0);
	add_trace(&e, "y/a.mlt", 100, 0);
	add(&e, 0, "L1 1K", NULL, 0);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "a");
	add(&e, 1, "L1 1K", NULL, 0);
	ml_ensemble_label(&e);
	CHECK_STR(label(0), "a");
	CHECK_STR(label(1), "a (2)");
	ml_ensemble_release(&e);
}

TEST(members_are_found_by_label_words_or_number)
{
	size_t m;

	fill(&e);
	CHECK_OK(ml_ensemble_find(&e, label(2), &m, &err), &err);
	CHECK_EQ(m, 2);
	CHECK_OK(ml_ensemble_find(&e, "3", &m, &err), &err);
	CHECK_EQ(m, 3);
	CHECK_OK(ml_ensemble_find(&e, "fifo a", &m, &err), &err);
	CHECK_EQ(m, 0);
	CHECK_FAILS(ml_ensemble_find(&e, "b", &m, &err), &err,
		    "'b' may be any of 2 members: ");
	CHECK_FAILS(ml_ensemble_find(&e, "4", &m, &err), &err, "there is no member '4'");
	CHECK_FAILS(ml_ensemble_find(&e, "", &m, &err), &err, label(0));
	ml_ensemble_release(&e);
}

TEST(a_file_holds_all_of_it)
{
	struct ml_ensemble again;

	fill(&e);
	CHECK(!ml_ensemble_is(scratch()));
	CHECK_OK(ml_ensemble_save(&e, scratch(), &err), &err);
	CHECK(ml_ensemble_is(scratch()));
	CHECK_OK(ml_ensemble_open(&again, scratch(), &err), &err);
	check_same(&e, &again);
	ml_ensemble_release(&again);
	ml_ensemble_release(&e);
}

static struct ml_buf bytes_of(const char *path)
{
	struct ml_file_map map;
	struct ml_buf b = { 0 };

	CHECK_OK(ml_file_map_open(&map, path, &err), &err);
	ml_buf_put(&b, map.data, map.size);
	ml_file_map_close(&map);
	return b;
}

static void write_bytes(const void *bytes, size_t size)
{
	FILE *f = fopen(scratch(), "w");

	CHECK(f && fwrite(bytes, 1, size, f) == size);
	fclose(f);
}

TEST(what_was_read_is_written_as_the_same_bytes)
{
	struct ml_ensemble again;

	fill(&e);
	CHECK_OK(ml_ensemble_save(&e, scratch(), &err), &err);
	struct ml_buf first = bytes_of(scratch());
	CHECK_OK(ml_ensemble_open(&again, scratch(), &err), &err);
	CHECK_OK(ml_ensemble_save(&again, scratch(), &err), &err);
	struct ml_buf second = bytes_of(scratch());
	CHECK_EQ(first.size, second.size);
	CHECK(!memcmp(first.data, second.data, first.size));
	ml_buf_release(&first);
	ml_buf_release(&second);
	ml_ensemble_release(&again);
	ml_ensemble_release(&e);
}

TEST(a_damaged_or_cut_file_is_refused_with_the_place)
{
	struct ml_ensemble again;

	fill(&e);
	CHECK_OK(ml_ensemble_save(&e, scratch(), &err), &err);
	struct ml_buf all = bytes_of(scratch());
	for (size_t i = 0; i < all.size; i++) {
		write_bytes(all.data, i);
		CHECK_FAILS(ml_ensemble_open(&again, scratch(), &err), &err, scratch());
	}
	for (size_t i = 0; i < all.size; i++) {
		all.data[i] ^= 1;
		write_bytes(all.data, all.size);
		CHECK_FAILS(ml_ensemble_open(&again, scratch(), &err), &err, scratch());
		all.data[i] ^= 1;
	}
	ml_buf_put(&all, "x", 1);
	write_bytes(all.data, all.size);
	CHECK_FAILS(ml_ensemble_open(&again, scratch(), &err), &err,
		    "there are bytes behind the end");
	ml_buf_release(&all);
	ml_ensemble_release(&e);
}

TEST(files_of_other_kinds_and_versions_are_named_as_such)
{
	struct ml_ensemble again;

	fill(&e);
	CHECK_OK(ml_ensemble_save(&e, scratch(), &err), &err);
	struct ml_buf all = bytes_of(scratch());
	all.data[8] = 99;
	write_bytes(all.data, all.size);
	CHECK_FAILS(
		ml_ensemble_open(&again, scratch(), &err), &err,
		"format version 99 is newer than this memlamp, which reads version 1");
	all.data[0] = 'x';
	write_bytes(all.data, all.size);
	CHECK_FAILS(ml_ensemble_open(&again, scratch(), &err), &err, "not an ensemble");
	ml_buf_release(&all);
	ml_ensemble_release(&e);
}

TEST(a_file_that_cannot_be_made_is_named)
{
	fill(&e);
	CHECK_FAILS(ml_ensemble_save(&e, "/nowhere/x.mle", &err), &err, "/nowhere/x.mle");
	CHECK_EQ(err.kind, ML_IO);
	ml_ensemble_release(&e);
}

TEST(merging_keeps_what_both_have_once_and_done)
{
	struct ml_ensemble other;

	fill(&e);
	random_state = 1;
	fill(&other);
	simulate(&other, 3);
	add(&other, 1, "L1 4K", NULL, 0);
	simulate(&other, 4);
	ml_ensemble_choose(&other, "window", "200");
	ml_ensemble_choose(&other, "volume", "on");
	CHECK_OK(ml_ensemble_merge(&e, &other, &err), &err);
	CHECK_EQ(e.choice_count, 3);
	CHECK_STR(e.choices[0].value, "matched");
	CHECK_STR(e.choices[1].value, "100"); /* its own */
	CHECK_STR(e.choices[2].name, "volume");
	CHECK_EQ(e.trace_count, 2);
	CHECK_EQ(e.member_count, 5);
	CHECK_EQ(e.traces[0].milestone_count, 1);
	CHECK(e.members[3].done && e.members[4].done);
	for (unsigned s = 1; s <= 2; s++)
		CHECK_EQ(e.members[3].total[s], other.members[3].total[s]);
	CHECK_EQ(e.members[4].total[1] + e.members[4].total[2], 7);
	ml_ensemble_release(&other);
	ml_ensemble_release(&e);
}

TEST(merging_other_traces_adds_them)
{
	struct ml_ensemble other;

	fill(&e);
	ml_ensemble_init(&other);
	add_trace(&other, "c.mlt", 50, 0);
	add(&other, 0, "L1 1K", NULL, 0);
	simulate(&other, 0);
	CHECK_OK(ml_ensemble_merge(&e, &other, &err), &err);
	CHECK_EQ(e.trace_count, 3);
	CHECK_EQ(e.members[4].trace, 2);
	CHECK_EQ(e.members[4].total[2], other.members[0].total[2]);
	ml_ensemble_release(&other);
	ml_ensemble_release(&e);
}

TEST(traces_in_other_bins_do_not_merge)
{
	struct ml_ensemble other;

	fill(&e);
	ml_ensemble_init(&other);
	add_trace(&other, "a.mlt", 10001, 10);
	CHECK_FAILS(ml_ensemble_merge(&e, &other, &err), &err, "a is cut into 79 bins");
	CHECK_EQ(e.member_count, 4);
	ml_ensemble_release(&other);
	ml_ensemble_release(&e);
}

TEST(a_trace_that_is_dropped_takes_its_members_along)
{
	size_t before, of_second = 0;
	struct ml_machine m;

	fill(&e);
	before = e.member_count;
	for (size_t i = 0; i < before; i++)
		of_second += e.members[i].trace == 1;
	ml_ensemble_drop_trace(&e, 0);
	CHECK_EQ(e.trace_count, 1);
	CHECK_EQ(e.member_count, of_second);
	for (size_t i = 0; i < e.member_count; i++) {
		CHECK_EQ(e.members[i].trace, 0);
		/* and is found under its new number */
		CHECK_OK(ml_machine_parse(&m, e.members[i].machine, &err), &err);
		CHECK(!ml_ensemble_add_member(&e, 0, &m, NULL, 0));
	}
	/* what takes the places is new in every way */
	add_trace(&e, "c.mlt", 50, 0);
	CHECK_EQ(e.traces[1].milestone_count, 0);
	add(&e, 1, "L1 8K", NULL, 0);
	CHECK_EQ(e.members[of_second].param_count, 0);
	CHECK(!e.members[of_second].done);
	ml_ensemble_release(&e);
}
