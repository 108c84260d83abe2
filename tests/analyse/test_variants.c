#include "lib/analyse/ensemble/variants.h"
#include "tests/sim_random.h"
#include "tests/test.h"

static struct ml_variants all;
static struct ml_arena arena;

static void expand(const char *text, enum ml_variants_of of)
{
	static const char *const keep[] = { "out", NULL };
	struct ml_err err;

	CHECK_OK(ml_variants_expand(&all, text, of, keep, &arena, &err), &err);
}

/* All texts, apart by ';'. */
static const char *texts(const char *text, enum ml_variants_of of)
{
	const char *joined = "";

	expand(text, of);
	for (size_t i = 0; i < all.count; i++)
		joined = ml_arena_printf(&arena, "%s%s%s", joined, i ? ";" : "",
					 all.at[i].text);
	return joined;
}

/* "L1 size=4K L1 ways=1" of the last variant. */
static const char *last_params(const char *text, enum ml_variants_of of)
{
	const char *joined = "";

	expand(text, of);
	for (size_t i = 0; i < all.at[all.count - 1].param_count; i++)
		joined = ml_arena_printf(&arena, "%s%s%s=%s", joined, i ? ", " : "",
					 all.at[all.count - 1].params[i].name,
					 all.at[all.count - 1].params[i].value);
	return joined;
}

static void done(void)
{
	ml_arena_release(&arena);
}

#define M(text)  texts(text, ML_VARIANTS_MACHINE)
#define C(text)  texts(text, ML_VARIANTS_COMMAND)
#define MP(text) last_params(text, ML_VARIANTS_MACHINE)
#define CP(text) last_params(text, ML_VARIANTS_COMMAND)

TEST(a_text_without_braces_is_its_only_variant)
{
	CHECK_STR(M("L1 32K"), "L1 32K");
	CHECK_EQ(all.at[0].param_count, 0);
	CHECK_STR(M(""), "");
	done();
}

TEST(ranges_count_add_and_multiply)
{
	CHECK_STR(C("{1..4}"), "1;2;3;4");
	CHECK_STR(C("{-1..1}"), "-1;0;1");
	CHECK_STR(C("{0..7 +3}"), "0;3;6");
	CHECK_STR(C("{1..100 x10}"), "1;10;100");
	CHECK_STR(C("{0..1 +0.25}"), "0.00;0.25;0.50;0.75;1.00");
	CHECK_STR(C("{5..5}"), "5");
	done();
}

TEST(sizes_keep_their_units)
{
	CHECK_STR(M("L1 {4K..32K x2}"), "L1 4K;L1 8K;L1 16K;L1 32K");
	CHECK_STR(M("L1 {512..2K x2}"), "L1 512;L1 1K;L1 2K");
	CHECK_STR(M("L1 {512K..2M x2}"), "L1 512K;L1 1M;L1 2M");
	CHECK_STR(M("L1 {1K..2K +512}"), "L1 1K;L1 1536;L1 2K");
	CHECK_STR(C("{1..2048 x2048}"), "1;2048"); /* nobody wrote a unit */
	done();
}

TEST(lists_may_have_words_ranges_and_nothing)
{
	CHECK_STR(M("L1 4K {1,2..4,full}"), "L1 4K 1;L1 4K 2;L1 4K 3;L1 4K 4;L1 4K full");
	CHECK_STR(C("cc {,-O2} a.c"), "cc  a.c;cc -O2 a.c");
	CHECK_STR(C("{../a,../b}"), "../a;../b");
	CHECK_STR(C("{1..3,2}"), "1;2;3");
	done();
}

TEST(the_first_brace_varies_slowest)
{
	CHECK_STR(M("L1 {1K,2K} {lru,fifo}"),
		  "L1 1K lru;L1 1K fifo;L1 2K lru;L1 2K fifo");
	expand("L1 {4K..256K x2} {1,2,4,8,full}w {lru,fifo,opt}", ML_VARIANTS_MACHINE);
	CHECK_EQ(all.count, 7 * 5 * 3);
	done();
}

TEST(parameters_of_machines_are_named_by_level_and_kind)
{
	CHECK_STR(MP("L1 {4K..8K x2} {1,2}w {16,32}B {lru,mru} {1,2}c"),
		  "L1 size=8K, L1 ways=2, L1 line=32, L1 policy=mru, L1 cycles=2");
	CHECK_STR(MP("cores {1,2} | L1 4K | L2 64K {8w,full} {wb,wt} {wa,nwa} "
		     "{neither,inclusive} share={1,2} | seed {1..3} | memory {100,200}c"),
		  "cores=2, L2 ways=full, L2 write=wt, L2 allocate=nwa, "
		  "L2 inclusion=inclusive, L2 share=2, seed=3, memory cycles=200");
	CHECK_STR(MP("{zen4,host} | L1 {1K,2K}"), "machine=host, L1 size=2K");
	done();
}

TEST(parameters_of_commands_are_named_by_the_word_before)
{
	CHECK_STR(CP("cc -DPAD={0..15} -O{0,2} -o {out} pad.c"), "PAD=15, O=2");
	CHECK_STR(CP("./run -n {1,2} --size={3,4}"), "n=2, size=4");
	CHECK_STR(CP("{a,b}"), "value=b");
	CHECK_STR(CP("-DN={1,2} -DN={3,4}"), "N=2, N 2=4");
	done();
}

TEST(values_have_numbers)
{
	expand("L1 {32K} {8w,full}", ML_VARIANTS_MACHINE);
	CHECK_NEAR(all.at[0].params[0].number, 32768, 0);
	CHECK_NEAR(all.at[0].params[1].number, 8, 0);
	CHECK(isnan(all.at[1].params[1].number));
	done();
}

TEST(a_name_used_twice_takes_one_value)
{
	CHECK_STR(M("L1 {s: 1K..2K x2} | L2 {s}"), "L1 1K | L2 1K;L1 2K | L2 2K");
	CHECK_STR(MP("L1 {s: 1K..2K x2} | L2 {s}"), "s=2K");
	CHECK_STR(M("L1 {s:1K,2K} | L2 {s:1K,2K}"), "L1 1K | L2 1K;L1 2K | L2 2K");
	done();
}

TEST(braces_can_be_written_and_kept)
{
	CHECK_STR(C("awk '{{print}}' {out} {1,2}"),
		  "awk '{print}' {out} 1;awk '{print}' {out} 2");
	done();
}

static void fails(const char *text, const char *says)
{
	struct ml_variants v;
	struct ml_err err;

	CHECK_FAILS(ml_variants_expand(&v, text, ML_VARIANTS_MACHINE, NULL, &arena, &err),
		    &err, says);
	CHECK_EQ(err.kind, ML_USAGE);
	done();
}

TEST(nonsense_is_quoted)
{
	fails("L1 {1K", "'{1K' has a brace that is not closed");
	fails("L1 1K}", "'L1 1K}' has a } without a {");
	fails("L1 {1K,{2K}}", "has a brace within a brace");
	fails("L1 {}", "'{}' has nothing to choose from");
	fails("L1 {s:}", "has nothing to choose from");
	fails("L1 {lru}", "'lru' in braces is neither");
	fails("L1 {x..8}", "'x' does not begin a range");
	fails("L1 {1..y}", "'y' does not end a range");
	fails("L1 {8..1}", "'8..1' ends before it begins");
	fails("L1 {1..8 by}", "'by' is no step");
	fails("L1 {1..8 x1}", "'1..8 x1' never ends");
	fails("L1 {1..8 +0}", "'1..8 +0' never ends");
	fails("L1 {0..8 x2}", "'0..8 x2' never ends");
	fails("L1 {s: 1,2} {s: 1,3}", "'s: 1,3' gives a name other values");
	fails("L1 {1..100001}", "'{1..100001}' has more than 100000 values");
	fails("{1..1000} {1..1000}", "stands for more than 100000 variants");
}

TEST(any_text_is_expanded_or_refused)
{
	static const char some[] = "{}{},,..:x+K1924lrufulw| \t-DMs=";
	struct ml_variants v;
	struct ml_err err;
	char text[40];

	for (int i = 0; i < 30000; i++) {
		size_t size = random_below(sizeof(text) - 1);

		for (size_t k = 0; k < size; k++)
			text[k] = some[random_below(sizeof(some) - 1)];
		text[size] = 0;
		if (ml_variants_expand(&v, text, (enum ml_variants_of)random_below(2),
				       NULL, &arena, &err))
			CHECK(v.count >= 1 && v.count <= ML_VARIANTS_MAX);
		else
			CHECK(err.text[0]);
		if (i % 100 == 0)
			done();
	}
	done();
}
