/*
 * The examples of the dissertation (Choudhury, Visualizing program memory behavior
 * using memory reference traces, Utah 2012), as loops over arrays at stated addresses.
 * Every access is simulated twice, by ml_sim and by the obvious cache below, and must
 * be served by the same level; what is expected of the counts is derived beside it.
 * examples/ has them as programs, examples/README.md says where the dissertation
 * says otherwise.
 */
#include <stdio.h>

#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/exact/sim.h"
#include "tests/test.h"

enum { MOST = 200000 };

/* The accesses of an example, and the level that served each. */
static uint64_t addr[MOST];
static uint16_t what[MOST];
static uint16_t outcome[MOST];
static uint8_t served[MOST];
static size_t count;

static void touch(enum ml_access_kind kind, uint64_t where)
{
	assert_true(count < MOST);
	addr[count] = where;
	what[count++] = (uint16_t)(kind << 14 | 4);
}

static void get(uint64_t where)
{
	touch(ML_ACCESS_READ, where);
}

static void put(uint64_t where)
{
	touch(ML_ACCESS_WRITE, where);
}

/* What a level is asked for: positions in addr, and when each line is asked for again. */
struct requests {
	size_t count;
	uint32_t at[MOST];
	uint64_t next[MOST];
	size_t given; /* to ml_sim */
};
static struct requests requests[ML_LEVELS + 2];

static void find_next_uses(struct requests *q, uint32_t line)
{
	for (size_t i = 0; i < q->count; i++) {
		size_t j = i + 1;

		while (j < q->count && addr[q->at[j]] / line != addr[q->at[i]] / line)
			j++;
		q->next[i] = j < q->count ? j : UINT64_MAX;
	}
}

static bool give_hints(void *arg, const uint64_t **hints, size_t *n, struct ml_err *err)
{
	struct requests *q = arg;

	(void)err;
	*hints = q->next + q->given;
	*n = q->count - q->given;
	q->given = q->count;
	return true;
}

/* ---- the obvious cache ---- */

struct way {
	bool held;
	uint64_t line, used, came, next;
};

/* Whether a leaves rather than b. */
static bool leaves(const char *policy, const struct way *a, const struct way *b)
{
	if (!strcmp(policy, "lru"))
		return a->used < b->used;
	if (!strcmp(policy, "mru"))
		return a->used > b->used;
	if (!strcmp(policy, "fifo"))
		return a->came < b->came;
	if (!strcmp(policy, "opt"))
		return a->next > b->next;
	assert_string_equal(policy, "pes");
	return a->next < b->next;
}

/* Sends what misses on to the next level. */
static void slow_level(const struct ml_level_spec *s, unsigned level)
{
	struct requests *in = &requests[level], *out = &requests[level + 1];
	static struct way ways[1024];

	assert_true(s->sets * s->ways <= 1024);
	memset(ways, 0, sizeof(ways));
	out->count = 0;
	for (size_t i = 0; i < in->count; i++) {
		uint64_t line = addr[in->at[i]] / s->line;
		struct way *set = ways + line % s->sets * s->ways, *w = NULL;

		for (unsigned k = 0; k < s->ways; k++)
			if (set[k].held && set[k].line == line)
				w = &set[k];
		served[in->at[i]] = (uint8_t)(w ? level : level + 1);
		if (!w) {
			w = set;
			for (unsigned k = 1; k < s->ways && w->held; k++)
				if (!set[k].held || leaves(s->policy->name, &set[k], w))
					w = &set[k];
			*w = (struct way){ .held = true, .line = line, .came = i };
			out->at[out->count++] = in->at[i];
		}
		w->used = i;
		w->next = in->next[i];
	}
}

/* Policies that the cache above knows. */
static bool obvious(const struct ml_policy *p)
{
	static const char *const known[] = { "lru", "fifo", "mru", "opt", "pes" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i], p->name))
			return true;
	return false;
}

/* Both simulators; where a policy is none of the obvious, only ml_sim. */
static void simulate(const char *machine)
{
	struct ml_accesses a = { .count = count, .addr = addr, .what = what };
	struct ml_machine m;
	struct ml_err err;
	bool both = true;

	CHECK_OK(ml_machine_parse(&m, machine, &err), &err);
	struct ml_sim *s = ml_sim_open(&m, 0, &err);
	CHECK_OK(s != NULL, &err);
	requests[1].count = count;
	for (size_t i = 0; i < count; i++)
		requests[1].at[i] = (uint32_t)i;
	for (unsigned i = 1; i <= m.levels; i++) {
		const struct ml_level_spec *spec = &m.level[i - 1];

		both = both && obvious(spec->policy);
		if (!both)
			continue;
		if (spec->policy->future) {
			find_next_uses(&requests[i], spec->line);
			requests[i].given = 0;
			ml_sim_hints(s, i,
				     &(struct ml_hints){ &requests[i], give_hints });
		}
		slow_level(spec, i);
	}
	CHECK_OK(ml_sim_run(s, &a, outcome, &err), &err);
	for (size_t i = 0; i < count; i++)
		if (!both)
			served[i] = (uint8_t)ml_outcome_served(outcome[i]);
		else if (served[i] != ml_outcome_served(outcome[i]))
			TEST_SAY("access %zu on '%s' is served by %u, not %u", i, machine,
				 ml_outcome_served(outcome[i]), served[i]);
	for (unsigned i = 1; i <= m.levels; i++) {
		const struct ml_level_counts *c = ml_sim_counts(s, i);
		size_t missed = 0;

		for (size_t k = 0; k < count; k++)
			missed += served[k] > i;
		CHECK_EQ(c->missed[ML_ACCESS_READ] + c->missed[ML_ACCESS_WRITE], missed);
	}
	ml_sim_close(s);
}

/* Of the accesses from one position to another. */
static size_t missed_between(unsigned level, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += served[i] > level;
	return n;
}

static size_t misses(unsigned level)
{
	return missed_between(level, 0, count);
}

/* Runs the example that was generated on a machine, and tells the misses of L1. */
static size_t misses_on(const char *machine)
{
	simulate(machine);
	return misses(1);
}

/* ---- loop interchange, section 4.3.1: float A[32][4] ---- */

enum { A = 0x10000, B = 0x20000, C = 0x30000 }; /* set 0 of any cache here */

TEST(the_bad_stride_misses_always_and_the_good_one_a_quarter)
{
	count = 0;
	for (unsigned j = 0; j < 4; j++)
		for (unsigned i = 0; i < 32; i++)
			get(A + 16 * i + 4 * j);
	/* A row is a line; 32 lines pass before one comes again, and 4 or 8 are held. */
	simulate("tiny-2levels");
	CHECK_EQ(count, 128);
	CHECK_EQ(misses(1), 128);
	CHECK_EQ(misses(2), 128);

	count = 0;
	for (unsigned i = 0; i < 32; i++)
		for (unsigned j = 0; j < 4; j++)
			get(A + 16 * i + 4 * j);
	simulate("tiny-2levels");
	CHECK_EQ(misses(1), 32);
	CHECK_EQ(misses(2), 32);
}

TEST(the_bad_stride_is_good_once_all_lines_are_held)
{
	count = 0;
	for (unsigned j = 0; j < 4; j++)
		for (unsigned i = 0; i < 32; i++)
			get(A + 16 * i + 4 * j);
	CHECK_EQ(misses_on("tiny-2levels | L1 512 full"), 32);
	simulate("tiny-2levels | L2 512 full");
	CHECK_EQ(misses(1), 128);
	CHECK_EQ(misses(2), 32);
}

/* ---- matrix multiplication, sections 5.3.1 and 7.4.2.2: float, 16 by 16 ---- */

enum { N = 16, BLOCK = 4 };

static uint64_t cell(uint64_t matrix, unsigned row, unsigned column, unsigned pad)
{
	return matrix + 4 * (row * (N + pad) + column);
}

static void multiply(bool transposed)
{
	count = 0;
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			for (unsigned k = 0; k < N; k++) {
				get(cell(A, i, k, 0));
				get(transposed ? cell(B, j, k, 0) : cell(B, k, j, 0));
			}
			put(cell(C, i, j, 0));
		}
}

static void multiply_block(unsigned i0, unsigned j0, unsigned k0, unsigned pad)
{
	for (unsigned i = i0; i < i0 + BLOCK; i++)
		for (unsigned j = j0; j < j0 + BLOCK; j++) {
			get(cell(C, i, j, pad));
			for (unsigned k = k0; k < k0 + BLOCK; k++) {
				get(cell(A, i, k, pad));
				get(cell(B, k, j, pad));
			}
			put(cell(C, i, j, pad));
		}
}

static void multiply_blocked(unsigned pad)
{
	count = 0;
	for (unsigned i = 0; i < N; i += BLOCK)
		for (unsigned j = 0; j < N; j += BLOCK)
			for (unsigned k = 0; k < N; k += BLOCK)
				multiply_block(i, j, k, pad);
}

/*
 * A row is four lines, so column block c lies in set c of four. Naive: each column
 * of B is 16 lines of one set, cyclic in four ways: all 4096 reads of B miss. Between
 * two writes of a row of C the same 16 lines pass: 256 misses. Of A the line in the
 * set of that column is driven out for each of the 256 sums; the three others are
 * brought in once a row, and each once more when the column has left its set: 6 a row.
 * Transposed: A (4 lines a row) and C (4 lines a row) miss once a line, 64 and 64; B
 * streams through, 64 lines for each of the 16 rows.
 */
TEST(a_column_of_the_right_matrix_misses_always_and_a_row_of_the_transposed_a_quarter)
{
	multiply(false);
	CHECK_EQ(count, N * N * (2 * N + 1));
	CHECK_EQ(misses_on("tiny-4sets"), 4096 + 256 + 256 + 6 * 16);
	multiply(true);
	CHECK_EQ(misses_on("tiny-4sets"), 16 * 64 + 64 + 64);
}

static unsigned sets_used(unsigned sets)
{
	uint64_t used = 0;

	for (size_t i = 0; i < count; i++)
		used |= 1u << addr[i] / 16 % sets;
	return (unsigned)__builtin_popcountll(used);
}

/* Blocks of B and C lie in set j / 4, the block of A in set k / 4. */
TEST(a_block_product_uses_one_or_two_of_four_sets_unless_rows_are_padded_by_a_line)
{
	for (unsigned i = 0; i < N; i += BLOCK)
		for (unsigned j = 0; j < N; j += BLOCK)
			for (unsigned k = 0; k < N; k += BLOCK) {
				count = 0;
				multiply_block(i, j, k, 0);
				CHECK_EQ(sets_used(4), j == k ? 1 : 2);
				count = 0;
				multiply_block(i, j, k, 4);
				CHECK_EQ(sets_used(4), 4);
			}
}

/*
 * Where the 12 lines of a product fit, C is brought in once (64 lines) and the blocks
 * of A and B for each of the 64 products (8 lines): between two uses of a block 32
 * other lines pass.
 */
enum { FITTING = 64 + 64 * 8 };

TEST(associativity_decides_whether_blocking_pays)
{
	multiply(false);
	size_t naive = misses_on("tiny-4sets");

	multiply_blocked(0);
	CHECK_EQ(misses_on("tiny-4sets | L1 full"), FITTING);
	/* With four sets, 8 or 12 lines of a product share the 4 ways of a set. */
	CHECK(misses_on("tiny-4sets") > naive);
	/* Ways 1, 2, 4 are 16, 8, 4 sets: more sets part the rows of a block better. */
	size_t direct = misses_on("tiny-4sets | L1 1w");
	size_t two = misses_on("tiny-4sets | L1 2w");
	CHECK(direct < two && two < misses_on("tiny-4sets"));
	CHECK(misses_on("tiny-4sets | L1 8w") < direct);
}

TEST(padding_by_one_line_is_as_good_as_full_associativity_and_no_padding_is_better)
{
	multiply_blocked(0);
	size_t unpadded = misses_on("tiny-4sets");

	for (unsigned pad = 0; pad < 16; pad++) {
		multiply_blocked(pad);
		size_t padded = misses_on("tiny-4sets");
		if (pad == 4)
			CHECK_EQ(padded, FITTING);
		CHECK(padded >= FITTING);
		CHECK(pad == 0 || 2 * padded < unpadded);
	}
	/* The dissertation's six helps, but parts of a line more are fetched each row. */
	multiply_blocked(6);
	CHECK(misses_on("tiny-4sets") > FITTING);
}

/* ---- heat equation, section 7.4.4: 256 floats, 64 lines ---- */

enum { CELLS = 256, SWEEPS = 10 };

static void heat_cell(unsigned i)
{
	get(A + 4 * (i - 1));
	get(A + 4 * i);
	get(A + 4 * (i + 1));
	put(A + 4 * i);
}

static void heat(bool ping_pong)
{
	count = 0;
	for (unsigned sweep = 0; sweep < SWEEPS; sweep++)
		for (unsigned i = 1; i < CELLS - 1; i++)
			heat_cell(ping_pong && sweep % 2 ? CELLS - 1 - i : i);
}

/* 16 lines held: four sets of four ways. Sixteen lines of the array fall into a set. */
static size_t heat_misses(const char *policy)
{
	char machine[64];

	snprintf(machine, sizeof(machine), "L1 256 4w 16B %s", policy);
	return misses_on(machine);
}
/*
 * Lines change sets as they follow each other, so a set sees 16 lines come by, again
 * and again: LRU has just dropped the one that comes, 640 of 640 visits miss. The best
 * keeps three lines while the fourth way takes the rest: three hits in every 15 visits
 * behind the first sweep, 9 * 3 + 3 in the 144 visits of a set.
 */
TEST(for_sweeps_over_a_set_associative_cache_mru_is_as_good_as_opt)
{
	heat(false);
	CHECK_EQ(heat_misses("lru"), 640);
	CHECK_EQ(heat_misses("fifo"), 640);
	CHECK_EQ(heat_misses("opt"), 640 - 4 * 30);
	CHECK_EQ(heat_misses("mru"), 640 - 4 * 30);
}

/*
 * A cell looks at its neighbours: at the end of a line both it and the next one are
 * wanted by turns. In one set MRU drops the one for the other.
 */
TEST(for_sweeps_over_a_fully_associative_cache_mru_is_worse_than_lru)
{
	heat(false);
	size_t lru = misses_on("L1 256 full 16B lru");
	size_t opt = misses_on("L1 256 full 16B opt");

	CHECK_EQ(lru, 640);
	CHECK(opt < lru);
	CHECK(misses_on("L1 256 full 16B mru") > 2 * lru);
}

/* Each turn finds the 16 lines before it where they are, whichever level keeps them. */
TEST(ping_pong_sweeps_make_lru_as_good_as_opt)
{
	heat(true);
	CHECK_EQ(heat_misses("lru"), 640 - 9 * 16);
	CHECK_EQ(heat_misses("opt"), 640 - 9 * 16);
	heat(false);
	CHECK(heat_misses("mru") > 640 - 9 * 16);
}

TEST(no_policy_is_better_than_opt_or_worse_than_pes)
{
	static const char *const machines[] = { "L1 256 4w 16B ", "L1 256 full 16B ",
						"L1 512 8w 16B ", "L1 128 2w 16B " };

	for (int ping_pong = 0; ping_pong < 2; ping_pong++)
		for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
			char machine[64];

			heat(ping_pong);
			snprintf(machine, sizeof(machine), "%sopt", machines[i]);
			size_t best = misses_on(machine);
			snprintf(machine, sizeof(machine), "%spes", machines[i]);
			size_t worst = misses_on(machine);
			for (const struct ml_policy *p = ml_policies; p->name; p++) {
				snprintf(machine, sizeof(machine), "%s%s", machines[i],
					 p->name);
				size_t n = misses_on(machine);
				CHECK(best <= n && n <= worst);
			}
		}
}

/* ---- sorting, sections 5.3.2 and 7.4.2.1: 256 ints at A, 64 lines ---- */

enum { ITEMS = 256 };
static int items[ITEMS];
static size_t sweep_end[ITEMS]; /* where each sweep ends in the accesses */

static void descending(void)
{
	for (int i = 0; i < ITEMS; i++)
		items[i] = ITEMS - i;
	count = 0;
}

static void sorted(void)
{
	for (int i = 1; i < ITEMS; i++)
		CHECK(items[i - 1] <= items[i]);
}

static int load(unsigned i)
{
	get(A + 4 * i);
	return items[i];
}

static void store(unsigned i, int value)
{
	put(A + 4 * i);
	items[i] = value;
}

static unsigned bubble_sort(void)
{
	unsigned sweeps = 0;

	for (unsigned end = ITEMS; end > 1; end--) {
		for (unsigned i = 0; i + 1 < end; i++) {
			int a = load(i), b = load(i + 1);

			if (a > b) {
				store(i, b);
				store(i + 1, a);
			}
		}
		sweep_end[sweeps++] = count;
	}
	return sweeps;
}

/* What the dissertation calls insertion sort: one exchange at the end of a sweep. */
static unsigned selection_sort(void)
{
	unsigned sweeps = 0;

	for (unsigned end = ITEMS; end > 1; end--) {
		unsigned at = 0;
		int most = load(0);

		for (unsigned i = 1; i < end; i++) {
			int value = load(i);

			if (value > most) {
				most = value;
				at = i;
			}
		}
		store(at, load(end - 1));
		store(end - 1, most);
		sweep_end[sweeps++] = count;
	}
	return sweeps;
}

static const char sorting[] = "L1 128 full 16B | L2 512 full"; /* 8 and 32 lines */

/*
 * A sweep over m lines that are not all held misses each of them once: the line that
 * comes is always the one that left. Once all m are held (and one sweep has brought
 * them in) none misses.
 */
TEST(the_working_set_of_bubble_sort_falls_into_l2_and_then_into_l1)
{
	descending();
	unsigned sweeps = bubble_sort();
	sorted();
	simulate(sorting);
	for (unsigned s = 0; s < sweeps; s++) {
		size_t from = s ? sweep_end[s - 1] : 0;
		size_t lines = (ITEMS - s + 3) / 4;

		if (lines > 8)
			CHECK_EQ(missed_between(1, from, sweep_end[s]), lines);
		if (lines < 8)
			CHECK_EQ(missed_between(1, from, sweep_end[s]), 0);
		if (lines > 32)
			CHECK_EQ(missed_between(2, from, sweep_end[s]), lines);
		if (lines < 32)
			CHECK_EQ(missed_between(2, from, sweep_end[s]), 0);
	}
}

/*
 * Both make the same sweeps over the same lines. Bubble sort of a descending list
 * reads and writes two items a step, the other reads one: its exchange touches one
 * line more at most.
 */
TEST(bubble_sort_has_the_better_miss_ratio_only_by_its_needless_hits)
{
	descending();
	unsigned sweeps = bubble_sort();
	simulate(sorting);
	size_t bubble = misses(1), bubble_accesses = count;
	size_t bubble_far = misses(2);

	descending();
	CHECK_EQ(selection_sort(), sweeps);
	sorted();
	simulate(sorting);
	CHECK(misses(1) <= bubble + sweeps);
	CHECK(misses(2) <= bubble_far + sweeps);
	CHECK(3 * count < bubble_accesses);
	CHECK((double)bubble / (double)bubble_accesses <
	      (double)misses(1) / (double)count);
}

/* Merges within [low, high), halves first; the result goes by B and back. */
static size_t merge_misses[3][10];           /* by level and log2 of the length merged */
static size_t merge_spans[ITEMS][3], merges; /* from, to, log2 of the length */

static void merge_sort(unsigned low, unsigned high)
{
	static int spare[ITEMS];
	unsigned middle = (low + high) / 2, i = low, j = middle, depth = 0;

	if (high - low < 2)
		return;
	merge_sort(low, middle);
	merge_sort(middle, high);
	size_t from = count;
	for (unsigned k = low; k < high; k++) {
		bool left = j == high || (i < middle && load(i) <= load(j));

		spare[k] = left ? items[i++] : items[j++];
		put(B + 4 * k);
	}
	for (unsigned k = low; k < high; k++) {
		get(B + 4 * k);
		store(k, spare[k]);
	}
	while (1u << depth < high - low)
		depth++;
	merge_spans[merges][0] = from;
	merge_spans[merges][1] = count;
	merge_spans[merges++][2] = depth;
}

/*
 * A merge of n items works on n / 4 lines of the list and as many of the spare one.
 * 16 items are 8 lines, which is L1; 64 are L2. Up to there only what has never been
 * touched misses: merges of two bring in each of the 64 + 64 lines. A longer merge
 * finds less than it needs: each doubling beyond L1 misses at least every line once.
 */
TEST(the_working_set_of_merge_sort_rises_out_of_l1_and_then_out_of_l2)
{
	count = merges = 0;
	memset(merge_misses, 0, sizeof(merge_misses));
	for (int i = 0; i < ITEMS; i++)
		items[i] = i * 167 % ITEMS; /* a permutation, as 167 is odd */
	merge_sort(0, ITEMS);
	sorted();
	simulate(sorting);
	for (size_t i = 0; i < merges; i++)
		for (unsigned level = 1; level <= 2; level++)
			merge_misses[level][merge_spans[i][2]] += missed_between(
				level, merge_spans[i][0], merge_spans[i][1]);
	for (unsigned depth = 1; depth <= 8; depth++)
		for (unsigned level = 1; level <= 2; level++) {
			size_t n = merge_misses[level][depth];
			unsigned held = level == 1 ? 4 : 6; /* log2 of the items */

			if (depth == 1)
				CHECK_EQ(n, 128);
			else if (depth <= held)
				CHECK_EQ(n, 0);
			else
				CHECK(n >= 128);
		}
}
