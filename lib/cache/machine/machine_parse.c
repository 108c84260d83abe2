#include "lib/cache/machine/machine.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/buf.h"
#include "lib/cache/machine/machine_rules.h"
#include "lib/cache/machine/policy.h"
#include "lib/cache/machine/machine_words.h"

#define SIZE_MAX_BYTES (1ull << 40)
enum {
	CYCLES_MAX = 1000000,
	LINE_MAX_BYTES = 1 << 16,
	PAGE_MAX = 1 << 30,
	DEGREE_MAX = 64,
	DEFAULT_WAYS = 8,
	DEFAULT_LINE = 64,
	DEFAULT_PAGE = 4096,
};
static const uint32_t level_cycles[ML_LEVELS] = { 4, 14, 50, 100 };
static const uint32_t tlb_cycles[ML_TLBS] = { 0, 7 };
enum { MEMORY_CYCLES = 200, WALK_CYCLES = 30 };
/*
 * A transfer asks the last level and from there another core: it takes about twice as
 * long as a hit there, in published measurements of Intel's and AMD's processors.
 */
enum { TRANSFERS = 2 };

/* The properties that words set. */
enum {
	SIZE = 1,
	WAYS = 2,
	LINE = 4,
	POLICY = 8,
	WRITE = 16,
	ALLOCATE = 32,
	INCLUSION = 64,
	SHARE = 128,
	PREFETCH = 256,
	CYCLES = 512,
};
enum {
	OF_LEVEL = SIZE | WAYS | LINE | POLICY | WRITE | ALLOCATE | INCLUSION | SHARE |
		   PREFETCH | CYCLES,
	OF_ICACHE = SIZE | WAYS | LINE | POLICY | SHARE | CYCLES,
	OF_TLB = SIZE | WAYS | LINE | POLICY | CYCLES,
};

static const struct keyword {
	const char *name;
	unsigned of;
	unsigned value;
} keywords[] = {
	{ "wb", WRITE, false },
	{ "wt", WRITE, true },
	{ "wa", ALLOCATE, false },
	{ "nwa", ALLOCATE, true },
	{ "neither", INCLUSION, ML_NEITHER },
	{ "inclusive", INCLUSION, ML_INCLUSIVE },
	{ "exclusive", INCLUSION, ML_EXCLUSIVE },
	{ "private", SHARE, 1 },
	{ "shared", SHARE, ML_CORES },
	{ "full", WAYS, 0 },
	{ 0 },
};
static const char *const part_names[] = { "L1",          "L2",       "L3",    "L4",
					  "L1i",         "TLB",      "TLB2",  "memory",
					  "walk",        "transfer", "cores", "seed",
					  "no-prefetch", "no-tlb",   "host",  "remote" };
const char *const ml_prefetcher_names[ML_PREFETCHERS] = { "none", "next", "stride",
							  "stream" };

/* A level, L1i or TLB, as far as the text describes it. */
struct part {
	struct ml_level_spec *spec; /* the size of a TLB is its number of entries */
	unsigned said;      /* properties set by the text so far, and by its preset */
	unsigned said_here; /* properties set in this part, to find contradictions */
	unsigned may;
	bool there;
	bool full;
	bool named; /* the user's text names this part, not only a preset */
};

struct parser {
	struct ml_machine *m;
	struct ml_err *err;
	struct ml_words text;
	struct part level[ML_LEVELS], icache, tlb[ML_TLBS];
	bool preset;  /* the parser is inside the text of a preset */
	bool changed; /* words follow the preset */
	bool cores_said, seed_said, memory_said, walk_said, transfer_said, remote_said;
	bool transfer; /* the text or its preset has a transfer */
	bool no_prefetch, no_tlb;
};

static bool is(const struct parser *p, const char *word)
{
	return !strcmp(p->text.word, word);
}

/* ---- unknown words ---- */

static bool unknown_word(struct parser *p, const struct part *of)
{
	struct ml_nearest n = { 0 };
	char room[ML_HINT_ROOM];

	for (size_t i = 0; i < sizeof(part_names) / sizeof(*part_names); i++)
		if (!strcasecmp(p->text.word, part_names[i]))
			return ml_fail(p->err, ML_USAGE,
				       "machine: a '|' is missing between %s and '%s'",
				       of->spec->name, p->text.shown);
	for (const struct keyword *k = keywords; k->name; k++)
		if (of->may & k->of)
			ml_nearest_offer(&n, p->text.word, k->name);
	for (const struct ml_policy *y = ml_policies; y->name; y++)
		ml_nearest_offer(&n, p->text.word, y->name);
	return ml_fail(p->err, ML_USAGE, "machine: %s: there is no word '%s' for a %s%s",
		       of->spec->name, p->text.shown, of->may == OF_TLB ? "TLB" : "cache",
		       ml_nearest_hint(&n, room));
}

static bool unknown_part(struct parser *p)
{
	struct ml_nearest n = { 0 };
	char room[ML_HINT_ROOM];

	if (!p->text.word[0])
		return ml_fail(p->err, ML_USAGE,
			       "machine: %s; a level is written like 'L1 32K 8w 64B lru'",
			       *p->text.at ? "a part before a '|' is empty"
					   : "the text, or its last part, is empty");
	if (p->text.word[0] == 'l' && p->text.word[1] >= '0' && p->text.word[1] <= '9')
		return ml_fail(p->err, ML_USAGE,
			       "machine: there is no level '%s'; levels are L1 to L%d, "
			       "and L1i",
			       p->text.shown, ML_LEVELS);
	for (size_t i = 0; i < sizeof(part_names) / sizeof(*part_names); i++)
		ml_nearest_offer(&n, p->text.word, part_names[i]);
	for (const struct ml_preset *s = ml_presets; s->name; s++)
		ml_nearest_offer(&n, p->text.word, s->name);
	if (n.word && !n.changes)
		return ml_fail(
			p->err, ML_USAGE,
			"machine: '%s' must come first; the parts behind it change it",
			p->text.shown);
	return ml_fail(p->err, ML_USAGE,
		       "machine: '%s' is neither a preset nor a part of a machine%s",
		       p->text.shown, ml_nearest_hint(&n, room));
}

/* ---- numbers ---- */

static bool bad_number(struct parser *p, const char *of, const char *reason)
{
	return ml_fail(p->err, ML_USAGE, "machine: %s: '%s' %s", of, p->text.shown,
		       reason);
}

static bool within(struct parser *p, const char *of, const struct ml_quantity *n,
		   uint64_t min, uint64_t max)
{
	char reason[80];

	if (n->parts != 1)
		return bad_number(p, of, "is not a whole number");
	if (n->whole >= min && n->whole <= max)
		return true;
	snprintf(reason, sizeof(reason), "is %s than %llu",
		 n->whole < min ? "less" : "more",
		 (unsigned long long)(n->whole < min ? min : max));
	return bad_number(p, of, reason);
}

/* Bytes: 384, 32K, 1.25M. */
static bool bytes(struct parser *p, const char *of, const struct ml_quantity *n,
		  uint64_t *value)
{
	unsigned shift = *n->unit == 'k'   ? 10
			 : *n->unit == 'm' ? 20
			 : *n->unit == 'g' ? 30
					   : 0;

	if (n->whole > SIZE_MAX_BYTES >> shift)
		return bad_number(p, of, "is more than 1024G");
	if ((n->part << shift) % n->parts) /* part < 2^30 */
		return bad_number(p, of, "is not a whole number of bytes");
	*value = (n->whole << shift) + (n->part << shift) / n->parts;
	if (!*value)
		return bad_number(p, of, "must be more than 0");
	return true;
}

/* ---- the words of a level ---- */

static bool say(struct parser *p, struct part *t, unsigned what)
{
	if (!(t->may & what))
		return ml_fail(p->err, ML_USAGE, "machine: %s: '%s' is not for a %s",
			       t->spec->name, p->text.shown,
			       t->may == OF_TLB ? "TLB" : "cache of instructions");
	if (t->said_here & what)
		return ml_fail(p->err, ML_USAGE,
			       "machine: %s: '%s' repeats or contradicts an earlier word",
			       t->spec->name, p->text.shown);
	t->said |= what;
	t->said_here |= what;
	return true;
}

static bool quantity(struct parser *p, struct part *t)
{
	struct ml_level_spec *s = t->spec;
	struct ml_quantity n;
	uint64_t size = 0;

	if (!ml_quantity_scan(&n, p->text.word))
		return bad_number(p, s->name, "is too large a number");
	if (!strcmp(n.unit, "w")) {
		t->full = false;
		if (!within(p, s->name, &n, 1, ML_WAYS))
			return false;
		s->ways = (uint32_t)n.whole;
		return say(p, t, WAYS);
	}
	if (!strcmp(n.unit, "c")) {
		if (!within(p, s->name, &n, 0, CYCLES_MAX))
			return false;
		s->cycles = (uint32_t)n.whole;
		return say(p, t, CYCLES);
	}
	if (!strcmp(n.unit, "b") && t->may != OF_TLB) {
		if (!within(p, s->name, &n, 1, LINE_MAX_BYTES))
			return false;
		if (n.whole & (n.whole - 1))
			return bad_number(p, s->name,
					  "is not a power of two, as a line must be");
		s->line = (uint32_t)n.whole;
		return say(p, t, LINE);
	}
	if (!strcmp(n.unit, "e") && t->may == OF_TLB) {
		if (!within(p, s->name, &n, 1, 1 << 20))
			return false;
		s->size = n.whole;
		return say(p, t, SIZE);
	}
	if (*n.unit && strcmp(n.unit, "k") && strcmp(n.unit, "m") && strcmp(n.unit, "g"))
		return ml_fail(p->err, ML_USAGE,
			       "machine: %s: '%s' has an unknown unit; %s, 8w, 4c",
			       s->name, p->text.shown,
			       t->may == OF_TLB ? "write 64e, 4K" : "write 32K, 64B");
	if (!bytes(p, s->name, &n, &size))
		return false;
	if (t->may != OF_TLB) {
		s->size = size;
		return say(p, t, SIZE);
	}
	if (size > PAGE_MAX || size & (size - 1))
		return bad_number(p, s->name,
				  "is no page size: a power of two, at most 1G");
	s->line = (uint32_t)size;
	return say(p, t, LINE);
}

static bool share(struct parser *p, struct part *t, const char *value)
{
	struct ml_quantity n;

	if (!ml_quantity_scan(&n, value) || n.unit == value || *n.unit)
		return bad_number(p, t->spec->name, "needs a number of cores: share=4");
	if (!within(p, t->spec->name, &n, 1, ML_CORES))
		return false;
	t->spec->share = (uint32_t)n.whole;
	return say(p, t, SHARE);
}

/* prefetch=stream*4 */
static bool prefetch(struct parser *p, struct part *t, const char *value)
{
	size_t length = strcspn(value, "*");
	struct ml_quantity n = { .whole = 1, .parts = 1 };

	for (unsigned i = 0; i < ML_PREFETCHERS; i++) {
		if (strlen(ml_prefetcher_names[i]) != length ||
		    memcmp(ml_prefetcher_names[i], value, length))
			continue;
		if (value[length] && (!ml_quantity_scan(&n, value + length + 1) ||
				      n.unit == value + length + 1 || *n.unit))
			return bad_number(p, t->spec->name,
					  "needs a number of lines: prefetch=stream*4");
		if (!within(p, t->spec->name, &n, 1, DEGREE_MAX))
			return false;
		t->spec->prefetch = (enum ml_prefetcher)i;
		t->spec->degree = i ? (uint32_t)n.whole : 1;
		return say(p, t, PREFETCH);
	}
	return bad_number(p, t->spec->name,
			  "is not a prefetcher; there are next, stride, stream and none");
}

static bool keyword(struct parser *p, struct part *t, const struct keyword *k)
{
	struct ml_level_spec *s = t->spec;

	switch (k->of) {
	case WRITE: s->write_through = k->value; break;
	case ALLOCATE: s->no_allocate = k->value; break;
	case INCLUSION: s->inclusion = (enum ml_inclusion)k->value; break;
	case SHARE: s->share = k->value; break;
	default: t->full = true;
	}
	return say(p, t, k->of);
}

static bool word_of_part(struct parser *p, struct part *t)
{
	const struct ml_policy *policy = ml_policy_find(p->text.word);

	if ((p->text.word[0] >= '0' && p->text.word[0] <= '9') || p->text.word[0] == '.')
		return quantity(p, t);
	if (policy) {
		t->spec->policy = policy;
		return say(p, t, POLICY);
	}
	for (const struct keyword *k = keywords; k->name; k++)
		if (is(p, k->name))
			return keyword(p, t, k);
	if (!strncmp(p->text.word, "share=", 6))
		return share(p, t, p->text.word + 6);
	if (!strncmp(p->text.word, "prefetch=", 9))
		return prefetch(p, t, p->text.word + 9);
	return unknown_word(p, t);
}

static bool words_of_part(struct parser *p, struct part *t)
{
	if (t->named && !p->preset)
		return ml_fail(p->err, ML_USAGE, "machine: %s is given twice",
			       t->spec->name);
	t->named = !p->preset;
	t->there = true;
	t->said_here = 0;
	for (ml_words_next(&p->text); p->text.word[0]; ml_words_next(&p->text))
		if (!word_of_part(p, t))
			return false;
	return true;
}

/* ---- the parts ---- */

static bool behind(struct parser *p, const char *of)
{
	ml_words_next(&p->text);
	if (p->text.word[0])
		return ml_fail(p->err, ML_USAGE,
			       "machine: unexpected '%s' behind %s; is a '|' missing?",
			       p->text.shown, of);
	return true;
}

static bool lone_number(struct parser *p, const char *of, const char *unit, uint64_t max,
			bool *said, uint64_t *value)
{
	struct ml_quantity n;

	if (*said && !p->preset)
		return ml_fail(p->err, ML_USAGE, "machine: %s is given twice", of);
	*said = !p->preset;
	ml_words_next(&p->text);
	if (!ml_quantity_scan(&n, p->text.word))
		return bad_number(p, of, "is too large a number");
	if (n.unit == p->text.word || strcmp(n.unit, unit))
		return ml_fail(p->err, ML_USAGE,
			       "machine: %s needs a number, like '%s %s%s', not '%s'", of,
			       of, *unit ? "200" : "4", unit, p->text.shown);
	if (!within(p, of, &n, !strcmp(of, "cores"), max))
		return false;
	*value = n.whole;
	return behind(p, of);
}

static bool small(struct parser *p, const char *of, const char *unit, uint32_t max,
		  bool *said, uint32_t *value)
{
	uint64_t v;

	if (!lone_number(p, of, unit, max, said, &v))
		return false;
	*value = (uint32_t)v;
	return true;
}

/* A part that takes something out of the machine. */
static bool without(struct parser *p, const char *of, bool *flag)
{
	*flag = true;
	return behind(p, of);
}

/* "4 cores": the number comes first. */
static bool cores_behind(struct parser *p)
{
	struct ml_quantity n;

	if (!ml_quantity_scan(&n, p->text.word) || *n.unit)
		return unknown_part(p);
	if (p->cores_said && !p->preset)
		return ml_fail(p->err, ML_USAGE, "machine: cores is given twice");
	p->cores_said = !p->preset;
	if (!within(p, "cores", &n, 1, ML_CORES))
		return false;
	p->m->cores = (uint32_t)n.whole;
	ml_words_next(&p->text);
	if (!is(p, "cores") && !is(p, "core"))
		return ml_fail(p->err, ML_USAGE,
			       "machine: no part starts with '%llu' except '%llu cores'",
			       (unsigned long long)n.whole, (unsigned long long)n.whole);
	return behind(p, "cores");
}

static bool part(struct parser *p)
{
	struct ml_machine *m = p->m;

	for (unsigned i = 0; i < ML_LEVELS; i++)
		if (is(p, (char[]){ 'l', (char)('1' + i), 0 }) || (!i && is(p, "l1d")))
			return words_of_part(p, &p->level[i]);
	if (is(p, "l1i")) {
		m->split = true;
		return words_of_part(p, &p->icache);
	}
	if (is(p, "tlb") || is(p, "tlb1"))
		return words_of_part(p, &p->tlb[0]);
	if (is(p, "tlb2"))
		return words_of_part(p, &p->tlb[1]);
	if (is(p, "memory"))
		return small(p, "memory", "c", CYCLES_MAX, &p->memory_said,
			     &m->memory_cycles);
	if (is(p, "walk"))
		return small(p, "walk", "c", CYCLES_MAX, &p->walk_said, &m->walk_cycles);
	if (is(p, "transfer")) {
		p->transfer = true;
		return small(p, "transfer", "c", CYCLES_MAX, &p->transfer_said,
			     &m->transfer_cycles);
	}
	if (is(p, "no-prefetch"))
		return without(p, "no-prefetch", &p->no_prefetch);
	if (is(p, "no-tlb"))
		return without(p, "no-tlb", &p->no_tlb);
	if (is(p, "remote"))
		return small(p, "remote", "c", CYCLES_MAX, &p->remote_said,
			     &m->remote_cycles);
	if (is(p, "cores"))
		return small(p, "cores", "", ML_CORES, &p->cores_said, &m->cores);
	if (is(p, "seed"))
		return lone_number(p, "seed", "", UINT64_MAX, &p->seed_said, &m->seed);
	if (p->text.word[0] >= '0' && p->text.word[0] <= '9')
		return cores_behind(p);
	return unknown_part(p);
}

/* Parts up to the end; the first word has been read. */
static bool parts(struct parser *p)
{
	for (;;) {
		if (!part(p))
			return false;
		if (!*p->text.at)
			return true;
		p->text.at++;
		ml_words_next(&p->text);
	}
}

static bool preset_text(struct parser *p, const char *text)
{
	const char *at = p->text.at;

	p->preset = true;
	p->text.at = text;
	ml_words_next(&p->text);
	if (!parts(p))
		return false;
	p->preset = false;
	p->text.at = at;
	if (!behind(p, "a preset"))
		return false;
	p->changed = *p->text.at;
	if (!p->changed)
		return true;
	p->text.at++;
	ml_words_next(&p->text);
	return parts(p);
}

static bool host_text(struct parser *p)
{
	struct ml_buf text = { 0 };
	struct ml_machine host;
	bool ok = ml_machine_host(&host, p->err);

	if (ok) {
		ml_machine_print(&host, &text);
		ml_buf_u8(&text, 0);
		ok = preset_text(p, (const char *)text.data);
	}
	ml_buf_release(&text);
	return ok;
}

/* ---- defaults ---- */

static void name(struct part *t, struct ml_level_spec *spec, const char *text,
		 unsigned may)
{
	t->spec = spec;
	t->may = may;
	spec->degree = 1;
	strcpy(spec->name, text);
}

static bool complete(struct parser *p, struct part *t, uint32_t line, uint32_t cycles,
		     uint32_t cores)
{
	struct ml_level_spec *s = t->spec;

	if (!(t->said & SIZE))
		return ml_fail(p->err, ML_USAGE, "machine: %s has no %s, such as %s",
			       s->name, t->may == OF_TLB ? "number of entries" : "size",
			       t->may == OF_TLB ? "64e" : "32K");
	if (!(t->said & LINE))
		s->line = line;
	if (!(t->said & POLICY))
		s->policy = ml_policy_find("lru");
	if (!(t->said & CYCLES))
		s->cycles = cycles;
	if (!(t->said & SHARE))
		s->share = 1;
	if (s->share > cores)
		s->share = cores;
	if (t->may == OF_TLB)
		s->size *= s->line;
	return ml_machine_geometry(s, t->said & WAYS ? s->ways : DEFAULT_WAYS, t->full,
				   t->said & WAYS, p->err);
}

/* Takes out what no-prefetch and no-tlb name. */
static void take_out(struct parser *p)
{
	for (unsigned i = 0; i < ML_LEVELS && p->no_prefetch; i++) {
		p->level[i].spec->prefetch = ML_PREFETCH_NONE;
		p->level[i].spec->degree = 1;
	}
	for (unsigned i = 0; i < ML_TLBS && p->no_tlb; i++)
		p->tlb[i].there = false;
	p->walk_said &= !p->no_tlb;
}

static bool finish(struct parser *p)
{
	struct ml_machine *m = p->m;
	uint32_t line = DEFAULT_LINE, page = DEFAULT_PAGE;

	take_out(p);

	for (unsigned i = 0; i < ML_LEVELS; i++)
		if (p->level[i].there)
			m->levels = i + 1;
	for (unsigned i = 0; i < ML_TLBS; i++)
		if (p->tlb[i].there)
			m->tlbs = i + 1;
	if (!m->levels)
		return ml_fail(p->err, ML_USAGE,
			       "machine: it has no L1; a level is written like 'L1 32K "
			       "8w 64B lru'");
	for (unsigned i = 0; i < m->levels; i++) {
		struct part *t = &p->level[i];

		if (!t->there)
			return ml_fail(p->err, ML_USAGE,
				       "machine: there is an L%u but no %s", m->levels,
				       t->spec->name);
		if (i && i + 1 == m->levels && !(t->said & SHARE)) {
			t->spec->share = ML_CORES;
			t->said |= SHARE;
		}
		if (!complete(p, t, line, level_cycles[i], m->cores))
			return false;
		line = t->spec->line;
	}
	if (m->split) {
		if (!(p->icache.said & SHARE))
			m->icache.share = m->level[0].share;
		p->icache.said |= SHARE;
		if (!complete(p, &p->icache, m->level[0].line, m->level[0].cycles,
			      m->cores))
			return false;
	} else {
		m->icache = (struct ml_level_spec){ 0 };
	}
	for (unsigned i = 0; i < m->tlbs; i++) {
		if (!p->tlb[i].there)
			return ml_fail(p->err, ML_USAGE,
				       "machine: there is a TLB2 but no TLB");
		if (!complete(p, &p->tlb[i], page, tlb_cycles[i], m->cores))
			return false;
		page = m->tlb[i].line;
	}
	/* Unused entries are zero, so that equal machines are equal bytes. */
	for (unsigned i = m->levels; i < ML_LEVELS; i++)
		m->level[i] = (struct ml_level_spec){ 0 };
	for (unsigned i = m->tlbs; i < ML_TLBS; i++)
		m->tlb[i] = (struct ml_level_spec){ 0 };
	if (p->walk_said && !m->tlbs)
		return ml_fail(p->err, ML_USAGE,
			       "machine: walk is the cost of a miss in all TLBs, and the "
			       "machine has none");
	if (p->remote_said && m->cores == 1)
		return ml_fail(
			p->err, ML_USAGE,
			"machine: remote is the cost of memory of another node, and "
			"the machine has one core; add 'cores 2'");
	if (m->cores == 1)
		m->remote_cycles = 0;
	if (m->cores == 1)
		m->transfer_cycles = 0;
	else if (!p->transfer)
		m->transfer_cycles = TRANSFERS * m->level[m->levels - 1].cycles;
	return ml_machine_check(m, p->err);
}

bool ml_machine_parse(struct ml_machine *m, const char *text, struct ml_err *err)
{
	struct parser p = { .m = m, .err = err, .text.at = text };
	const struct ml_preset *preset = ml_presets;
	const char *of = "";

	memset(m, 0, sizeof(*m));
	m->cores = 1;
	m->memory_cycles = MEMORY_CYCLES;
	m->walk_cycles = WALK_CYCLES;
	for (unsigned i = 0; i < ML_LEVELS; i++)
		name(&p.level[i], &m->level[i], (char[]){ 'L', (char)('1' + i), 0 },
		     OF_LEVEL);
	name(&p.icache, &m->icache, "L1i", OF_ICACHE);
	name(&p.tlb[0], &m->tlb[0], "TLB", OF_TLB);
	name(&p.tlb[1], &m->tlb[1], "TLB2", OF_TLB);

	ml_words_next(&p.text);
	while (preset->name && !is(&p, preset->name))
		preset++;
	bool ok;
	if (is(&p, "host")) {
		of = "host";
		ok = host_text(&p);
	} else if (preset->name) {
		of = preset->name;
		ok = preset_text(&p, preset->text);
	} else {
		ok = parts(&p);
	}
	if (!ok || !finish(&p))
		return false;
	if (!p.changed)
		snprintf(m->name, sizeof(m->name), "%s", of);
	return true;
}
