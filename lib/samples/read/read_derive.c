#include <math.h>
#include <string.h>
#include <strings.h>

#include "lib/base/err.h"
#include "lib/samples/data_source.h"
#include "lib/samples/read/readers.h"
#include "lib/samples/samples_make.h"
#include "lib/trace/text/scan.h"

/* A column by its name without underscores: ibs_dc_miss and IbsDcMiss are the same. */
static const struct ml_samples_column *find_plain(const struct ml_samples *s,
						  const char *plain)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *a = s->columns[i].name, *b = plain;

		for (; *a && *b; a++) {
			if (*a == '_')
				continue;
			if ((*a | 0x20) != *b)
				break;
			b++;
		}
		if (!*a && !*b && s->columns[i].kind != ML_SAMPLES_NAMES)
			return &s->columns[i];
	}
	return NULL;
}

static size_t add_named(struct ml_samples *s, const char *name, const char *otherwise,
			enum ml_samples_kind kind)
{
	return ml_samples_add_column(s, ml_samples_find(s, name) < 0 ? name : otherwise,
				     kind);
}

static size_t add_level(struct ml_samples *s)
{
	return add_named(s, "level", "memory level", ML_SAMPLES_NAMES);
}

/*
 * A column whose cells are levels gets names: those of the levels that occur, the nearest
 * first, so that an axis of levels has no empty half.
 */
static void name_levels(struct ml_samples *s, size_t column)
{
	struct ml_samples_column *c = &s->columns[column];
	bool used[ML_LEVELS] = { false };
	uint32_t number[ML_LEVELS] = { 0 };

	for (uint64_t i = 0; i < s->rows; i++)
		used[c->wide[i]] = true;
	for (size_t i = 0; i < ML_LEVELS; i++)
		if (used[i])
			number[i] = ml_names_add(&c->dictionary,
						 ml_level_name((enum ml_level)i));
	for (uint64_t i = 0; i < s->rows; i++)
		c->wide[i] = number[c->wide[i]];
	ml_samples_set_role(s, column, ML_SAMPLES_LEVEL);
}

/* All levels are unknown because the words say nothing, not because they were not read.
 */
static void note_silence(struct ml_samples *s, bool perf)
{
	s->note = ml_arena_printf(
		&s->arena,
		"the level is unknown of all samples: %s holds %s and no level",
		ml_samples_role(s, ML_SAMPLES_SOURCE_WORD)->name,
		perf ? "the operation (load or store)" : "other bits");
}

static void note_l1(struct ml_samples *s, uint64_t l1_latency)
{
	s->note = ml_arena_printf(
		&s->arena,
		"ibs_latency is the miss latency and %llu cycles assumed for L1",
		(unsigned long long)l1_latency);
}

/*
 * From the word of the hardware or the kernel. Columns move when one is added, so they
 * are looked up afterwards. True: no load from L1 has a latency, as in perf's texts of
 * AMD IBS, which measures misses.
 */
static bool derive_word(struct ml_samples *s, bool perf)
{
	size_t level = add_level(s);
	size_t tlb = add_named(s, "tlb_miss", "misses TLB", ML_SAMPLES_UNSIGNED);
	size_t op = perf ? add_named(s, "op", "operation", ML_SAMPLES_NAMES) : 0;
	const struct ml_samples_column *c = ml_samples_role(s, ML_SAMPLES_SOURCE_WORD),
				       *latency = ml_samples_latency(s);
	uint64_t loads = 0, timed = 0; /* from L1 */
	bool tells = false;

	for (uint64_t i = 0; i < s->rows; i++) {
		bool known = !ml_samples_missing(c, i);
		uint64_t w = known ? ml_samples_bits(c, i) : 0;

		enum ml_level served = !known ? ML_LEVEL_UNKNOWN
				       : perf ? ml_level_of_perf(w)
					      : ml_level_of_pebs(w);

		tells |= served != ML_LEVEL_UNKNOWN;
		if (perf && served == ML_LEVEL_L1 && ml_op_of_perf(w) & 2 && latency &&
		    !ml_samples_missing(latency, i)) {
			loads++;
			timed += ml_samples_bits(latency, i) != 0;
		}
		ml_samples_put(s, level, i, served);
		ml_samples_put(s, tlb, i,
			       known && (perf ? ml_tlb_miss_of_perf(w)
					      : ml_tlb_miss_of_pebs(w)));
		if (perf) {
			unsigned bits = ml_op_of_perf(w);
			const char *name = bits & 4    ? "store"
					   : bits & 2  ? "load"
					   : bits & 8  ? "prefetch"
					   : bits & 16 ? "execute"
						       : "??";

			ml_samples_put_name(s, op, i, name, strlen(name));
		}
	}
	name_levels(s, level);
	if (!tells)
		note_silence(s, perf);
	return loads && !timed;
}

static void add_l1(struct ml_samples *s, uint64_t l1_latency)
{
	size_t column = add_named(s, "ibs_latency", "latency with L1",
				  ML_SAMPLES_UNSIGNED);
	const struct ml_samples_column *c = ml_samples_latency(s);

	for (uint64_t i = 0; i < s->rows; i++)
		if (ml_samples_missing(c, i))
			ml_samples_put_missing(s, column, i);
		else
			ml_samples_put(s, column, i, ml_samples_bits(c, i) + l1_latency);
	ml_samples_set_role(s, column, ML_SAMPLES_LATENCY);
	note_l1(s, l1_latency);
}

/* A flag of AMD IBS that may be missing: then 0. */
static bool flag(const struct ml_samples_column *c, uint64_t row)
{
	return c && !ml_samples_missing(c, row) && ml_samples_bits(c, row) != 0;
}

/*
 * AMD IBS op samples. A miss of L2 without one of L1 belongs to another operation (BKDG):
 * the sample counts as L1. An operation that neither loads nor stores has no level.
 */
static void derive_ibs(struct ml_samples *s, uint64_t l1_latency)
{
	size_t level = add_level(s);
	bool timed = find_plain(s, "ibsdcmisslat");
	size_t latency = timed ? add_named(s, "ibs_latency", "latency with L1",
					   ML_SAMPLES_UNSIGNED)
			       : 0;
	const struct ml_samples_column *dc = find_plain(s, "ibsdcmiss"),
				       *l2 = find_plain(s, "ibsl2miss"),
				       *lat = find_plain(s, "ibsdcmisslat"),
				       *ld = find_plain(s, "ibsldop"),
				       *st = find_plain(s, "ibsstop");

	for (uint64_t i = 0; i < s->rows; i++) {
		bool access = !ld || !st || flag(ld, i) || flag(st, i);

		ml_samples_put(s, level, i,
			       !access        ? ML_LEVEL_UNKNOWN
			       : !flag(dc, i) ? ML_LEVEL_L1
			       : !flag(l2, i) ? ML_LEVEL_L2
					      : ML_LEVEL_L3_OR_RAM);
		if (!timed)
			continue;
		if (!access || ml_samples_missing(lat, i))
			ml_samples_put_missing(s, latency, i);
		else
			ml_samples_put(s, latency, i,
				       ml_samples_bits(lat, i) + l1_latency);
	}
	name_levels(s, level);
	if (timed) {
		ml_samples_set_role(s, latency, ML_SAMPLES_LATENCY);
		note_l1(s, l1_latency);
	}
}

static void derive_name(struct ml_samples *s, size_t from)
{
	enum ml_level *levels = ml_arena_alloc(
		&s->arena, (s->columns[from].name_count + 1) * sizeof(*levels));

	for (size_t i = 0; i < s->columns[from].name_count; i++)
		levels[i] = ml_level_of_name(s->columns[from].names[i]);
	size_t level = add_level(s);
	for (uint64_t i = 0; i < s->rows; i++)
		ml_samples_put(s, level, i,
			       levels[ml_samples_bits(&s->columns[from], i)]);
	name_levels(s, level);
}

/* Up to `limit` cycles a sample without a level counts as served by the level. */
struct guess {
	enum ml_level level;
	uint64_t limit;
};

enum { GUESSES = 8 };

/* Reads "L1:14,L2:60"; limits increase. Returns their number, 0 with a sentence. */
static size_t read_guesses(const char *text, struct guess list[GUESSES],
			   struct ml_err *err)
{
	size_t n = 0;

	for (const char *at = text; *at && n < GUESSES; n++) {
		size_t size = strcspn(at, ","), name = strcspn(at, ":");
		char word[32] = "";
		struct ml_scan_word number = { at + name + 1, size - name - 1 };

		if (name && name < sizeof(word) && name < size)
			memcpy(word, at, name);
		list[n].level = ml_level_of_name(word);
		if (name >= size || list[n].level == ML_LEVEL_UNKNOWN ||
		    !ml_scan_whole(number, &list[n].limit) ||
		    (n && list[n].limit <= list[n - 1].limit)) {
			ml_fail(err, ML_USAGE,
				"levels by latency are of the form L1:14,L2:60,L3:200 with "
				"increasing latencies, not '%s'",
				text);
			return 0;
		}
		at += size + (at[size] == ',');
	}
	return n;
}

static enum ml_level guessed(const struct guess *list, size_t n, uint64_t latency)
{
	for (size_t i = 0; i < n; i++)
		if (latency <= list[i].limit)
			return list[i].level;
	return ML_LEVEL_RAM;
}

/* Gives a level to the samples that have none, by their latency. */
static bool guess_levels(struct ml_samples *s, const char *text, struct ml_err *err)
{
	struct guess list[GUESSES];
	size_t n = read_guesses(text, list, err);
	int was = s->role[ML_SAMPLES_LEVEL];
	uint64_t count = 0;

	if (!n)
		return false;
	if (!ml_samples_latency(s))
		return ml_fail(err, ML_USAGE,
			       "%s: no column tells the latency of a sample", s->path);
	ml_samples_pack(s); /* what was derived is read below */
	size_t column = add_named(s, "guessed level", "guessed memory level",
				  ML_SAMPLES_NAMES);
	const struct ml_samples_column *latency = ml_samples_latency(s),
				       *old = was < 0 ? NULL : &s->columns[was];
	for (uint64_t i = 0; i < s->rows; i++) {
		enum ml_level level = ML_LEVEL_UNKNOWN;

		if (old && old->kind == ML_SAMPLES_NAMES && !ml_samples_missing(old, i))
			level = ml_level_of_name(old->names[ml_samples_bits(old, i)]);
		if (level == ML_LEVEL_UNKNOWN && !ml_samples_missing(latency, i)) {
			level = guessed(list, n,
					ml_samples_cycles(ml_samples_bits(latency, i)));
			count++;
		}
		ml_samples_put(s, column, i, level);
	}
	name_levels(s, column);
	s->note = ml_arena_printf(
		&s->arena,
		"the level of %llu samples is guessed from their latency: %s, "
		"more is RAM",
		(unsigned long long)count, text);
	return true;
}

/* Sums of cycles are exact, so latencies with fractions are rounded in a column of their
 * own. */
static void round_latency(struct ml_samples *s)
{
	int real = s->role[ML_SAMPLES_LATENCY];

	if (real < 0 || s->columns[real].kind != ML_SAMPLES_REAL)
		return;
	size_t column = add_named(s, "cycles", "rounded latency", ML_SAMPLES_SIGNED);
	const struct ml_samples_column *c = &s->columns[real];
	for (uint64_t i = 0; i < s->rows; i++) {
		double v = ml_samples_to_real(c, ml_samples_bits(c, i));

		if (ml_samples_missing(c, i) || !(fabs(v) < 0x1p62))
			ml_samples_put_missing(s, column, i);
		else
			ml_samples_put(s, column, i, (uint64_t)llround(v));
	}
	ml_samples_set_role(s, column, ML_SAMPLES_LATENCY);
	s->note = ml_arena_printf(&s->arena, "%s has fractions: %s has it rounded",
				  s->columns[real].name, s->columns[column].name);
}

/* Sums of latencies below this stay positive for any table that there is. */
static bool is_latency(const struct ml_samples_column *c, uint64_t bits)
{
	uint64_t limit = 1ull << 48; /* a day of cycles */

	return c->kind == ML_SAMPLES_SIGNED ? bits + limit < 2 * limit : bits < limit;
}

/* Values that are no latencies, such as -1 without its sign, would make sums of cycles
 * negative. They are left out, in a column of their own. */
static void bound_latency(struct ml_samples *s)
{
	int from = s->role[ML_SAMPLES_LATENCY];
	uint64_t wrong = 0;

	if (!ml_samples_latency(s) ||
	    (is_latency(&s->columns[from], s->columns[from].min) &&
	     is_latency(&s->columns[from], s->columns[from].max)))
		return;
	size_t column = add_named(s, "cycles", "bounded latency", ML_SAMPLES_SIGNED);
	const struct ml_samples_column *c = &s->columns[from];
	for (uint64_t i = 0; i < s->rows; i++) {
		uint64_t bits = ml_samples_bits(c, i);

		wrong += !ml_samples_missing(c, i) && !is_latency(c, bits);
		if (ml_samples_missing(c, i) || !is_latency(c, bits))
			ml_samples_put_missing(s, column, i);
		else
			ml_samples_put(s, column, i, bits);
	}
	ml_samples_set_role(s, column, ML_SAMPLES_LATENCY);
	s->note = ml_arena_printf(
		&s->arena, "values of %s that are no latencies: %llu; %s leaves them out",
		s->columns[from].name, (unsigned long long)wrong,
		s->columns[column].name);
}

/* Whether a column says something: more than one value, or one that is not 0. */
static bool says(const struct ml_samples_column *c)
{
	return c && (c->min != c->max || c->max != 0);
}

bool ml_read_derive(struct ml_samples *s, const struct ml_read_options *o,
		    struct ml_err *err)
{
	const struct ml_samples_column *word = ml_samples_role(s, ML_SAMPLES_SOURCE_WORD),
				       *named = ml_samples_role(s, ML_SAMPLES_LEVEL);

	if (o->source && strcmp(o->source, "perf") != 0 && strcmp(o->source, "pebs") != 0)
		return ml_fail(err, ML_USAGE,
			       "the data source is read as pebs or perf, not '%s'",
			       o->source);
	if (find_plain(s, "ibsdcmiss") && find_plain(s, "ibsl2miss"))
		derive_ibs(s, o->l1_latency);
	else if (named && named->kind == ML_SAMPLES_NAMES)
		derive_name(s, (size_t)s->role[ML_SAMPLES_LEVEL]);
	else if (word && word->kind == ML_SAMPLES_NAMES)
		derive_name(s, (size_t)s->role[ML_SAMPLES_SOURCE_WORD]);
	else if (says(word)) {
		/* MemAxes writes dataSource, the raw word, which has 10 bits at most. */
		bool perf = o->source ? !strcmp(o->source, "perf")
				      : strcasecmp(word->name, "dataSource") != 0 ||
						word->max > 0x3ff;

		if (derive_word(s, perf))
			add_l1(s, o->l1_latency);
	}
	round_latency(s);
	bound_latency(s);
	if (o->levels && !guess_levels(s, o->levels, err))
		return false;
	ml_samples_pack(s);
	return true;
}
