#include "lib/query/trace/tables/profile_tables.h"

#include <string.h>

#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/reuse.h"
#include "lib/analyse/passes/temperature.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/cache/machine/policy.h"
#include "lib/query/trace/tables/level_table.h"
#include "lib/query/trace/tables/source_lines.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

static void level_row(struct ml_level_table *s, const struct ml_level_spec *l,
		      const struct ml_level_counts *c, uint64_t served, uint64_t in,
		      uint64_t out)
{
	uint64_t asked = ml_profile_asked(c), missed = ml_profile_missed(c);

	ml_level_table_text(s, l->name);
	ml_level_table_count(s, l->size);
	ml_level_table_count(s, l->line);
	ml_level_table_count(s, l->ways);
	ml_level_table_count(s, l->sets);
	ml_level_table_text(s, l->policy->name);
	ml_level_table_count(s, served);
	ml_level_table_count(s, asked);
	ml_level_table_count(s, asked - missed);
	ml_level_table_count(s, missed);
	ml_table_real(&s->table, ml_profile_ratio(missed, asked));
	for (size_t k = 0; k < 3; k++) {
		ml_level_table_count(s, c->asked[k]);
		ml_level_table_count(s, c->missed[k]);
	}
	for (unsigned k = ML_CAUSE_COLD; k < ML_CAUSES; k++)
		if (s->p->want & ML_SIM_CAUSES)
			ml_level_table_count(s, c->cause[k]);
		else
			ml_table_no_value(&s->table);
	ml_level_table_count(s, c->fills);
	ml_level_table_count(s, c->evictions);
	ml_level_table_count(s, c->invalidations);
	ml_level_table_count(s, c->write_backs);
	ml_level_table_count(s, c->through);
	ml_level_table_count(s, c->upgrades);
	ml_level_table_count(s, c->prefetched);
	ml_level_table_count(s, c->useful);
	ml_level_table_count(s, c->useless);
	ml_level_table_count(s, in);
	ml_level_table_count(s, out);
	ml_level_table_count(s, l->cycles);
}

static void level_columns(struct ml_level_table *s)
{
	ML_LEVEL_TABLE_TEXTS(s, "level");
	ML_LEVEL_TABLE_COUNTS(s, "size", "line", "ways", "sets");
	ML_LEVEL_TABLE_TEXTS(s, "policy");
	ML_LEVEL_TABLE_COUNTS(s, "served", "asked", "hits", "misses");
	ML_LEVEL_TABLE_REALS(s, "miss_ratio");
	ML_LEVEL_TABLE_COUNTS(s, "reads_asked", "read_misses", "writes_asked",
			      "write_misses", "fetches_asked", "fetch_misses");
	for (unsigned k = ML_CAUSE_COLD; k < ML_CAUSES; k++)
		ml_level_table_column(s, ml_cause_names[k], ML_COLUMN_COUNT);
	ML_LEVEL_TABLE_COUNTS(s, "fills", "evictions", "invalidations", "write_backs",
			      "writes_through", "upgrades", "prefetched",
			      "prefetched_useful", "prefetched_useless", "bytes_in",
			      "bytes_out", "cycles");
}

static void fill_levels(struct ml_level_table *s, const struct ml_profile_view *v)
{
	(void)v;
	level_columns(s);
	for (unsigned k = s->m->split ? 0 : 1; k <= s->m->levels; k++) {
		const struct ml_profile_level *l = &s->p->level[k];

		level_row(s, k ? &s->m->level[k - 1] : &s->m->icache, &l->counts,
			  k ? s->p->served[k] : 0, l->bytes_in, l->bytes_out);
	}
}

static void fill_tlbs(struct ml_level_table *s, const struct ml_profile_view *v)
{
	(void)v;
	level_columns(s);
	for (unsigned k = 0; k < s->m->tlbs; k++)
		level_row(s, &s->m->tlb[k], &s->p->tlb[k], 0, 0, 0);
}

static void fill_regions(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_profile_rows *rows = &v->rows;

	ML_LEVEL_TABLE_TEXTS(s, "region", "kind");
	ml_level_table_count_columns(s, true);
	ML_LEVEL_TABLE_COUNTS(s, "by_own_code");
	for (unsigned k = 1; k <= s->m->levels && s->p->want & ML_SIM_USE; k++) {
		const char *name = ml_machine_level_name(s->m, k);

		ml_level_table_column(s, ml_level_table_key(s, name, "bytes_fetched"),
				      ML_COLUMN_COUNT);
		ml_level_table_column(s, ml_level_table_key(s, name, "bytes_used"),
				      ML_COLUMN_COUNT);
		ml_level_table_column(s, ml_level_table_key(s, name, "bytes_read"),
				      ML_COLUMN_COUNT);
		ml_level_table_column(s, ml_level_table_key(s, name, "bytes_written"),
				      ML_COLUMN_COUNT);
		ml_level_table_column(s, ml_level_table_key(s, name, "lines_never_read"),
				      ML_COLUMN_COUNT);
	}
	for (size_t i = 0; i < rows->regions.count && i < s->top; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];

		ml_level_table_text(s, r->name);
		ml_level_table_text(s, ml_region_kind_name(r->kind));
		ml_level_table_count_cells(s, &r->count, true);
		ml_level_table_count(s, r->own);
		for (unsigned k = 0; k < s->m->levels && s->p->want & ML_SIM_USE; k++) {
			static const struct ml_profile_use none;
			const struct ml_profile_use *u = r->use[k] ? r->use[k] : &none;

			ml_level_table_count(s, u->bytes);
			ml_level_table_count(s, u->used);
			ml_level_table_count(s, u->read);
			ml_level_table_count(s, u->written);
			ml_level_table_count(s, u->never_read);
		}
	}
}

static void fill_lines(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_profile_rows *rows = &v->rows;
	struct ml_source_lines sources = { .trace = v->trace };

	ML_LEVEL_TABLE_TEXTS(s, "file");
	ML_LEVEL_TABLE_COUNTS(s, "line");
	ML_LEVEL_TABLE_TEXTS(s, "function", "object");
	ML_LEVEL_TABLE_COUNTS(s, "own");
	ml_level_table_count_columns(s, true);
	ML_LEVEL_TABLE_COUNTS(s, "in_libraries");
	ML_LEVEL_TABLE_TEXTS(s, "through");
	for (int k = 1; k <= ML_CODE_PARTS; k++) {
		ml_level_table_column(s, ml_arena_printf(&s->arena, "region%d", k),
				      ML_COLUMN_TEXT);
		ml_level_table_column(
			s, ml_arena_printf(&s->arena, "region%d_references", k),
			ML_COLUMN_COUNT);
	}
	ML_LEVEL_TABLE_COUNTS(s, "regions");
	ML_LEVEL_TABLE_TEXTS(s, "stride");
	ML_LEVEL_TABLE_REALS(s, "stride_share");
	ML_LEVEL_TABLE_TEXTS(s, "source");
	for (size_t i = 0; i < rows->lines.count && i < s->top; i++) {
		const struct ml_profile_line_row *l = &rows->lines.at[i];

		ml_level_table_text(s, l->at.file);
		ml_level_table_some(s, l->at.line);
		ml_level_table_text(s, l->at.func);
		ml_level_table_text(s, l->at.object);
		ml_level_table_count(s, l->at.own);
		ml_level_table_count_cells(s, &l->count, true);
		ml_level_table_count(s, l->at.library);
		ml_level_table_text(s, l->at.through);
		for (size_t k = 0; k < ML_CODE_PARTS; k++) {
			ml_level_table_text(s, l->at.part[k].name);
			ml_level_table_some(s, l->at.part[k].refs);
		}
		ml_level_table_count(s, l->at.parts);
		if (l->main && l->main->strides) {
			ml_level_table_sign(s, l->main->stride[0].bytes);
			ml_table_real(&s->table,
				      ml_profile_ratio(l->main->stride[0].count,
						       l->main->steps));
		} else {
			ml_table_no_value(&s->table);
			ml_table_no_value(&s->table);
		}
		ml_level_table_text(s, l->at.line ? ml_source_lines_find(&sources,
									 l->at.file,
									 l->at.line)
						  : NULL);
	}
	ml_source_lines_release(&sources);
}

static void fill_functions(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_profile_rows *rows = &v->rows;

	ML_LEVEL_TABLE_TEXTS(s, "function", "file", "object");
	ML_LEVEL_TABLE_COUNTS(s, "own");
	ml_level_table_count_columns(s, true);
	ML_LEVEL_TABLE_COUNTS(s, "with_libraries");
	ML_LEVEL_TABLE_REALS(s, "with_libraries_lost_cycles");
	for (size_t i = 0; i < rows->functions.count && i < s->top; i++) {
		const struct ml_profile_function_row *f = &rows->functions.at[i];

		ml_level_table_text(s, f->at.func);
		ml_level_table_text(s, f->at.file);
		ml_level_table_text(s, f->at.object);
		ml_level_table_count(s, f->at.user);
		ml_level_table_count_cells(s, &f->made, true);
		ml_level_table_count(s, f->with.refs);
		ml_table_real(&s->table, f->with.lost);
	}
}

static void fill_threads(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_profile_rows *rows = &v->rows;

	ML_LEVEL_TABLE_COUNTS(s, "thread", "parent", "core");
	ML_LEVEL_TABLE_TEXTS(s, "name");
	ml_level_table_count_columns(s, false);
	for (size_t i = 0; i < rows->threads.count && i < s->top; i++) {
		const struct ml_profile_thread_row *r = &rows->threads.at[i];

		ml_level_table_count(s, r->id);
		ml_level_table_some(s, r->parent);
		ml_level_table_count(s, r->core);
		ml_level_table_text(s, r->name);
		ml_level_table_count_cells(s, &r->count, false);
	}
}

static void fill_phases(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_profile_rows *rows = &v->rows;

	ML_LEVEL_TABLE_TEXTS(s, "phase");
	ML_LEVEL_TABLE_COUNTS(s, "depth", "times", "open");
	ml_level_table_count_columns(s, false);
	for (size_t i = 0; i < rows->phases.count && i < s->top; i++) {
		const struct ml_profile_phase_row *r = &rows->phases.at[i];

		ml_level_table_text(s, r->name);
		ml_level_table_count(s, r->depth);
		ml_level_table_count(s, r->times);
		ml_level_table_count(s, r->open);
		ml_level_table_count_cells(s, &r->count, false);
	}
}

static void fill_sets(struct ml_level_table *s, const struct ml_profile_view *v)
{
	(void)v;
	ML_LEVEL_TABLE_TEXTS(s, "level");
	ML_LEVEL_TABLE_COUNTS(s, "set", "lines", "misses", "conflict");
	for (unsigned k = s->m->split ? 0 : 1; k <= s->m->levels; k++) {
		const struct ml_profile_level *l = &s->p->level[k];

		for (uint32_t i = 0; l->set && i < l->sets && i < s->top; i++) {
			if (!l->set[i].lines && !l->set[i].missed)
				continue; /* never used */
			ml_level_table_text(s, ml_profile_level_name(s->p, k));
			ml_level_table_count(s, i);
			ml_level_table_count(s, l->set[i].lines);
			ml_level_table_count(s, l->set[i].missed);
			ml_level_table_count(s, l->set[i].conflict);
		}
	}
}

static void fill_pairs(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_tables *t = &v->trace->tables;

	ML_LEVEL_TABLE_TEXTS(s, "level", "region", "driven_out_by");
	ML_LEVEL_TABLE_COUNTS(s, "conflict", "capacity");
	for (size_t i = 0; i < s->p->pair_count && i < s->top; i++) {
		const struct ml_profile_pair *r = &s->p->pairs[i];

		ml_level_table_text(s, ml_profile_level_name(s->p, r->level));
		ml_level_table_text(s, ml_profile_region_name(s->p, t, r->loser));
		ml_level_table_text(s, ml_profile_region_name(s->p, t, r->winner));
		ml_level_table_count(s, r->conflict);
		ml_level_table_count(s, r->capacity);
	}
}

static void place(struct ml_level_table *s, const struct ml_tables *t, uint32_t site)
{
	struct ml_frame f = ml_tables_frame(t, site);

	ml_level_table_text(s, ml_tables_text(t, f.file));
	ml_level_table_some(s, f.line);
	ml_level_table_text(s, ml_tables_text(t, f.func));
}

static void fill_strides(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_tables *t = &v->trace->tables;

	ML_LEVEL_TABLE_TEXTS(s, "file");
	ML_LEVEL_TABLE_COUNTS(s, "line");
	ML_LEVEL_TABLE_TEXTS(s, "function", "region");
	ml_level_table_column(s, "ip", ML_COLUMN_ADDRESS);
	ML_LEVEL_TABLE_COUNTS(s, "references", "steps");
	for (int k = 1; k <= ML_STRIDES; k++) {
		ml_level_table_column(s, ml_arena_printf(&s->arena, "stride%d", k),
				      ML_COLUMN_TEXT);
		ml_level_table_column(s, ml_arena_printf(&s->arena, "stride%d_share", k),
				      ML_COLUMN_REAL);
	}
	for (size_t i = 0, rows = 0; i < s->p->cell_count && rows < s->top; i++) {
		const struct ml_profile_cell *c = &s->p->cells[i];

		if (!c->strides)
			continue;
		rows++;
		place(s, t, c->site);
		ml_level_table_text(s, ml_profile_region_name(s->p, t, c->region));
		ml_level_table_some(s, t->sites.at[c->site].ip);
		ml_level_table_count(s, c->kind[0] + c->kind[1] + c->kind[2]);
		ml_level_table_count(s, c->steps);
		for (uint32_t k = 0; k < ML_STRIDES; k++) {
			if (k < c->strides) {
				ml_level_table_sign(s, c->stride[k].bytes);
				ml_table_real(
					&s->table,
					ml_profile_ratio(c->stride[k].count, c->steps));
			} else {
				ml_table_no_value(&s->table);
				ml_table_no_value(&s->table);
			}
		}
	}
}

static void fill_bounces(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_tables *t = &v->trace->tables;

	ml_level_table_column(s, "address", ML_COLUMN_ADDRESS);
	ML_LEVEL_TABLE_TEXTS(s, "region");
	ML_LEVEL_TABLE_COUNTS(s, "from_core", "to_core", "bounces", "sharing",
			      "false_sharing");
	ML_LEVEL_TABLE_TEXTS(s, "from_file");
	ML_LEVEL_TABLE_COUNTS(s, "from_line");
	ML_LEVEL_TABLE_TEXTS(s, "from_function", "to_file");
	ML_LEVEL_TABLE_COUNTS(s, "to_line");
	ML_LEVEL_TABLE_TEXTS(s, "to_function");
	for (size_t i = 0; i < s->p->bounce_count && i < s->top; i++) {
		const struct ml_profile_bounce *b = &s->p->bounces[i];

		ml_level_table_count(s, b->line);
		ml_level_table_text(s, ml_profile_region_name(s->p, t, b->region));
		ml_level_table_count(s, b->from);
		ml_level_table_count(s, b->to);
		ml_level_table_count(s, b->count);
		ml_level_table_count(s, b->sharing);
		ml_level_table_count(s, b->false_sharing);
		place(s, t, b->site_from);
		place(s, t, b->site_to);
	}
}

static void fill_series(struct ml_level_table *s, const struct ml_profile_view *v)
{
	(void)v;
	ML_LEVEL_TABLE_COUNTS(s, "from");
	for (unsigned k = 1; k <= s->m->levels + 1; k++)
		ml_level_table_column(s,
				      ml_level_table_key(s, "served_by",
							 ml_machine_level_name(s->m, k)),
				      ML_COLUMN_COUNT);
	for (size_t i = 0; i < s->p->bin_count && i < s->top; i++) {
		ml_level_table_count(s, i * s->p->bin);
		for (unsigned k = 1; k <= s->m->levels + 1; k++)
			ml_level_table_count(s, s->p->bins[i].served[k]);
	}
}

static void fill_temperature(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_temperature *t = v->temperature;

	ML_LEVEL_TABLE_COUNTS(s, "references");
	for (unsigned k = 1; k <= s->m->levels; k++)
		ml_level_table_column(s, ml_machine_level_name(s->m, k), ML_COLUMN_REAL);
	for (size_t i = 0; t && i < t->count && i < s->top; i++) {
		ml_level_table_count(s, (i + 1) * t->step);
		for (unsigned k = 0; k < t->levels; k++)
			ml_table_real(&s->table, t->series[i * t->levels + k]);
	}
}

static void fill_reuse(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_reuse *r = v->reuse;

	ML_LEVEL_TABLE_COUNTS(s, "size");
	ML_LEVEL_TABLE_REALS(s, "miss_ratio", "error");
	for (size_t i = 0; r && i < r->points && i < s->top; i++) {
		ml_level_table_count(s, r->curve[i].lines * r->line);
		ml_table_real(&s->table, r->curve[i].ratio);
		ml_table_real(&s->table, r->curve[i].error);
	}
}

/* Misses with a cache of each size, for each instruction and region. */
static void fill_reuse_sites(struct ml_level_table *s, const struct ml_profile_view *v)
{
	const struct ml_tables *t = &v->trace->tables;
	const struct ml_reuse *r = v->reuse;
	size_t points = r && !r->sampled ? r->points : 0;

	ML_LEVEL_TABLE_TEXTS(s, "file");
	ML_LEVEL_TABLE_COUNTS(s, "line");
	ML_LEVEL_TABLE_TEXTS(s, "function", "region");
	ML_LEVEL_TABLE_COUNTS(s, "cold");
	for (size_t k = 0; k < points; k++)
		ml_level_table_column(s,
				      ml_arena_printf(&s->arena, "misses_%llu",
						      (unsigned long long)(r->line << k)),
				      ML_COLUMN_COUNT);
	for (size_t i = 0; points && i < r->cell_count && i < s->top; i++) {
		const struct ml_reuse_cell *c = r->cells[i];

		place(s, t, c->who.caller ? c->who.caller : c->who.site);
		ml_level_table_text(s, ml_profile_region_name(s->p, t, c->who.region));
		ml_level_table_count(s, c->cold);
		for (unsigned k = 0; k < points; k++)
			ml_level_table_count(s, ml_reuse_misses(c, k));
	}
}

static const struct section {
	const char *name;
	void (*fill)(struct ml_level_table *s, const struct ml_profile_view *v);
} sections[] = {
	{ "levels", fill_levels },
	{ "tlbs", fill_tlbs },
	{ "regions", fill_regions },
	{ "lines", fill_lines },
	{ "functions", fill_functions },
	{ "phases", fill_phases },
	{ "threads", fill_threads },
	{ "sets", fill_sets },
	{ "pairs", fill_pairs },
	{ "strides", fill_strides },
	{ "bounces", fill_bounces },
	{ "series", fill_series },
	{ "temperature", fill_temperature },
	{ "reuse", fill_reuse },
	{ "reuse_sites", fill_reuse_sites },
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

static const struct section *find_section(const char *name)
{
	for (size_t i = 0; i < SECTIONS; i++)
		if (!strcmp(sections[i].name, name))
			return &sections[i];
	return NULL;
}

bool ml_profile_has_table(const char *name, struct ml_err *err)
{
	struct ml_buf names = { 0 };

	if (find_section(name))
		return true;
	for (size_t i = 0; i < SECTIONS; i++)
		ml_buf_printf(&names, "%s%s", i ? ", " : "", sections[i].name);
	ml_fail(err, ML_USAGE, "there is no table '%s'; tables are %.*s", name,
		(int)names.size, (const char *)names.data);
	ml_buf_release(&names);
	return false;
}

void ml_profile_csv(struct ml_profile_view *v, const char *name, uint64_t top,
		    struct ml_buf *out)
{
	const struct section *section = find_section(name);
	struct ml_level_table s;

	if (!section)
		return;
	ml_level_table_start(&s, v->profile, top);
	section->fill(&s, v);
	ml_table_csv(&s.table, out);
	ml_level_table_end(&s);
}

static void number(struct ml_json *w, const char *name, uint64_t v)
{
	ml_json_key(w, name);
	ml_json_u64(w, v);
}

static void head(struct ml_json *w, const struct ml_profile_view *v)
{
	const struct ml_profile *p = v->profile;
	const struct ml_trace *t = v->trace;
	struct ml_buf machine = { 0 };

	ml_json_key(w, "file");
	ml_json_string(w, t->path);
	ml_json_key(w, "whole");
	ml_json_bool(w, t->whole);
	ml_json_key(w, "damage");
	ml_json_string(w, v->damage ? v->damage : t->damage);
	ml_json_key(w, "stopped");
	ml_json_bool(w, v->stopped);
	ml_json_key(w, "machine");
	ml_machine_print(&p->machine, &machine);
	ml_json_bytes(w, (const char *)machine.data, machine.size);
	ml_buf_release(&machine);
	ml_json_key(w, "machine_name");
	ml_json_string(w, *p->machine.name ? p->machine.name : NULL);
	number(w, "from", p->from);
	number(w, "to", p->to);
	number(w, "interleave", p->interleave);
	number(w, "gaps", p->gaps);
	number(w, "missing", p->missing);
	number(w, "references", p->refs);
	number(w, "reads", p->kind[0]);
	number(w, "writes", p->kind[1]);
	number(w, "fetches", p->kind[2]);
	ml_json_key(w, "cycles_per_reference");
	ml_json_real(w, p->cycles);
	number(w, "served_by_memory", p->served[p->machine.levels + 1]);
	number(w, "series_step", p->bin);
}

void ml_profile_json(struct ml_profile_view *v, uint64_t top, struct ml_buf *out)
{
	struct ml_json w = { .out = out, .indent = 1 };

	ml_json_object(&w);
	head(&w, v);
	for (size_t i = 0; i < SECTIONS; i++) {
		struct ml_level_table s;

		ml_level_table_start(&s, v->profile, top);
		sections[i].fill(&s, v);
		ml_json_key(&w, sections[i].name);
		ml_table_json(&s.table, &w);
		ml_level_table_end(&s);
	}
	if (v->findings) {
		ml_json_key(&w, "findings");
		ml_findings_json(v->findings, &w, false);
	}
	ml_json_end(&w);
}
