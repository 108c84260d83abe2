#include "cli/sample_check.h"

#include "cli/cmd.h"
#include "lib/query/workspace/say.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/samples/topology.h"
#include "record/session/calibrate.h"
#include "record/session/perf_mem.h"
#include "record/session/timed_check.h"

struct findings {
	const struct ml_perf_mem *perf;
	struct ml_calibration calibration;
	struct ml_timed_check check;
	bool timed, passes;
	struct ml_err err; /* unless timed */
	struct ml_arena a;
};

const char *sample_check_reasons(const struct ml_perf_mem *p, struct ml_arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < p->count; i++)
		text = ml_arena_printf(a, "%s%s%s", text, i ? "; " : "", p->reasons[i]);
	return text;
}

/* What loads of each kind took; `table` is empty. */
static void make_levels(struct ml_table *table, const struct ml_calibration *c)
{
	static const struct ml_column columns[] = {
		{ "level", .kind = ML_COLUMN_TEXT },
		{ "tlb", .kind = ML_COLUMN_TEXT, .heading = "TLB" },
		{ "bytes", .kind = ML_COLUMN_BYTES },
		{ "ticks", .kind = ML_COLUMN_REAL, .decimals = 1 },
		{ "nanoseconds", .kind = ML_COLUMN_REAL, .heading = "ns", .decimals = 1 },
		{ "p5", .kind = ML_COLUMN_COUNT, .heading = "5 %" },
		{ "median", .kind = ML_COLUMN_COUNT },
		{ "p95", .kind = ML_COLUMN_COUNT, .heading = "95 %" },
	};

	*table = (struct ml_table){ .columns = columns,
				    .width = sizeof(columns) / sizeof(*columns) };
	for (size_t i = 0; i < c->kinds; i++) {
		const struct ml_calibrated *x = &c->kind[i];

		ml_table_text(table, x->name);
		ml_table_text(table, x->misses_tlb ? "miss" : "hit");
		ml_table_count(table, x->chased);
		ml_table_real(table, x->mean - c->empty);
		ml_table_real(table, (x->mean - c->empty) / c->per_ns);
		ml_table_count(table, ml_calibrated_percentile(x, 5));
		ml_table_count(table, ml_calibrated_percentile(x, 50));
		ml_table_count(table, ml_calibrated_percentile(x, 95));
	}
}

/* The confusion table: a chase a row, a column for each level that was said. */
static void make_confusion(struct ml_table *table, struct findings *f)
{
	enum { BEFORE = 3, BEHIND = 4 };
	static const struct ml_column before[BEFORE] = {
		{ "chase", .kind = ML_COLUMN_BYTES },
		{ "pages", .kind = ML_COLUMN_TEXT },
		{ "fits", .kind = ML_COLUMN_TEXT },
	};
	static const char *const behind[BEHIND] = { "several", "interrupted", "right",
						    "near" };
	const struct ml_calibration *c = &f->calibration;
	size_t width = BEFORE + c->levels + BEHIND;
	struct ml_column *columns = ml_arena_alloc(&f->a, width * sizeof(*columns));
	const char *names[ML_TIMED_LEVELS_MAX];

	for (size_t i = 0; i < c->kinds; i++)
		names[c->kind[i].level] = c->kind[i].name;
	for (size_t i = 0; i < width; i++)
		columns[i] = i < BEFORE ? before[i]
					: (struct ml_column){ .kind = ML_COLUMN_PERCENT,
							      .decimals = 1 };
	for (size_t i = 0; i < c->levels; i++)
		columns[BEFORE + i].key = names[i];
	for (size_t i = 0; i < BEHIND; i++)
		columns[BEFORE + c->levels + i].key = behind[i];
	*table = (struct ml_table){ .columns = columns, .width = width };
	for (size_t k = 0; k < f->check.count; k++) {
		const struct ml_timed_check_row *r = &f->check.rows[k];

		ml_table_count(table, r->bytes);
		ml_table_text(table, r->large_pages ? "large" : "small");
		ml_table_text(table, names[r->level]);
		for (size_t i = 0; i < c->levels; i++)
			ml_table_real(table, ml_say_share(r->said[i], r->loads));
		ml_table_real(table, ml_say_share(r->several, r->loads));
		ml_table_real(table, ml_say_share(r->interrupted, r->loads));
		ml_table_real(table, ml_say_share(r->right, r->loads));
		ml_table_real(table, ml_say_share(r->near, r->loads));
	}
}

static void write_json(struct findings *f, struct ml_buf *text)
{
	struct ml_json j = { .out = text, .indent = 2 };
	struct ml_table levels, confusion;

	ml_json_object(&j);
	ml_json_key_bool(&j, "perf", !f->perf->count);
	ml_json_key_array(&j, "missing");
	for (size_t i = 0; i < f->perf->count; i++)
		ml_json_string(&j, f->perf->reasons[i]);
	ml_json_end(&j);
	ml_json_key_bool(&j, "timed", f->timed);
	if (f->timed) {
		ml_json_key_u64(&j, "step", f->calibration.step);
		ml_json_key_real(&j, "empty", f->calibration.empty);
		ml_json_key_real(&j, "cost", f->calibration.cost);
		ml_json_key_real(&j, "ticksPerNanosecond", f->calibration.per_ns);
		make_levels(&levels, &f->calibration);
		ml_json_key(&j, "levels");
		ml_table_json(&levels, &j);
		ml_table_release(&levels);
		make_confusion(&confusion, f);
		ml_json_key(&j, "check");
		ml_table_json(&confusion, &j);
		ml_table_release(&confusion);
		ml_json_key_bool(&j, "passes", f->passes);
	} else
		ml_json_key_string(&j, "reason", f->err.text);
	ml_json_end(&j);
	ml_buf_u8(text, '\n');
}

static void write_text(struct findings *f, struct ml_buf *text)
{
	const struct ml_calibration *c = &f->calibration;
	struct ml_table table;
	struct ml_say s;

	ml_say_start(&s, text, cmd_width());
	ml_say(&s, "perf mem: %s%s\n",
	       f->perf->count ? "not possible: " : "possible, by ",
	       f->perf->count ? sample_check_reasons(f->perf, &f->a) : f->perf->pmu);
	if (f->timed) {
		ml_say(&s,
		       "timed loads: possible; the clock has %.2f GHz and moves in steps of "
		       "%llu; the measurement itself takes %.1f and costs the program %.0f\n",
		       c->per_ns, (unsigned long long)c->step, c->empty, c->cost);
		make_levels(&table, c);
		ml_say_table(&s, &table, ml_table_rows(&table), "kinds");
		ml_say(&s, "what was said of the loads of chases that fit a level:\n");
		make_confusion(&table, f);
		ml_say_table(&s, &table, ml_table_rows(&table), "chases");
		ml_say(&s,
		       "%s: of each chase at least %d %% of the loads should be near: of the "
		       "right level or one next to it\n",
		       f->passes ? "good" : "not good", ML_TIMED_CHECK_SURE);
	} else
		ml_say(&s, "timed loads: %s\n", f->err.text);
	ml_say_end(&s);
}

int sample_check(const struct cmd *c, const struct ml_perf_mem *p, bool json)
{
	struct findings f = { .perf = p };
	struct ml_topology hardware;
	struct ml_buf text = { 0 };

	f.timed = ml_topology_host(&hardware, &f.a, &f.err) &&
		  ml_calibrate(&f.calibration, &hardware, &f.a, &f.err) &&
		  ml_timed_check(&f.check, &f.calibration, &f.err);
	f.passes = f.timed && ml_timed_check_passes(&f.check);
	if (json)
		write_json(&f, &text);
	else
		write_text(&f, &text);
	int status = cmd_print(c, &text);
	ml_buf_release(&text);
	ml_arena_release(&f.a);
	return status == EXIT_DONE && !f.passes ? EXIT_FAILED : status;
}
