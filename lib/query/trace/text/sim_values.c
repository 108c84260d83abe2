#include "lib/query/trace/text/sim_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/query/trace/text/threshold.h"
#include "lib/query/trace/tables/profile_tables.h"
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
		      const struct ml_threshold_part *part, size_t count, double *value,
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
			*value = ml_profile_ratio(c->missed[level - 1],
						  level > 1 ? c->missed[level - 2]
							    : c->refs);
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
	if (count == 1 && (is(word, "references") || is(word, "refs")))
		*value = (double)c->refs;
	else if (count == 1 && is(word, "memory"))
		*value = (double)c->served[p->machine.levels + 1];
	else if (count == 1 && is(word, "total_cycles"))
		*value = c->cycles;
	else if (count == 1 && is(word, "reads"))
		*value = (double)c->kind[0];
	else if (count == 1 && is(word, "writes"))
		*value = (double)c->kind[1];
	else if (count == 1 && is(word, "cycles"))
		*value = c->refs ? c->cycles / (double)c->refs : 0;
	else if (!count)
		return ml_fail(err, ML_USAGE,
			       "a row needs a figure, such as .references or .%s.misses",
			       p->machine.level[0].name);
	else
		return ml_fail(
			err, ML_USAGE,
			"'%s' is neither a level nor one of references, reads, writes, memory, "
			"cycles, total_cycles",
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

/* The rows that a name stands for, and how to tell them apart. */
struct match {
	const char *arg;
	size_t name; /* bytes of arg before the @, or all */
	const struct ml_profile_count *row;
	size_t count;
	char choices[ML_THRESHOLD_TEXT]; /* "A@a.c:3, A@b.c:7" */
};

/* Takes a row if its name is the wanted one and its place, if one is wanted. */
static void match_row(struct match *m, const char *name, const char *file, uint32_t line,
		      const struct ml_profile_count *row)
{
	const char *place = m->arg[m->name] ? m->arg + m->name + 1 : "";
	const char *slash = strrchr(file, '/');
	char at[ML_THRESHOLD_TEXT];
	size_t n = strlen(m->choices);

	if (strlen(name) != m->name || strncmp(name, m->arg, m->name) != 0)
		return;
	snprintf(at, sizeof(at), line ? "%s:%u" : "%s", slash ? slash + 1 : file, line);
	if (*place && strcmp(at, place) != 0)
		return;
	m->row = row;
	m->count++;
	snprintf(m->choices + n, sizeof(m->choices) - n, "%s%s@%s", n ? ", " : "", name,
		 at);
}

static void match_regions(struct match *m, const struct ml_profile_view *v)
{
	const struct ml_tables *t = &v->trace->tables;

	for (size_t i = 0; i < v->rows.regions.count; i++) {
		const struct ml_profile_region_row *r = &v->rows.regions.at[i];
		const struct ml_region *x = r->region < t->regions.count
						    ? &t->regions.at[r->region]
						    : &t->regions.at[0];

		match_row(m, r->name, ml_tables_text(t, x->file), x->line, &r->count);
	}
}

static void match_lines(struct match *m, const struct ml_profile_rows *rows)
{
	for (size_t i = 0; i < rows->lines.count; i++) {
		const struct ml_profile_line_row *l = &rows->lines.at[i];
		size_t n = strlen(m->choices);

		if (!names_line(m->arg, l))
			continue;
		m->row = &l->count;
		m->count++;
		snprintf(m->choices + n, sizeof(m->choices) - n, "%s%s:%u", n ? ", " : "",
			 l->at.file, l->at.line);
	}
}

static void match_all(struct match *m, const struct ml_profile_view *v, const char *word)
{
	const struct ml_profile_rows *rows = &v->rows;

	if (is(word, "region"))
		match_regions(m, v);
	if (is(word, "line"))
		match_lines(m, rows);
	for (size_t i = 0; is(word, "function") && i < rows->functions.count; i++)
		match_row(m, rows->functions.at[i].at.func, rows->functions.at[i].at.file,
			  0, &rows->functions.at[i].made);
	for (size_t i = 0; is(word, "phase") && i < rows->phases.count; i++)
		match_row(m, rows->phases.at[i].name, "", 0, &rows->phases.at[i].count);
}

/* Finds the one row that a part names. A name may contain an @ itself. */
static const struct ml_profile_count *find_row(const struct ml_profile_view *v,
					       const struct ml_threshold_part *part,
					       struct ml_err *err)
{
	static const struct ml_profile_count to_come;
	const struct ml_profile_rows *rows = &v->rows;
	const char *at = strrchr(part->arg, '@');
	struct match m = { .arg = part->arg, .name = strlen(part->arg) };

	if (!v->trace)
		return &to_come;
	for (size_t i = 0; is(part->word, "thread") && i < rows->threads.count; i++)
		if (rows->threads.at[i].id == strtoul(part->arg, NULL, 10))
			return &rows->threads.at[i].count;
	match_all(&m, v, part->word);
	if (!m.count && at) {
		m.name = (size_t)(at - part->arg);
		match_all(&m, v, part->word);
	}
	if (m.count == 1)
		return m.row;
	if (m.count)
		ml_fail(err, ML_USAGE, "'%s' names %zu %ss; choose one of: %s", part->arg,
			m.count, part->word, m.choices);
	else
		ml_fail(err, ML_USAGE, "there is no %s '%s' in %s", part->word, part->arg,
			v->trace->path);
	return NULL;
}

static bool is_table(const char *word)
{
	return is(word, "region") || is(word, "line") || is(word, "function") ||
	       is(word, "phase") || is(word, "thread");
}

bool ml_sim_value(void *arg, const struct ml_threshold_path *path, double *value,
		  struct ml_err *err)
{
	const struct ml_profile_view *v = arg;
	const struct ml_profile *p = v->profile;
	const char *word = path->part[0].word;
	int level = level_of(&p->machine, word);

	if (is_table(word)) {
		if (!path->part[0].has_arg)
			return ml_fail(err, ML_USAGE, "%s needs a name: %s(\"NAME\")",
				       word, word);
		const struct ml_profile_count *c = find_row(v, &path->part[0], err);
		return c && row_value(p, c, path->part + 1, path->count - 1, value, err);
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
	if (path->count == 1 && is(word, "total_cycles")) {
		*value = p->cycles * (double)v->rows.total.refs;
		return true;
	}
	if (path->count == 1 &&
	    (is(word, "memory") || is(word, "references") || is(word, "refs") ||
	     is(word, "reads") || is(word, "writes")))
		return row_value(p, &v->rows.total, path->part, 1, value, err);
	return ml_fail(
		err, ML_USAGE,
		"'%s' is neither a level of the machine nor one of region(\"A\"), "
		"line(\"a.c:12\"), function(\"f\"), phase(\"p\"), thread(1), cycles, "
		"total_cycles, references, reads, writes, memory%s",
		word, level >= 0 ? " (a level needs a field: L1.misses)" : "");
}

/* Looks a name up before the simulation. Any value will do, but 0 could be a divisor. */
static bool foreseen_value(void *arg, const struct ml_threshold_path *path, double *value,
			   struct ml_err *err)
{
	bool ok = ml_sim_value(arg, path, value, err);

	*value = 1;
	return ok;
}

bool ml_sim_values_check(const char *const *texts, size_t count,
			 const struct ml_machine *m, unsigned want, struct ml_err *err)
{
	struct ml_profile p = { .machine = *m, .want = want };
	struct ml_profile_view v = { .profile = &p };

	return ml_thresholds_check(texts, count, foreseen_value, &v, err);
}
