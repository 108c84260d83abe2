/* Milestones of a trace: its marks, its phases, visits to a line of its source. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/base/map.h"
#include "lib/base/pool.h"
#include "lib/trace/trace.h"

static void add(struct ml_milestones *m, uint64_t at)
{
	m->at = ml_grow(m->at, &m->cap, m->count + 1, sizeof(*m->at));
	m->at[m->count++] = at;
}

/* ---- marks and phases ---- */

static void add_mark(struct ml_ensemble *e, struct ml_ensemble_trace *t, size_t before,
		     const char *name, uint64_t at)
{
	struct ml_milestones *m = ml_ensemble_new_milestones(e, t, name);

	/* milestones that existed before are complete */
	for (size_t i = before; !m && i < t->milestone_count; i++)
		if (!strcmp(t->milestones[i].name, name))
			m = &t->milestones[i];
	if (m)
		add(m, at);
}

static bool find_marks(struct ml_ensemble *e, struct ml_ensemble_trace *t,
		       const struct ml_trace *trace, bool phases, struct ml_err *err)
{
	const struct ml_tables *x = &trace->tables;
	size_t before = t->milestone_count;
	bool any = false;

	for (size_t i = 0; i < x->marks.count; i++) {
		const struct ml_mark *m = &x->marks.at[i];
		const char *name = ml_tables_text(x, m->name);

		if ((m->kind != ML_MARK_POINT) != phases || m->time < t->from ||
		    m->time > t->to)
			continue;
		any = true;
		name = ml_arena_printf(&e->arena, "%s %s%s", phases ? "phase" : "mark",
				       name, m->kind == ML_MARK_END ? " end" : "");
		add_mark(e, t, before, name, m->time - t->from);
	}
	return any || ml_fail(err, ML_USAGE, "%s has no %s", t->label,
			      phases ? "phases" : "marks");
}

/* ---- lines ---- */

enum {
	ELSEWHERE,
	BESIDE,
	THERE
}; /* ELSEWHERE: not in a function of the line; BESIDE: in such a function; THERE: on the
      line */

struct visits {
	const struct ml_trace *trace;
	const char *file;
	size_t file_size;
	uint32_t line;
	uint8_t *site;       /* by site: one of these */
	uint32_t *func;      /* by site that is not ELSEWHERE: the function */
	struct ml_map there; /* by thread and function: whether the last reference was on
				the line */
	uint64_t from;
	struct ml_milestones *found;
};

/* A name stands for all paths that end with it: "a.c" for "src/a.c". */
static bool is_file(const struct visits *v, const char *path)
{
	size_t size = strlen(path);

	return size >= v->file_size &&
	       !memcmp(path + size - v->file_size, v->file, v->file_size) &&
	       (size == v->file_size || path[size - v->file_size - 1] == '/');
}

/*
 * Finds the function that contains the line, in the frames of a site. False: no frame
 * does.
 */
static bool line_in(const struct visits *v, uint32_t site, uint32_t *func)
{
	const struct ml_tables *x = &v->trace->tables;
	const struct ml_site *s = &x->sites.at[site];

	for (uint32_t i = 0; i < s->frames; i++) {
		const struct ml_frame *f = &x->frames.at[s->frame + i];

		if (f->line == v->line && is_file(v, ml_tables_text(x, f->file))) {
			*func = f->func;
			return true;
		}
	}
	return false;
}

static bool find_sites(struct visits *v, struct ml_arena *a)
{
	const struct ml_tables *x = &v->trace->tables;
	struct ml_map funcs = { 0 };
	bool any = false;

	v->site = ml_arena_alloc(a, x->sites.count);
	v->func = ml_arena_alloc(a, x->sites.count * sizeof(*v->func));
	for (uint32_t i = 0; i < x->sites.count; i++)
		if (line_in(v, i, &v->func[i])) {
			v->site[i] = THERE;
			ml_map_add(&funcs, v->func[i], NULL);
			any = true;
		}
	for (uint32_t i = 0; i < x->sites.count; i++) {
		const struct ml_site *s = &x->sites.at[i];

		for (uint32_t k = 0; k < s->frames && v->site[i] == ELSEWHERE; k++) {
			uint32_t func = x->frames.at[s->frame + k].func;

			if (ml_map_find(&funcs, func)) {
				v->site[i] = BESIDE;
				v->func[i] = func;
			}
		}
	}
	ml_map_release(&funcs);
	return any;
}

static bool visit(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct visits *v = arg;

	(void)err;
	for (size_t i = 0; i < b->count; i++) {
		/* references of a library count for the line that calls it */
		uint32_t site = b->caller[i] ? b->caller[i] : b->site[i];

		if (v->site[site] == ELSEWHERE)
			continue;
		bool there = v->site[site] == THERE;
		uint64_t *was = ml_map_add(
			&v->there, (uint64_t)b->thread[i] << 32 | v->func[site], NULL);
		if (there && !*was)
			add(v->found, b->time + i - v->from);
		*was = there;
	}
	return true;
}

static bool find_visits(struct ml_ensemble *e, struct ml_ensemble_trace *t,
			const struct ml_trace *trace, const char *what,
			struct ml_err *err)
{
	const char *colon = strrchr(what, ':');
	struct visits v = { .trace = trace, .file = what, .from = t->from };
	struct ml_milestones found = { 0 };
	struct ml_arena a = { 0 };
	char *end;

	v.file_size = (size_t)(colon - what);
	unsigned long line = strtoul(colon + 1, &end, 10);
	if (colon == what || end == colon + 1 || *end || !line || line > UINT32_MAX)
		return ml_fail(err, ML_USAGE,
			       "'%.200s' is no line of a source: write file.c:12", what);
	v.line = (uint32_t)line;
	v.found = &found;
	bool ok = find_sites(&v, &a) ||
		  ml_fail(err, ML_USAGE, "%s does not reach %s", t->label, what);
	ok = ok && ml_trace_each(trace, t->from, t->to, ml_cpus() > 1, visit, &v, err);
	if (ok && !found.count)
		ok = ml_fail(err, ML_USAGE, "%s does not reach %s in its window",
			     t->label, what);
	struct ml_milestones *m = ok ? ml_ensemble_new_milestones(e, t, what) : NULL;
	if (m) {
		found.name = m->name;
		*m = found;
	} else {
		ml_free(found.at);
	}
	ml_map_release(&v.there);
	ml_arena_release(&a);
	return ok;
}

bool ml_ensemble_milestones(struct ml_ensemble *e, uint32_t trace,
			    const struct ml_trace *t, const char *what,
			    struct ml_err *err)
{
	struct ml_ensemble_trace *x = &e->traces[trace];

	if (!strcmp(what, "marks") || !strcmp(what, "phases"))
		return find_marks(e, x, t, *what == 'p', err);
	if (strchr(what, ':'))
		return find_visits(e, x, t, what, err);
	return ml_fail(err, ML_USAGE,
		       "'%.200s' names no milestones: there are marks, phases and lines "
		       "like file.c:12",
		       what);
}
