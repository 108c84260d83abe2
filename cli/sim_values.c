#include "cli/sim_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sim_text.h"
#include "cli/threshold.h"
#include "lib/trace/trace.h"

static bool is(const char *word, const char *name)
{
	return !strcmp(word, name);
}

/* Finds a cause by its name; NONE: there is none. */
static enum ml_cause cause_of(const char *word)
{
	for (unsigned k = ML_CAUSE_COLD; k < ML_CAUSES; k++)
		if (is(word, ml_cause_names[k]))
			return (enum ml_cause)k;
	return ML_CAUSE_NONE;
}

static bool want_causes(const struct ml_profile *p, const char *word, struct ml_err *err)
{
	return p->want & ML_SIM_CAUSES ||
	       ml_fail(err, ML_USAGE, "--quick does not compute '%s'", word);
}

/* Finds a level by its name: from 1, levels + 1 is memory, 0 L1i; -1: none. */
static int level_of(const struct ml_machine *m, const char *word)
{
	for (unsigned k = 1; k <= m->levels; k++)
		if (is(word, m->level[k - 1].name))
			return (int)k;
	if (is(word, "memory"))
		return (int)m->levels + 1;
	return m->split && is(word, m->icache.name) ? 0 : -1;
}

static bool counter(const struct ml_profile *p, const struct ml_level_counts *c,
		    const char *word, double *value, struct ml_err *err)
{
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{ "asked", ml_profile_asked(c) },
		{ "misses", ml_profile_missed(c) },
		{ "hits", ml_profile_asked(c) - ml_profile_missed(c) },
		{ "read_misses", c->missed[0] },
		{ "write_misses", c->missed[1] },
		{ "fetch_misses", c->missed[2] },
		{ "fills", c->fills },
		{ "evictions", c->evictions },
		{ "invalidations", c->invalidations },
		{ "write_backs", c->write_backs },
		{ "upgrades", c->upgrades },
		{ "prefetched", c->prefetched },
		{ "useful", c->useful },
		{ "useless", c->useless },
	};
	enum ml_cause cause = cause_of(word);

	if (is(word, "miss_ratio")) {
		*value = ml_profile_ratio(ml_profile_missed(c), ml_profile_asked(c));
		return true;
	}
	if (cause) {
		*value = (double)c->cause[cause];
		return want_causes(p, word, err);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (is(word, fields[i].name)) {
			*value = (double)fields[i].value;
			return true;
		}
	return ml_fail(
		err, ML_USAGE,
		"a level has no '%s'; it has asked, hits, misses, miss_ratio, served, "
		"write_backs, bytes_in, bytes_out, cold, capacity, conflict, sharing, "
		"false_sharing, unknown, read_misses, write_misses, fetch_misses, "
		"fills, evictions, invalidations, upgrades, prefetched, useful, useless",
		word);
}

static bool level_value(const struct ml_profile *p, int level, const char *word,
			double *value, struct ml_err *err)
{
	if (is(word, "served") && level) {
		*value = (double)p->served[level];
		return true;
	}
	if (level > (int)p->machine.levels)
		return ml_fail(err, ML_USAGE, "memory has no '%s'; it has served only",
			       word);
	if (is(word, "bytes_in") || is(word, "bytes_out")) {
		*value = (double)(is(word, "bytes_in") ? p->level[level].bytes_in
						       : p->level[level].bytes_out);
		return true;
	}
	return counter(p, &p->level[level].counts, word, value, err);
}

/* Finds a figure of a row: refs, reads, writes, cycles, or a figure of a level. */
static bool row_value(const struct ml_profile *p, const struct ml_profile_count *c,
		      const struct threshold_part *part, size_t count, double *value,
		      struct ml_err *err)
{
	const char *word = count ? part[0].word : "";
	int level = level_of(&p->machine, word);

	if (count == 2 && level > 0) {
		const char *field = part[1].word;
		enum ml_cause cause = cause_of(field);
		bool memory = level > (int)p->machine.levels;

		if (is(field, "served"))
			*value = (double)c->served[level];
		else if (is(field, "misses") && !memory)
			*value = (double)c->missed[level - 1];
		else if (is(field, "miss_ratio") && !memory)
			*value = ml_profile_ratio(c->missed[level - 1], c->refs);
		else if (cause && !memory) {
			*value = (double)c->cause[level - 1][cause];
			return want_causes(p, field, err);
		} else
			return ml_fail(err, ML_USAGE,
				       "there is no '%s' here; there are served, misses, "
				       "miss_ratio and the causes",
				       field);
		return true;
	}
	if (count == 1 && is(word, "refs"))
		*value = (double)c->refs;
	else if (count == 1 && is(word, "reads"))
		*value = (double)c->kind[0];
	else if (count == 1 && is(word, "writes"))
		*value = (double)c->kind[1];
	else if (count == 1 && is(word, "cycles"))
		*value = c->refs ? c->cycles / (double)c->refs : 0;
	else
		return ml_fail(
			err, ML_USAGE,
			"'%s' is neither a level nor one of refs, reads, writes, cycles",
			word);
	return true;
}

/* True if arg names the line: "a.c:12" names line 12 of "src/a.c". */
static bool names_line(const char *arg, const struct ml_profile_line_row *l)
{
	const char *colon = strrchr(arg, ':');
	size_t size = colon ? (size_t)(colon - arg) : 0, path = strlen(l->at.file);

	return colon && l->at.line && strtoul(colon + 1, NULL, 10) == l->at.line &&
	       size <= path && !strncmp(l->at.file + path - size, arg, size) &&
	       (size == path || l->at.file[path - size - 1] == '/');
}

static const struct ml_profile_count *find_row(const struct ml_profile_rows *rows,
					       const struct threshold_part *part)
{
	const char *arg = part->arg;

	for (size_t i = 0; is(part->word, "region") && i < rows->regions.count; i++)
		if (is(rows->regions.at[i].name, arg))
			return &rows->regions.at[i].count;
	for (size_t i = 0; is(part->word, "line") && i < rows->lines.count; i++)
		if (names_line(arg, &rows->lines.at[i]))
			return &rows->lines.at[i].count;
	for (size_t i = 0; is(part->word, "function") && i < rows->functions.count; i++)
		if (is(rows->functions.at[i].at.func, arg))
			return &rows->functions.at[i].made;
	for (size_t i = 0; is(part->word, "phase") && i < rows->phases.count; i++)
		if (is(rows->phases.at[i].name, arg))
			return &rows->phases.at[i].count;
	for (size_t i = 0; is(part->word, "thread") && i < rows->threads.count; i++)
		if (rows->threads.at[i].id == strtoul(arg, NULL, 10))
			return &rows->threads.at[i].count;
	return NULL;
}

static bool is_table(const char *word)
{
	return is(word, "region") || is(word, "line") || is(word, "function") ||
	       is(word, "phase") || is(word, "thread");
}

bool sim_value(void *arg, const struct threshold_path *path, double *value,
	       struct ml_err *err)
{
	const struct ml_profile_view *v = arg;
	const struct ml_profile *p = v->profile;
	const char *word = path->part[0].word;
	int level = level_of(&p->machine, word);

	if (is_table(word)) {
		const struct ml_profile_count *c = find_row(&v->rows, &path->part[0]);

		if (!path->part[0].has_arg)
			return ml_fail(err, ML_USAGE, "%s needs a name: %s(\"NAME\")",
				       word, word);
		if (!c)
			return ml_fail(err, ML_USAGE, "there is no %s '%s' in %s", word,
				       path->part[0].arg, v->trace->path);
		return row_value(p, c, path->part + 1, path->count - 1, value, err);
	}
	for (unsigned k = 0; k < p->machine.tlbs; k++)
		if (path->count == 2 && is(word, p->machine.tlb[k].name))
			return counter(p, &p->tlb[k], path->part[1].word, value, err);
	if (path->count == 2 && level >= 0)
		return level_value(p, level, path->part[1].word, value, err);
	if (path->count == 1 && is(word, "cycles")) {
		*value = p->cycles;
		return true;
	}
	if (path->count == 1 && level < 0 &&
	    (is(word, "refs") || is(word, "reads") || is(word, "writes")))
		return row_value(p, &v->rows.total, path->part, 1, value, err);
	return ml_fail(
		err, ML_USAGE,
		"'%s' is neither a level of the machine nor one of region(\"A\"), "
		"line(\"a.c:12\"), function(\"f\"), phase(\"p\"), thread(1), cycles, "
		"refs, reads, writes%s",
		word, level >= 0 ? " (a level needs a field: L1.misses)" : "");
}
