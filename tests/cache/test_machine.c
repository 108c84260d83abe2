/*
 * Machines from text: every word, every refusal; a printed machine parses back to the
 * same.
 */
#include "lib/cache/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/exact/sim.h"
#include "tests/test.h"

static struct ml_machine parsed(const char *text)
{
	struct ml_machine m;
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&m, text, &err), &err);
	return m;
}

static void fails(const char *text, const char *says)
{
	struct ml_machine m;
	struct ml_err err;

	CHECK_FAILS(ml_machine_parse(&m, text, &err), &err, says);
	CHECK_EQ(err.kind, ML_USAGE);
}

static const char *printed(const struct ml_machine *m)
{
	static char text[2000];
	struct ml_buf out = { 0 };

	ml_machine_print(m, &out);
	CHECK(out.size < sizeof(text));
	memcpy(text, out.data, out.size);
	text[out.size] = 0;
	ml_buf_release(&out);
	return text;
}

static void prints(const char *text, const char *canonical)
{
	struct ml_machine m = parsed(text);

	CHECK_STR(printed(&m), canonical);
}

static void same_level(const struct ml_level_spec *a, const struct ml_level_spec *b)
{
	CHECK_STR(a->name, b->name);
	CHECK_EQ(a->size, b->size);
	CHECK_EQ(a->line, b->line);
	CHECK_EQ(a->ways, b->ways);
	CHECK_EQ(a->sets, b->sets);
	CHECK(a->policy == b->policy);
	CHECK_EQ(a->write_through, b->write_through);
	CHECK_EQ(a->no_allocate, b->no_allocate);
	CHECK_EQ(a->inclusion, b->inclusion);
	CHECK_EQ(a->share, b->share);
	CHECK_EQ(a->prefetch, b->prefetch);
	CHECK_EQ(a->degree, b->degree);
	CHECK_EQ(a->cycles, b->cycles);
}

static void same(const struct ml_machine *a, const struct ml_machine *b)
{
	CHECK_EQ(a->cores, b->cores);
	CHECK_EQ(a->transfer_cycles, b->transfer_cycles);
	CHECK_EQ(a->levels, b->levels);
	CHECK_EQ(a->tlbs, b->tlbs);
	CHECK_EQ(a->split, b->split);
	for (unsigned i = 0; i < ML_LEVELS; i++)
		same_level(&a->level[i], &b->level[i]);
	same_level(&a->icache, &b->icache);
	for (unsigned i = 0; i < ML_TLBS; i++)
		same_level(&a->tlb[i], &b->tlb[i]);
	CHECK_EQ(a->memory_cycles, b->memory_cycles);
	CHECK_EQ(a->walk_cycles, b->walk_cycles);
	CHECK_EQ(a->seed, b->seed);
}

TEST(a_size_alone_gets_the_defaults)
{
	struct ml_machine m = parsed("L1 32K");
	const struct ml_level_spec *s = &m.level[0];

	CHECK_EQ(m.cores, 1);
	CHECK_EQ(m.levels, 1);
	CHECK_EQ(m.tlbs, 0);
	CHECK(!m.split);
	CHECK_EQ(m.memory_cycles, 200);
	CHECK_STR(m.name, "");
	CHECK_STR(s->name, "L1");
	CHECK_EQ(s->size, 32768);
	CHECK_EQ(s->line, 64);
	CHECK_EQ(s->ways, 8);
	CHECK_EQ(s->sets, 64);
	CHECK_STR(s->policy->name, "lru");
	CHECK(!s->write_through);
	CHECK(!s->no_allocate);
	CHECK_EQ(s->inclusion, ML_NEITHER);
	CHECK_EQ(s->share, 1);
	CHECK_EQ(s->prefetch, ML_PREFETCH_NONE);
	CHECK_EQ(s->degree, 1);
	CHECK_EQ(s->cycles, 4);
}

TEST(the_words_of_a_level_stand_in_any_order_and_case)
{
	prints("l1 WT 4W nwa 48K FIFO 32b prefetch=Stream*4 5C",
	       "L1 48K 4w 32B fifo wt nwa prefetch=stream*4 5c | memory 200c");
}

TEST(an_outer_level_takes_the_line_and_later_cycles)
{
	prints("L1 1K 32B | L2 2K | L3 4K inclusive | L4 8K exclusive",
	       "L1 1K 8w 32B lru wb wa 4c | L2 2K 8w 32B lru wb wa neither 14c | "
	       "L3 4K 8w 32B lru wb wa inclusive 50c | "
	       "L4 8K 8w 32B lru wb wa exclusive 100c | memory 200c");
}

TEST(the_last_of_several_levels_is_shared_unless_said)
{
	prints("cores 4 | L1 1K | L2 2K | L3 4K",
	       "cores 4 | L1 1K 8w 64B lru wb wa private 4c | "
	       "L2 2K 8w 64B lru wb wa neither private 14c | "
	       "L3 4K 8w 64B lru wb wa neither shared 50c | memory 200c | transfer "
	       "100c");
	struct ml_machine m = parsed("4 cores | L1 1K | L2 2K share=2 | L3 4K");
	CHECK_EQ(m.cores, 4);
	CHECK_EQ(m.level[0].share, 1);
	CHECK_EQ(m.level[1].share, 2);
	CHECK_EQ(m.level[2].share, 4);
	CHECK_EQ(parsed("cores 2 | L1 1K").level[0].share, 1);
	CHECK_EQ(parsed("cores 2 | L1 1K | L2 4K private").level[1].share, 1);
}

TEST(a_transfer_costs_two_hits_of_the_last_level_unless_said)
{
	CHECK_EQ(parsed("cores 2 | L1 1K 3c").transfer_cycles, 6);
	CHECK_EQ(parsed("cores 2 | L1 1K | L2 4K 20c").transfer_cycles, 40);
	CHECK_EQ(parsed("cores 2 | L1 1K | transfer 77c").transfer_cycles, 77);
	CHECK_EQ(parsed("cores 2 | L1 1K | transfer 0c").transfer_cycles, 0);
	/* one core has none, and forgets that of its preset */
	CHECK_EQ(parsed("L1 1K").transfer_cycles, 0);
	CHECK_EQ(parsed("zen4").transfer_cycles, 0);
	CHECK(parsed("zen4 | cores 2").transfer_cycles > 50);
	CHECK_EQ(parsed("L1 1K | transfer 77c").transfer_cycles, 0);
	fails("cores 2 | L1 1K | transfer 7c | transfer 8c", "transfer is given twice");
	fails("cores 2 | L1 1K | transfer", "transfer needs a number, like");
}

TEST(more_sharers_than_cores_are_all_cores)
{
	CHECK_EQ(parsed("cores 2 | L1 1K | L2 2K share=8").level[1].share, 2);
	CHECK_EQ(parsed("L1 1K | L2 2K share=8").level[1].share, 1);
}

TEST(sizes_are_bytes_or_fractions_of_larger_units)
{
	CHECK_EQ(parsed("L1 384 full 16B").level[0].size, 384);
	CHECK_EQ(parsed("L1 1.25M 20w").level[0].size, 1280 * 1024);
	CHECK_EQ(parsed("L1 1375K 11w").level[0].sets, 2000);
	CHECK_EQ(parsed("L1 0.5K").level[0].size, 512);
	CHECK_EQ(parsed("L1 2G 16w").level[0].size, 1ll << 31);
}

TEST(ways_are_a_number_or_all)
{
	CHECK_EQ(parsed("L1 1K 1w").level[0].sets, 16);
	CHECK_EQ(parsed("L1 1K full").level[0].sets, 1);
	CHECK_EQ(parsed("L1 1K full").level[0].ways, 16);
	CHECK_EQ(parsed("L1 96 3w 16B").level[0].sets, 2);
	/* Nobody said 8, and there are only 4 lines. */
	CHECK_EQ(parsed("L1 64 16B").level[0].ways, 4);
}

TEST(a_first_level_for_instructions_is_like_the_one_for_data)
{
	prints("L1 1K 32B 3c | L2 4K | L1i 2K 4w fifo",
	       "L1 1K 8w 32B lru wb wa 3c | L2 4K 8w 32B lru wb wa neither 14c | "
	       "L1i 2K 4w 32B fifo 3c | memory 200c");
}

TEST(tlbs_have_entries_and_pages)
{
	struct ml_machine m =
		parsed("L1 1K | TLB 64e 4w 16K 1c | TLB2 1536e 12w | walk 40c");

	CHECK_EQ(m.tlbs, 2);
	CHECK_EQ(m.tlb[0].size, 64 * 16384);
	CHECK_EQ(m.tlb[0].line, 16384);
	CHECK_EQ(m.tlb[0].sets, 16);
	CHECK_EQ(m.tlb[0].cycles, 1);
	CHECK_EQ(m.tlb[1].line, 16384);
	CHECK_EQ(m.tlb[1].sets, 128);
	CHECK_EQ(m.tlb[1].cycles, 7);
	CHECK_EQ(m.walk_cycles, 40);
}

TEST(every_policy_of_the_table_is_a_word)
{
	char text[64];

	for (const struct ml_policy *p = ml_policies; p->name; p++) {
		snprintf(text, sizeof(text), "L1 1K 8w %s", p->name);
		CHECK(parsed(text).level[0].policy == p);
	}
}

TEST(words_behind_a_preset_change_it)
{
	struct ml_machine plain = parsed("zen4"), other = parsed("ZEN4 | L1 fifo");

	CHECK_STR(plain.name, "zen4");
	CHECK_STR(other.name, "");
	CHECK_STR(other.level[0].policy->name, "fifo");
	other.level[0].policy = plain.level[0].policy;
	same(&plain, &other);

	other = parsed("zen4 | cores 16");
	CHECK_EQ(other.level[0].share, 1);
	CHECK_EQ(other.level[2].share, 8);
	/* Ways stay, sets follow. */
	CHECK_EQ(parsed("zen4 | L1 64K").level[0].ways, 8);
	CHECK_EQ(parsed("zen4 | L1 64K").level[0].sets, 128);
	/* A full one stays full. */
	CHECK_EQ(parsed("tiny-full | L1 1K").level[0].ways, 64);
	CHECK_EQ(parsed("tiny-full | L1 2w").level[0].ways, 2);
	/* Outer lines, which the preset does not say, follow the inner one. */
	CHECK_EQ(parsed("zen4 | L1 128B").level[2].line, 128);
	CHECK_EQ(parsed("plain | L4 128M").levels, 4);
	CHECK_EQ(parsed("zen4 | memory 99c | walk 9c").memory_cycles, 99);
}

TEST(prefetchers_and_tlbs_of_a_preset_can_be_taken_out)
{
	struct ml_machine m = parsed("zen4"),
			  bare = parsed("zen4 | no-prefetch | no-tlb");

	CHECK_EQ(m.level[1].prefetch, ML_PREFETCH_STREAM);
	CHECK_EQ(m.tlbs, 2);
	CHECK_EQ(bare.level[1].prefetch, ML_PREFETCH_NONE);
	CHECK_EQ(bare.level[1].degree, 1);
	CHECK_EQ(bare.tlbs, 0);
	/* nothing else changes */
	bare.level[1].prefetch = m.level[1].prefetch;
	bare.level[1].degree = m.level[1].degree;
	CHECK(!memcmp(m.level, bare.level, sizeof(m.level)));
	CHECK_EQ(parsed("zen4 | no-tlb").level[1].prefetch, ML_PREFETCH_STREAM);
	CHECK_EQ(parsed("zen4 | no-prefetch").tlbs, 2);
	parsed("no-prefetch | L1 1K prefetch=none");
	parsed("zen4 | no-prefetch | L2 opt neither");
	fails("zen4 | L2 opt neither", "add 'no-prefetch'");
	CHECK_EQ(parsed("L1 1K prefetch=next*4 | no-prefetch").level[0].prefetch,
		 ML_PREFETCH_NONE);
	CHECK_EQ(parsed("L1 1K | TLB 4e | walk 9c | no-tlb").tlbs, 0);
	fails("L1 1K | no-tlb 4", "unexpected '4' behind no-tlb");
}

TEST(every_preset_parses_and_prints_itself)
{
	for (const struct ml_preset *p = ml_presets; p->name; p++) {
		struct ml_machine m = parsed(p->text), again = parsed(printed(&m));

		same(&m, &again);
		m = parsed(p->name);
		same(&m, &again);
		CHECK_STR(m.name, p->name);
		CHECK(p->what && *p->what && p->source && *p->source);
	}
}

TEST(every_preset_can_be_simulated_with_one_core_and_with_four)
{
	for (const struct ml_preset *p = ml_presets; p->name; p++)
		for (unsigned cores = 1; cores <= 4; cores += 3) {
			struct ml_machine m;
			struct ml_sim *sim;
			struct ml_err err;
			char text[64];

			snprintf(text, sizeof(text), "%s | cores %u", p->name, cores);
			m = parsed(text);
			sim = ml_sim_open(&m, 0, &err);
			CHECK_OK(sim != NULL, &err);
			ml_sim_close(sim);
		}
}

TEST(presets_have_the_geometry_of_their_machines)
{
	struct ml_machine m = parsed("skylake-sp | cores 28");

	/* 28 slices of 2048 sets: no power of two. */
	CHECK_EQ(m.level[2].sets, 28 * 2048);
	CHECK_EQ(m.level[2].ways, 11);
	m = parsed("i7");
	CHECK_EQ(m.level[0].sets, 64);
	CHECK_EQ(m.level[1].sets, 512);
	CHECK_EQ(m.level[2].sets, 8192);
	m = parsed("tiny-2levels"); /* two sets of two; one set of eight */
	CHECK_EQ(m.level[0].sets, 2);
	CHECK_EQ(m.level[1].sets, 1);
	CHECK_EQ(m.level[1].ways, 8);
	m = parsed("tiny-4sets");
	CHECK_EQ(m.level[0].sets, 4);
	CHECK_EQ(m.level[1].sets, 4);
	CHECK_EQ(parsed("m1").level[0].line, 128);
}

/* Random machines that make sense, most of them; those that do not are refused. */
static uint64_t dice;

static unsigned draw(unsigned below)
{
	dice = dice * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice >> 33) % below;
}

static const char *pick(const char *const *words, unsigned count)
{
	return words[draw(count)];
}
#define PICK(...) \
	pick((const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void draw_level(char *text, const char *name, bool inner)
{
	unsigned ways = 1 + draw(20), policies = 0;

	while (ml_policies[policies].name)
		policies++;
	sprintf(text + strlen(text), "%s %u %uw %s %s", name, ways * 64 * (1 + draw(99)),
		ways, ml_policies[draw(policies)].name, PICK("64B", "32B", "16B", "1B"));
	if (draw(4) == 0)
		sprintf(text + strlen(text), " %uc", draw(1000));
	if (!strcmp(name, "L1i"))
		return;
	sprintf(text + strlen(text), " %s %s %s %s", PICK("", "wt", "wb"),
		PICK("", "wa", "nwa"), PICK("", "private", "shared", "share=2"),
		PICK("", "", "prefetch=next", "prefetch=stride*3", "prefetch=none"));
	if (!inner)
		sprintf(text + strlen(text), " %s", PICK("", "inclusive", "exclusive"));
}

TEST(what_is_printed_parses_back_to_the_same_machine)
{
	unsigned good = 0;

	for (dice = 1; good < 2000;) {
		char text[1000] = "";
		struct ml_machine m;
		struct ml_err err;
		unsigned levels = 1 + draw(ML_LEVELS);

		sprintf(text, "cores %u | ", 1u << draw(3));
		for (unsigned i = 0; i < levels; i++) {
			if (i)
				strcat(text, " | ");
			draw_level(text, (char[]){ 'L', (char)('1' + i), 0 }, !i);
		}
		if (draw(2)) {
			strcat(text, " | ");
			draw_level(text, "L1i", true);
		}
		if (draw(2))
			strcat(text, PICK(" | TLB 64e", " | TLB 48e full 16K fifo 2c",
					  " | TLB 4e 2w | TLB2 12e 3w 9c | walk 8c"));
		if (draw(2))
			sprintf(text + strlen(text), " | memory %uc | seed %u", draw(500),
				draw(10));
		if (!ml_machine_parse(&m, text, &err)) {
			CHECK(!strncmp(err.text, "machine: ", 9));
			continue;
		}
		good++;
		for (unsigned i = 0; i < m.levels; i++)
			CHECK_EQ((uint64_t)m.level[i].sets * m.level[i].ways *
					 m.level[i].line,
				 m.level[i].size);
		struct ml_machine again = parsed(printed(&m));
		same(&m, &again);
	}
}

TEST(words_that_nobody_knows_are_quoted_with_a_near_one)
{
	fails("L1 32K lruu",
	      "L1: there is no word 'lruu' for a cache; did you mean 'lru'?");
	fails("L1 32K inclusiv", "did you mean 'inclusive'?");
	fails("L1 32K banana", "L1: there is no word 'banana' for a cache");
	fails("zenn4",
	      "'zenn4' is neither a preset nor a part of a machine; did you mean "
	      "'zen4'?");
	fails("L1 32K | memroy 3c", "did you mean 'memory'?");
	fails("L1 32K prefetch=strem", "'prefetch=strem' is not a prefetcher");
	fails("L1 32KB", "'32KB' has an unknown unit");
	fails("L1 32K L2 1M", "a '|' is missing between L1 and 'L2'");
	fails("L1 32K | zen4", "'zen4' must come first");
	fails("zen4 L1 fifo", "unexpected 'L1' behind a preset; is a '|' missing?");
	fails("L1 32K \x1b[31m", "'?[31m'"); /* nothing that moves a terminal */
	fails("L1 32K aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaa...'");
}

TEST(missing_and_doubled_parts_are_told)
{
	fails("", "the text, or its last part, is empty");
	fails(" | L1 32K", "a part before a '|' is empty");
	fails("L1 32K |", "the text, or its last part, is empty");
	fails("L1", "L1 has no size");
	fails("L1 32K | L3 1M", "there is an L3 but no L2");
	fails("L1 32K | TLB2 64e", "there is a TLB2 but no TLB");
	fails("memory 100c", "it has no L1");
	fails("L1 32K | L1 64K", "L1 is given twice");
	fails("zen4 | L1 fifo | L1 mru", "L1 is given twice");
	fails("L1 32K | seed 1 | seed 2", "seed is given twice");
	fails("L1 32K 64K", "'64K' repeats");
	fails("L1 32K wb wt", "'wt' repeats or contradicts");
	fails("L1 32K 8w full", "'full' repeats");
	fails("L1 1K | walk 3c", "the machine has none");
}

TEST(numbers_out_of_range_are_told)
{
	fails("L1 0", "'0' must be more than 0");
	fails("L1 0K", "'0K' must be more than 0");
	fails("L1 32K 0w", "'0w' is less than 1");
	fails("L1 32K 0B", "'0B' is less than 1");
	fails("L1 32K 48B", "'48B' is not a power of two, as a line must be");
	fails("L1 32K 1.5w", "'1.5w' is not a whole number");
	fails("L1 1.3333K", "'1.3333K' is not a whole number of bytes");
	fails("L1 99999999999999999999", "is too large a number");
	fails("L1 9999999999G", "is more than 1024G");
	fails("L1 1024G", "too many to simulate");
	CHECK_EQ(parsed("L1 32M full").level[0].ways, 524288);
	fails("L1 512M full", "at most 4194304 can be simulated");
	fails("L1 32K 9999999c", "is more than 1000000");
	fails("cores 0 | L1 1K", "cores: '0' is less than 1");
	fails("cores 65 | L1 1K", "cores: '65' is more than 64");
	fails("0 cores | L1 1K", "cores: '0' is less than 1");
	fails("4 banana | L1 1K", "no part starts with '4' except '4 cores'");
	fails("L1 1K share=0", "is less than 1");
	fails("L1 1K share=", "'share=' needs a number of cores");
	fails("L1 1K prefetch=next*", "'prefetch=next*' needs a number of lines");
	fails("L1 1K prefetch=next*65", "is more than 64");
	fails("L1 1K | memory 20", "memory needs a number, like 'memory 200c', not '20'");
	fails("L1 1K | seed -1", "seed needs a number, like 'seed 4', not '-1'");
	fails("L1 1K | TLB 64e 3K", "'3K' is no page size");
	fails("L1 1K | TLB 60e", "60 entries are no multiple of 8 ways, the default");
	fails("L1 100 full", "100 bytes is no multiple of its line of 64 bytes");
	fails("L1 96 5w 16B", "96 bytes is no multiple of 5 ways of 16 bytes");
	fails("L1 64 8w 16B", "64 bytes is no multiple of 8 ways of 16 bytes");
}

TEST(levels_that_cannot_work_together_are_refused_with_the_reason)
{
	fails("L1 32K 128B | L2 1M 64B",
	      "the lines of L2 (64B) are shorter than those of "
	      "L1 within it (128B)");
	parsed("L1 32K 64B | L2 1M 128B");
	fails("L1 32K | L2 1M 128B exclusive", "victims move into it as they are");
	fails("cores 2 | L1 32K | L2 1M 128B", "coherence is kept by line");
	fails("L1 32K | L2 1M exclusive prefetch=next",
	      "L2: an exclusive level cannot prefetch: it takes the victims of L1");
	fails("zen4 | L2 exclusive", "give the prefetcher to L1, or add 'prefetch=none'");
	parsed("zen4 | L2 exclusive prefetch=none");
	fails("L1 32K exclusive",
	      "L1 cannot be 'exclusive': there is no level within it");
	fails("L1 32K inclusive", "L1 cannot be 'inclusive'");
	fails("L5 32K", "there is no level 'L5'; levels are L1 to L4, and L1i");
	fails("cores 6 | L1 32K | L2 1M share=4",
	      "6 cores cannot be divided into groups");
	fails("cores 4 | L1 1K shared | L2 2K private", "share all levels behind it");
	fails("cores 12 | L1 1K share=4 | L2 2K share=6", "share all levels behind it");
	fails("L1 48K 12w plru",
	      "plru is a binary tree over the ways and needs a power of "
	      "two of them, not 12");
	fails("L1 1K | L1i 1K 32B", "L1i has lines of 32 bytes and L1 of 64");
	fails("L1 1K | L1i 1K wt", "'wt' is not for a cache of instructions");
	fails("L1 1K | TLB 64e wb", "'wb' is not for a TLB");
	fails("L1 1K | TLB 64e 4K | TLB2 64e 2M", "they must be equal");
}

TEST(the_future_is_refused_where_it_is_not_known)
{
	parsed("L1 1K opt | L2 4K pes | L3 8K opt");
	parsed("L1 1K opt | L2 4K exclusive");
	fails("cores 2 | L1 32K opt", "opt is for one core");
	fails("L1 1K | L2 4K opt inclusive", "L2: opt cannot be inclusive");
	fails("L1 1K | L2 4K pes exclusive", "L2: pes cannot be exclusive");
	fails("L1 1K opt | L2 4K | L3 8K inclusive",
	      "opt cannot lie within the inclusive "
	      "L3");
	fails("L1 1K opt prefetch=next", "prefetching in L1 brings in other lines");
	fails("L1 1K prefetch=next | L2 4K opt",
	      "L2: opt knows the future of demands only");
	fails("L1 1K | L1i 1K opt", "L1i: opt is not for instructions");
	fails("L1 1K | TLB 64e opt", "TLB: opt is not for TLBs");
}

static struct ml_machine synthetic(const char *topology)
{
	setenv("HWLOC_SYNTHETIC", topology, 1);
	struct ml_machine m = parsed("host");
	unsetenv("HWLOC_SYNTHETIC");
	return m;
}

TEST(the_host_is_what_hwloc_says)
{
	struct ml_machine m = synthetic(
		"package:2 l3:1(size=12582912) l2:4(size=1048576) "
		"l1d:1(size=49152) l1i:1(size=32768) core:1 pu:2");

	CHECK_STR(m.name, "host");
	CHECK_EQ(m.cores, 8);
	CHECK_EQ(m.levels, 3);
	CHECK(m.split);
	CHECK_EQ(m.icache.size, 32768);
	CHECK_EQ(m.level[0].size, 49152);
	CHECK_EQ(m.level[0].ways, 8); /* not known: what most have */
	CHECK_EQ(m.level[0].share, 1);
	CHECK_EQ(m.level[1].size, 1048576);
	CHECK_EQ(m.level[2].size, 12582912);
	CHECK_EQ(m.level[2].ways, 16);
	CHECK_EQ(m.level[2].share, 4);
	struct ml_machine again = parsed(printed(&m));
	same(&m, &again);
}

TEST(the_host_has_what_hwloc_does_not_know_from_a_similar_preset)
{
	/* a synthetic topology has no maker: that of the last entry, and no measurement
	 */
	struct ml_machine m = synthetic("l3:1(size=33554432) l2:4(size=1048576) "
					"l1d:1(size=65536) core:1 pu:1");
	struct ml_machine like = parsed("neoverse-n1 | cores 4");

	CHECK_EQ(m.tlbs, 2);
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(m.tlb[i].size, like.tlb[i].size);
		CHECK_EQ(m.tlb[i].ways, like.tlb[i].ways);
		CHECK_EQ(m.tlb[i].cycles, like.tlb[i].cycles);
	}
	CHECK_EQ(m.walk_cycles, like.walk_cycles);
	CHECK_EQ(m.level[0].prefetch, ML_PREFETCH_NONE);
	CHECK_EQ(m.level[1].prefetch, like.level[1].prefetch);
	CHECK_EQ(m.level[1].degree, like.level[1].degree);
	CHECK_EQ(m.transfer_cycles, like.transfer_cycles);
}

TEST(a_host_with_more_cores_than_can_be_simulated_keeps_whole_groups)
{
	struct ml_machine m = synthetic("l3:12(size=33554432) l2:8(size=1048576) "
					"l1d:1(size=32768) core:1 pu:1");

	CHECK_EQ(m.cores, 64);
	CHECK_EQ(m.level[2].share, 8);
	CHECK_EQ(synthetic("l3:1(size=33554432) l2:96(size=1048576) l1d:1(size=32768) "
			   "core:1 pu:1")
			 .cores,
		 64);
}

TEST(a_host_without_caches_is_told)
{
	struct ml_machine m;
	struct ml_err err;

	setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
	CHECK_FAILS(ml_machine_parse(&m, "host", &err), &err, "hwloc finds no caches");
	CHECK_FAILS(ml_machine_host(&m, &err), &err, "hwloc finds no caches");
	CHECK_EQ(err.kind, ML_IO);
	unsetenv("HWLOC_SYNTHETIC");
}

TEST(words_change_the_host_too)
{
	setenv("HWLOC_SYNTHETIC", "l2:2(size=1048576) l1d:1(size=32768) core:1 pu:1", 1);
	struct ml_machine m = parsed("host | cores 1 | L1 opt");
	unsetenv("HWLOC_SYNTHETIC");

	CHECK_STR(m.level[0].policy->name, "opt");
	CHECK_EQ(m.cores, 1);
	CHECK_STR(m.name, "");
}
