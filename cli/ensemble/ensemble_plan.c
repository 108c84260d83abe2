#include "cli/ensemble/ensemble_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/ensemble/ensemble_build.h"
#include "lib/query/workspace/say.h"
#include "lib/base/path.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "cli/work.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/trace/trace.h"

/* Drops members of an older recording of this trace. */
static void drop_superseded(struct ml_ensemble *e, const struct ml_trace *t)
{
	for (uint32_t i = 0; i < e->trace_count; i++)
		if (!strcmp(e->traces[i].path, t->path) &&
		    memcmp(e->traces[i].id, t->id, sizeof(t->id)) != 0) {
			fprintf(stderr,
				"memlamp ensemble: %s was recorded anew: the members "
				"of the "
				"older recording are left out\n",
				t->path);
			ml_ensemble_drop_trace(e, i--);
		}
}

static bool add_member(struct ensemble_plan *p, uint32_t trace,
		       const struct ml_parameter *params, size_t count,
		       const struct ml_variant *machine, struct ml_err *err)
{
	struct ml_machine m;
	struct ml_err inner;
	struct ml_parameter *all = ml_arena_alloc(
		p->arena, (count + machine->param_count) * sizeof(*all) + 1);

	if (!ml_machine_parse(&m, machine->text, &inner))
		return ml_fail(err, inner.kind, "%s: %s", machine->text, inner.text);
	if (count)
		memcpy(all, params, count * sizeof(*all));
	if (machine->param_count)
		memcpy(all + count, machine->params, machine->param_count * sizeof(*all));
	ml_ensemble_add_member(p->e, trace, &m, all, count + machine->param_count);
	return true;
}

static bool add_machines(struct ensemble_plan *p, uint32_t trace,
			 const struct ml_parameter *params, size_t count,
			 struct ml_err *err)
{
	for (size_t t = 0; t < p->templates; t++)
		for (size_t i = 0; i < p->variants[t].count; i++)
			if (!add_member(p, trace, params, count, &p->variants[t].at[i],
					err))
				return false;
	return true;
}

static bool find_window(const struct ensemble_plan *p, const struct ml_trace *t,
			const char *phase, uint64_t *from, uint64_t *to,
			struct ml_err *err)
{
	*from = p->from;
	*to = p->to && p->to < t->count ? p->to : t->count;
	if (phase && (p->from || p->to))
		return ml_fail(err, ML_USAGE,
			       "a phase cannot be combined with --from or --to");
	if (phase && !ml_phases_window(t, phase, from, to, err))
		return false;
	return *from < *to || ml_fail(err, ML_USAGE, "%s has no references%s", t->path,
				      p->from || p->to || phase ? " there" : "");
}

static bool add_open_trace(struct ensemble_plan *p, struct ml_trace *t,
			   const struct ensemble_built *b, struct ml_err *err)
{
	struct ml_parameter name = { "trace", b->label, NAN };
	uint64_t from, to;

	cmd_warn_end(&cmd_ensemble, t);
	if (!find_window(p, t, b->phase ? b->phase : p->phase, &from, &to, err))
		return false;
	drop_superseded(p->e, t);
	uint32_t number = ml_ensemble_add_trace(p->e, t, b->label, from, to, p->bins);
	return b->params ? add_machines(p, number, b->params, b->param_count, err)
			 : add_machines(p, number, &name, 1, err);
}

static bool add_trace(struct ensemble_plan *p, const struct ensemble_built *b,
		      struct ml_err *err)
{
	struct ml_trace t;

	if (!ml_trace_open(&t, b->path, err))
		return false;
	bool ok = add_open_trace(p, &t, b, err);
	ml_trace_close(&t);
	return ok;
}

/* "sorts" of "traces/sorts.mlt". */
static const char *stem(struct ml_arena *a, const char *path)
{
	const char *base = ml_path_name(path), *dot = strrchr(base, '.');

	return ml_arena_copy(a, base,
			     dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* Splits [NAME=]TRACE[@PHASE], unless a file has the whole name. */
static struct ensemble_built operand(struct ensemble_plan *p, const char *text)
{
	struct ensemble_built b = { .path = text };
	const char *equal = strchr(text, '='), *at;

	if (equal && equal > text && access(text, F_OK)) {
		b.label = ml_arena_copy(p->arena, text, (size_t)(equal - text));
		b.path = equal + 1;
	}
	at = strrchr(b.path, '@');
	if (at && access(b.path, F_OK)) {
		b.phase = at + 1;
		b.path = ml_arena_copy(p->arena, b.path, (size_t)(at - b.path));
	}
	if (!b.label)
		b.label = b.phase ? b.phase : stem(p->arena, b.path);
	return b;
}

bool ensemble_merge_file(struct ml_ensemble *e, const char *path, struct ml_err *err)
{
	struct ml_ensemble other;

	if (!ml_ensemble_open(&other, path, err))
		return false;
	bool ok = ml_ensemble_merge(e, &other, err);
	ml_ensemble_release(&other);
	return ok;
}

/*
 * Leaves out the combinations that are no machine (a size that is no multiple of the
 * ways), and says so. Fails if none is left.
 */
static bool keep_machines(struct ml_variants *v, struct ml_err *err)
{
	struct ml_machine m;
	struct ml_err inner;
	size_t kept = 0;

	for (size_t i = 0; i < v->count; i++) {
		if (ml_machine_parse(&m, v->at[i].text, &inner)) {
			v->at[kept++] = v->at[i];
			continue;
		}
		if (!kept && i + 1 == v->count)
			return ml_fail(err, inner.kind, "%s: %s", v->at[i].text,
				       inner.text);
		fprintf(stderr, "memlamp ensemble: left out: %s: %s\n", v->at[i].text,
			inner.text);
	}
	v->count = kept;
	return true;
}

static bool expand_machines(struct ensemble_plan *p, struct ml_err *err)
{
	static const struct opt_list host = { .items = { "host" }, .count = 1 };
	const struct opt_list *given = p->machines->count ? p->machines : &host;

	for (; p->templates < given->count; p->templates++)
		if (!ml_variants_expand(&p->variants[p->templates],
					machine_option_text(given->items[p->templates],
							    &p->without, p->arena),
					ML_VARIANTS_MACHINE, NULL, p->arena, err) ||
		    !keep_machines(&p->variants[p->templates], err))
			return false;
	return true;
}

/* The folder of variants: "sizes.d" for "sizes.mle". */
static const char *variants_folder(struct ensemble_plan *p)
{
	const char *dot = strrchr(p->output, '.'), *slash = strrchr(p->output, '/');
	size_t size = dot && dot > p->output && (!slash || dot > slash + 1)
			      ? (size_t)(dot - p->output)
			      : strlen(p->output);

	return ml_arena_printf(p->arena, "%.*s.d", (int)size, p->output);
}

static bool add_built(struct ensemble_plan *p, struct ml_err *err)
{
	struct ensemble_build b = {
		.build = p->build,
		.run = p->run,
		.variants = p->given,
		.variant_count = p->given_count,
		.folder = variants_folder(p),
		.record = p->record,
		.work = p->work,
	};
	struct ensemble_built *built;
	size_t count;

	if (!ensemble_build(&b, &built, &count, p->arena, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!add_trace(p, &built[i], err))
			return false;
	return true;
}

/* True if a parameter belongs to the trace: all members of the trace have this value. */
static bool of_trace(const struct ml_ensemble *e, uint32_t trace,
		     const struct ml_parameter *param)
{
	for (size_t i = 0; i < e->member_count; i++) {
		const struct ml_member *m = &e->members[i];
		bool same = m->trace != trace;

		for (size_t k = 0; k < m->param_count && !same; k++)
			same = !strcmp(m->params[k].name, param->name) &&
			       !strcmp(m->params[k].value, param->value);
		if (!same)
			return false;
	}
	return true;
}

/* Adds machines to a trace of the ensemble, with the parameters of the trace. */
static bool add_to_trace(struct ensemble_plan *p, uint32_t trace, struct ml_err *err)
{
	struct ml_parameter *params = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < p->e->member_count && !cap; i++) {
		const struct ml_member *m = &p->e->members[i];

		if (m->trace != trace)
			continue;
		cap = m->param_count + 1;
		params = ml_arena_alloc(p->arena, cap * sizeof(*params));
		for (size_t k = 0; k < m->param_count; k++)
			if (of_trace(p->e, trace, &m->params[k]))
				params[count++] = m->params[k];
	}
	return add_machines(p, trace, params, count, err);
}

/* The part of a row of --match for a trace, or the only part; NULL: none. */
static const char *match_part(const char *row, uint32_t trace, struct ml_arena *a)
{
	const char *at = row, *end;

	if (!strchr(row, '='))
		return row;
	for (; trace && at; trace--) {
		at = strchr(at, '=');
		at += at != NULL;
	}
	if (!at)
		return NULL;
	end = strchr(at, '=');
	return ml_arena_copy(a, at, end ? (size_t)(end - at) : strlen(at));
}

/* True if the trace has them; "marks" means all named "mark ...", "phases" likewise. */
static bool has_milestones(const struct ml_ensemble_trace *t, const char *what)
{
	const char *group = !strcmp(what, "marks")    ? "mark "
			    : !strcmp(what, "phases") ? "phase "
						      : NULL;

	for (size_t i = 0; i < t->milestone_count; i++) {
		const char *name = t->milestones[i].name;

		if (group ? !strncmp(name, group, strlen(group)) : !strcmp(name, what))
			return true;
	}
	return false;
}

/* Adds the milestones of --match to traces that lack them. */
static bool add_milestones(struct ensemble_plan *p, struct ml_err *err)
{
	for (uint32_t t = 0; t < p->e->trace_count; t++)
		for (size_t i = 0; i < p->match->count; i++) {
			struct ml_ensemble_trace *et = &p->e->traces[t];
			const char *row = p->match->items[i];
			const char *what = match_part(row, t, p->arena);
			struct ml_trace trace;

			if (!what)
				return ml_fail(
					err, ML_USAGE,
					"--match %s names no milestone for trace %u, %s",
					row, t + 1, et->label);
			if (has_milestones(et, what))
				continue;
			if (!ml_trace_open(&trace, et->path, err))
				return false;
			bool ok = ml_ensemble_milestones(p->e, t, &trace, what, err);
			ml_trace_close(&trace);
			if (!ok)
				return false;
		}
	return true;
}

bool ensemble_computes(const struct ensemble_plan *p, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!ml_ensemble_is(argv[i]))
			return true;
	return p->build || p->run || p->machines->count;
}

/* Refuses to overwrite a file that is no ensemble, such as a trace. */
static bool may_write(const char *path, struct ml_err *err)
{
	struct stat st;

	return stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size ||
	       ml_ensemble_is(path) ||
	       ml_fail(err, ML_USAGE, "%s exists and is no ensemble", path);
}

bool ensemble_plan(struct ensemble_plan *p, int argc, char **argv, struct ml_err *err)
{
	bool traces = false;

	if (p->output && !may_write(p->output, err))
		return false;
	if (p->output && !p->fresh && ml_ensemble_is(p->output) &&
	    !ensemble_merge_file(p->e, p->output, err))
		return false;
	for (int i = 0; i < argc; i++)
		if (ml_ensemble_is(argv[i]) &&
		    (!p->output || strcmp(argv[i], p->output) != 0) &&
		    !ensemble_merge_file(p->e, argv[i], err))
			return false;
	if (!ensemble_computes(p, argc, argv))
		return add_milestones(p, err);
	if (!expand_machines(p, err))
		return false;
	for (int i = 0; i < argc; i++) {
		struct ensemble_built b = operand(p, argv[i]);

		if (ml_ensemble_is(argv[i]))
			continue;
		traces = true;
		if (!add_trace(p, &b, err))
			return false;
	}
	if ((p->build || p->run) && !add_built(p, err))
		return false;
	if (!traces && !p->build && !p->run)
		for (uint32_t t = 0; t < p->e->trace_count; t++)
			if (!add_to_trace(p, t, err))
				return false;
	ml_ensemble_label(p->e);
	return add_milestones(p, err);
}
