/* Replacement policies on one set, by hand. */
#include "lib/cache/machine/policy.h"
#include "tests/test.h"

enum { MOST = 64 };

/* One set of so many ways that is asked for letters. */
struct set {
	const struct ml_policy *policy;
	struct ml_order order;
	uint64_t words[MOST];
	char held[MOST];
	uint32_t count;
};

static void begin(struct set *s, const char *policy, uint32_t ways)
{
	memset(s, 0, sizeof(*s));
	s->policy = ml_policy_find(policy);
	CHECK(s->policy);
	ml_order_init(&s->order, 1, ways, s->words, 7);
}

/* What leaves for this letter, '-' if nothing must, '+' if it is there. */
static char ask(struct set *s, char letter, uint64_t hint)
{
	uint32_t way = 0;
	char left = '-';

	while (way < s->count && s->held[way] != letter)
		way++;
	if (way < s->count) {
		s->policy->hit(&s->order, 0, way, hint);
		return '+';
	}
	if (s->count == s->order.ways) {
		way = s->policy->victim(&s->order, 0);
		left = s->held[way];
		s->words[way] = s->policy->tree ? s->words[way] : 0;
	} else {
		s->count++;
	}
	s->held[way] = letter;
	s->policy->fill(&s->order, 0, way, hint);
	return left;
}

static void leaves(const char *policy, uint32_t ways, const char *letters,
		   const char *want)
{
	struct set s;
	char got[100] = "";

	begin(&s, policy, ways);
	for (size_t i = 0; letters[i]; i++) {
		const char *next = strchr(letters + i + 1, letters[i]);

		got[i] = ask(&s, letters[i],
			     next ? (uint64_t)(next - letters) : UINT64_MAX);
	}
	CHECK_STR(got, want);
}

TEST(lru_evicts_what_was_used_longest_ago)
{
	leaves("lru", 3, "abcadbe", "---+bca");
}

TEST(fifo_evicts_what_came_longest_ago)
{
	leaves("fifo", 3, "abcadbe", "---+a+b");
}

TEST(mru_evicts_what_was_used_last)
{
	leaves("mru", 3, "abcadbe", "---+a+b");
	leaves("mru", 3, "abcdabc", "---c++b");
}

TEST(plru_follows_the_tree)
{
	leaves("plru", 4, "abcde", "----a");
	/* a turns the root to c and d, whose node points to c: lru would take b */
	leaves("plru", 4, "abcdae", "----+c");
	/* one way, and three: ab|c, root first */
	leaves("plru", 1, "ab", "-a");
	leaves("plru", 3, "abcde", "---ac");
}

TEST(nru_evicts_the_lowest_way_that_was_not_used_since_all_were)
{
	/* d is the last to be marked, so only d stays marked; then e takes a's way */
	leaves("nru", 4, "abcde", "----a");
	leaves("nru", 4, "abcdaef", "----+bc");
	leaves("nru", 1, "ab", "-a");
}

TEST(srrip_evicts_the_lowest_way_that_is_believed_farthest)
{
	/* all come with 2; a is used: 0; d raises them to 1 3 3 and takes b; e takes c */
	leaves("srrip", 3, "abcade", "---+bc");
}

TEST(lfu_evicts_what_was_used_least_often_and_longest_ago)
{
	leaves("lfu", 3, "aabbcd", "-+-+-c");
	leaves("lfu", 3, "abcd", "---a");
	leaves("lfu", 3, "aabcbd", "-+--+c");
}

TEST(opt_evicts_what_is_used_farthest_in_the_future)
{
	/* d: of a at 4, b at 6, c at 5 it is b; then b: nothing is used again but b */
	leaves("opt", 3, "abcdacb", "---b++a");
}

TEST(pes_evicts_what_is_used_soonest)
{
	leaves("pes", 3, "abcdacb", "---acbd");
}

TEST(opt_misses_least_and_pes_most)
{
	static const char *letters = "abcdeabfgcdabehabcdhgfeabcdefghabacadaeaf";
	uint64_t least = UINT64_MAX, most = 0;
	uint64_t misses[20] = { 0 };
	unsigned opt = 0, pes = 0;

	for (unsigned p = 0; ml_policies[p].name; p++) {
		struct set s;

		begin(&s, ml_policies[p].name, 4);
		for (size_t i = 0; letters[i]; i++) {
			const char *next = strchr(letters + i + 1, letters[i]);

			misses[p] += ask(&s, letters[i],
					 next ? (uint64_t)(next - letters)
					      : UINT64_MAX) != '+';
		}
		if (misses[p] < least)
			least = misses[p];
		if (misses[p] > most)
			most = misses[p];
		if (!strcmp(ml_policies[p].name, "opt"))
			opt = p;
		if (!strcmp(ml_policies[p].name, "pes"))
			pes = p;
	}
	CHECK_EQ(misses[opt], least);
	CHECK_EQ(misses[pes], most);
	CHECK(least < most);
}

TEST(the_generator_is_splitmix64)
{
	struct ml_order o;

	/* the first number of the published generator for seed 0 */
	ml_order_init(&o, 1, 1, NULL, 0);
	CHECK_EQ(ml_order_random(&o), 0xe220a8397b1dcdafu);
}

TEST(random_takes_every_way_about_equally_often)
{
	uint64_t words[8] = { 0 };
	unsigned taken[8] = { 0 };
	struct ml_order o;

	ml_order_init(&o, 1, 8, words, 1);
	for (unsigned i = 0; i < 8000; i++)
		taken[ml_policy_find("random")->victim(&o, 0)]++;
	for (unsigned i = 0; i < 8; i++)
		CHECK_NEAR(taken[i], 1000, 150); /* five standard deviations */
}

/* Hits of a loop over so many letters, in two sets that duel or follow. */
static unsigned loop_hits(const char *policy, uint32_t letters)
{
	struct set s;
	unsigned hits = 0;

	begin(&s, policy, 8);
	for (unsigned i = 0; i < 4000; i++)
		hits += ask(&s, (char)('a' + i % letters), 0) == '+';
	return hits;
}

TEST(brrip_keeps_a_part_of_a_loop_that_does_not_fit_and_lru_nothing)
{
	CHECK_EQ(loop_hits("lru", 9), 0);
	CHECK_EQ(loop_hits("srrip", 9), 0);
	CHECK(loop_hits("brrip", 9) > 2000);
}

TEST(drrip_learns_from_its_leading_sets)
{
	/* 8 sets: 0 and 4 always do as srrip, 2 and 6 as brrip, the others follow. A loop
	 * over one line too many in each: srrip never hits, so the others turn to brrip.
	 */
	static uint64_t words[8 * 8];
	const struct ml_policy *p = ml_policy_find("drrip");
	char held[8][8] = { { 0 } };
	unsigned hits[8] = { 0 };
	struct ml_order o;

	ml_order_init(&o, 8, 8, words, 3);
	for (unsigned i = 0; i < 6000; i++)
		for (uint32_t set = 0; set < 8; set++) {
			char letter = (char)(1 + i % 9);
			uint32_t way = 0;

			while (way < 8 && held[set][way] && held[set][way] != letter)
				way++;
			if (way < 8 && held[set][way]) {
				p->hit(&o, set, way, 0);
				hits[set]++;
				continue;
			}
			if (way == 8)
				way = p->victim(&o, set);
			held[set][way] = letter;
			p->fill(&o, set, way, 0);
		}
	CHECK_EQ(hits[0], 0);
	CHECK_EQ(hits[4], 0);
	CHECK(hits[2] > 3000);
	CHECK(hits[1] > 2000 && hits[7] > 2000);
}

TEST(the_highest_rank_is_the_next_victim)
{
	uint64_t seed = 1;

	for (const struct ml_policy *p = ml_policies; p->name; p++)
		for (uint32_t ways = 1; ways <= 9; ways++) {
			struct set s;

			begin(&s, p->name, ways);
			for (unsigned i = 0; i < 300; i++) {
				bool held[MOST] = { false };
				uint32_t rank[MOST], sum = 0;

				seed = seed * 6364136223846793005u + 1;
				ask(&s, (char)('a' + (seed >> 33) % (ways + 3)),
				    seed >> 40 & 15);
				for (uint32_t w = 0; w < s.count; w++)
					held[w] = true;
				ml_policy_ranks(p, &s.order, 0, held, rank);
				for (uint32_t w = 0; w < ways; w++)
					sum += rank[w];
				CHECK_EQ(sum, ways * (ways - 1) / 2);
				if (s.count < ways) {
					CHECK_EQ(rank[s.count], ways - 1);
					continue;
				}
				struct ml_order copy = s.order;
				uint64_t words[MOST];
				memcpy(words, s.words, sizeof(words));
				copy.word = words;
				if (strcmp(p->name, "random"))
					CHECK_EQ(rank[p->victim(&copy, 0)], ways - 1);
			}
		}
}

TEST(only_opt_and_pes_ask_for_the_future)
{
	for (const struct ml_policy *p = ml_policies; p->name; p++) {
		CHECK_EQ(p->future, !strcmp(p->name, "opt") || !strcmp(p->name, "pes"));
		CHECK(ml_policy_find(p->name) == p);
	}
	CHECK(!ml_policy_find("clock"));
}
