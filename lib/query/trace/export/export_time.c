/*
 * What happens over time. One reference is one unit: a microsecond where the form wants
 * seconds. Times of phases and positions of the simulated order are the same axis unless
 * threads were interleaved anew; then the counters follow the simulated order.
 */
#include "lib/query/trace/export/export_time.h"

#include <string.h>

#include "lib/analyse/result/result_counts.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/path.h"
#include "lib/query/trace/open/open_sim.h"

enum { WINDOWS = 500 }; /* of the run */

/* A mark of a thread: a phase begins, ends, or a single moment has a name. */
struct event {
	uint64_t time;
	uint32_t name;
	uint16_t thread;
	enum ml_mark_kind kind;
};

struct events {
	struct event *at; /* by time; each begin has its end, properly nested */
	size_t count, cap;
	struct event *open; /* phases that have begun, in order */
	size_t open_count, open_cap;
};

static void add_event(struct events *e, struct event x)
{
	*ML_ADD(*e) = x;
}

/* Ends open phase number i. */
static void close_phase(struct events *e, size_t i, uint64_t time)
{
	struct event x = e->open[i];

	memmove(e->open + i, e->open + i + 1, (--e->open_count - i) * sizeof(*e->open));
	x.time = time;
	x.kind = ML_MARK_END;
	add_event(e, x);
}

/* Ends the phase, and before it those that began inside it; unknown phases do nothing. */
static void end_phase(struct events *e, const struct ml_mark *m)
{
	size_t found = e->open_count;

	while (found && (e->open[found - 1].thread != m->thread ||
			 e->open[found - 1].name != m->name))
		found--;
	for (size_t i = e->open_count; found && i >= found; i--)
		if (e->open[i - 1].thread == m->thread)
			close_phase(e, i - 1, m->time);
}

static void gather_events(struct events *e, const struct ml_trace *t)
{
	for (size_t i = 0; i < t->tables.marks.count; i++) {
		const struct ml_mark *m = &t->tables.marks.at[i];
		struct event x = { m->time, m->name, m->thread, m->kind };

		if (m->kind == ML_MARK_END) {
			end_phase(e, m);
			continue;
		}
		add_event(e, x);
		if (m->kind == ML_MARK_BEGIN) {
			e->open = ml_grow(e->open, &e->open_cap, e->open_count + 1,
					  sizeof(*e->open));
			e->open[e->open_count++] = x;
		}
	}
	while (e->open_count)
		close_phase(e, e->open_count - 1, t->count);
}

static void release_events(struct events *e)
{
	ml_free(e->at);
	ml_free(e->open);
}

/* The name of a thread, or its number. */
static const char *thread_name(const struct ml_tables *t, uint16_t id, struct ml_arena *a)
{
	for (size_t i = t->threads.count; i > 0; i--) {
		const struct ml_thread *x = &t->threads.at[i - 1];

		if (x->id == id && x->name)
			return ml_arena_printf(a, "thread %u, %s", id,
					       ml_tables_text(t, x->name));
	}
	return ml_arena_printf(a, "thread %u", id);
}

static void begin_chrome(struct ml_json *w, const char *phase, const char *name,
			 unsigned thread, uint64_t time)
{
	ml_json_object(w);
	ml_json_key_string(w, "ph", phase);
	ml_json_key_string(w, "name", name);
	ml_json_key_u64(w, "pid", 1);
	ml_json_key_u64(w, "tid", thread);
	ml_json_key_u64(w, "ts", time);
}

static void put_chrome_threads(struct ml_json *w, const struct ml_tables *t,
			       struct ml_arena *a)
{
	struct ml_map seen = { 0 };

	for (size_t i = 0; i < t->threads.count; i++) {
		uint16_t id = t->threads.at[i].id;
		bool is_new;

		ml_map_add(&seen, id, &is_new);
		if (!is_new)
			continue;
		begin_chrome(w, "M", "thread_name", id, 0);
		ml_json_key_object(w, "args");
		ml_json_key_string(w, "name", thread_name(t, id, a));
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_map_release(&seen);
}

static void put_chrome_events(struct ml_json *w, const struct ml_trace *t)
{
	static const char *const phases[] = {
		[ML_MARK_POINT] = "i", [ML_MARK_BEGIN] = "B", [ML_MARK_END] = "E"
	};
	struct events e = { 0 };

	gather_events(&e, t);
	for (size_t i = 0; i < e.count; i++) {
		const struct event *x = &e.at[i];

		begin_chrome(w, phases[x->kind], ml_tables_text(&t->tables, x->name),
			     x->thread, x->time);
		if (x->kind == ML_MARK_POINT)
			ml_json_key_string(w, "s", "t");
		ml_json_end(w);
	}
	release_events(&e);
}

/* Counters: how many references of a stretch each level served, and their mean time. */
static bool put_chrome_series(struct ml_json *w, struct ml_open_sim *s,
			      struct ml_arena *a, struct ml_err *err)
{
	struct ml_result_series series;
	const struct ml_machine *m = &s->simulation.profile->machine;

	if (!ml_result_series(&s->simulation.result, 0, s->simulation.result.refs,
			      WINDOWS, &series, a, err))
		return false;
	for (size_t i = 0; i < series.count; i++) {
		uint64_t at = series.first + i * series.width;

		begin_chrome(w, "C", "references served by", 0, at);
		ml_json_key_object(w, "args");
		for (unsigned k = 1; k <= m->levels + 1; k++)
			ml_json_key_u64(w, ml_machine_level_name(m, k),
					series.cell[i].served[k]);
		ml_json_end(w);
		ml_json_end(w);
		begin_chrome(w, "C", "mean access time", 0, at);
		ml_json_key_object(w, "args");
		ml_json_key_real(w, "cycles",
				 ml_profile_cycles(m, series.cell[i].served));
		ml_json_end(w);
		ml_json_end(w);
	}
	return true;
}

bool ml_export_chrome(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err)
{
	const struct ml_trace *t = &s->trace->trace;
	const char *command = ml_tables_meta_find(&t->tables, "command");
	struct ml_json w = { .out = out };
	struct ml_arena a = { 0 };

	ml_json_object(&w);
	ml_json_key_array(&w, "traceEvents");
	begin_chrome(&w, "M", "process_name", 0, 0);
	ml_json_key_object(&w, "args");
	ml_json_key_string(&w, "name", command && *command ? command : t->path);
	ml_json_end(&w);
	ml_json_end(&w);
	put_chrome_threads(&w, &t->tables, &a);
	put_chrome_events(&w, t);
	bool ok = put_chrome_series(&w, s, &a, err);
	ml_json_end(&w);
	ml_json_key_object(&w, "otherData");
	ml_json_key_string(&w, "creator", "memlamp " ML_VERSION);
	ml_json_key_string(&w, "machine", s->text);
	ml_json_key_string(&w, "time", "1 microsecond is 1 reference");
	ml_json_end(&w);
	ml_json_end(&w);
	ml_buf_u8(out, '\n');
	ml_arena_release(&a);
	return ok;
}

/* What speedscope shows: frames are numbered texts. */
struct scope {
	const struct ml_trace *trace;
	const struct ml_machine *machine;
	struct ml_names frames;
	struct events events;
	struct ml_result_counts windows[WINDOWS]; /* sites of the user's lines */
	size_t count;
	struct ml_arena arena;
};

static uint32_t frame_of(struct scope *x, const char *text)
{
	return ml_names_add(&x->frames, *text ? text : "unknown");
}

static uint32_t name_frame(struct scope *x, uint32_t name)
{
	return frame_of(x, ml_tables_text(&x->trace->tables, name));
}

static uint32_t function_frame(struct scope *x, uint32_t site)
{
	return name_frame(x, ml_tables_frame(&x->trace->tables, site).func);
}

static uint32_t line_frame(struct scope *x, uint32_t site)
{
	const struct ml_tables *t = &x->trace->tables;
	struct ml_frame f = ml_tables_frame(t, site);

	return frame_of(x,
			f.line ? ml_arena_printf(&x->arena, "%s:%u",
						 ml_path_name(ml_tables_text(t, f.file)),
						 f.line)
			       : "unknown line");
}

static bool gather_windows(struct scope *x, struct ml_open_sim *s, struct ml_err *err)
{
	uint64_t refs = s->simulation.result.refs;

	x->count = refs < WINDOWS ? (size_t)refs : WINDOWS;
	for (size_t i = 0; i < x->count; i++)
		if (!ml_result_sites(&s->simulation.result, x->trace, refs * i / x->count,
				     refs * (i + 1) / x->count, &x->windows[i], &x->arena,
				     err))
			return false;
	return true;
}

/* Numbers all frames, because they stand before the profiles. */
static void put_frames(struct ml_json *w, struct scope *x)
{
	for (size_t i = 0; i < x->events.count; i++)
		name_frame(x, x->events.at[i].name);
	for (size_t i = 0; i < x->count; i++)
		for (size_t k = 0; k < x->windows[i].count; k++) {
			function_frame(x, x->windows[i].at[k].id);
			line_frame(x, x->windows[i].at[k].id);
		}
	ml_json_key_object(w, "shared");
	ml_json_key_array(w, "frames");
	for (size_t i = 0; i < x->frames.count; i++) {
		ml_json_object(w);
		ml_json_key_string(w, "name", x->frames.text[i]);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

static void put_samples(struct ml_json *w, struct scope *x)
{
	ml_json_key_array(w, "samples");
	for (size_t i = 0; i < x->count; i++)
		for (size_t k = 0; k < x->windows[i].count; k++) {
			uint32_t site = x->windows[i].at[k].id;

			ml_json_array(w);
			ml_json_u64(w, function_frame(x, site));
			ml_json_u64(w, line_frame(x, site));
			ml_json_end(w);
		}
	ml_json_end(w);
}

/* Cycles of all samples. Returns their sum. */
static double put_weights(struct ml_json *w, const struct scope *x)
{
	double sum = 0;

	ml_json_key_array(w, "weights");
	for (size_t i = 0; i < x->count; i++)
		for (size_t k = 0; k < x->windows[i].count; k++) {
			const uint64_t *served = x->windows[i].at[k].served;
			double refs = 0;

			for (unsigned l = 1; l <= x->machine->levels + 1; l++)
				refs += (double)served[l];
			double cycles = refs * ml_profile_cycles(x->machine, served);
			ml_json_real(w, cycles);
			sum += cycles;
		}
	ml_json_end(w);
	return sum;
}

/* A profile of speedscope's kind "sampled": the cycles of lines, in order of time. */
static void put_lines(struct ml_json *w, struct scope *x)
{
	ml_json_object(w);
	ml_json_key_string(w, "type", "sampled");
	ml_json_key_string(w, "name", "cycles by function and line, over time");
	ml_json_key_string(w, "unit", "none");
	put_samples(w, x);
	double sum = put_weights(w, x);
	ml_json_key_u64(w, "startValue", 0);
	ml_json_key_real(w, "endValue", sum);
	ml_json_end(w);
}

/* A profile of speedscope's kind "evented": the phases of a thread. */
static void put_thread(struct ml_json *w, struct scope *x, uint16_t thread)
{
	const char *name = thread_name(&x->trace->tables, thread, &x->arena);

	ml_json_object(w);
	ml_json_key_string(w, "type", "evented");
	ml_json_key_string(w, "name", ml_arena_printf(&x->arena, "phases of %s", name));
	ml_json_key_string(w, "unit", "none");
	ml_json_key_u64(w, "startValue", 0);
	ml_json_key_u64(w, "endValue", x->trace->count);
	ml_json_key_array(w, "events");
	for (size_t i = 0; i < x->events.count; i++) {
		const struct event *e = &x->events.at[i];

		if (e->thread != thread || e->kind == ML_MARK_POINT)
			continue;
		ml_json_object(w);
		ml_json_key_string(w, "type", e->kind == ML_MARK_BEGIN ? "O" : "C");
		ml_json_key_u64(w, "frame", name_frame(x, e->name));
		ml_json_key_u64(w, "at", e->time);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

static void put_threads(struct ml_json *w, struct scope *x)
{
	struct ml_map seen = { 0 };

	for (size_t i = 0; i < x->events.count; i++) {
		const struct event *e = &x->events.at[i];
		bool is_new = false;

		if (e->kind != ML_MARK_POINT)
			ml_map_add(&seen, e->thread, &is_new);
		if (is_new)
			put_thread(w, x, e->thread);
	}
	ml_map_release(&seen);
}

bool ml_export_speedscope(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err)
{
	struct scope x = { .trace = &s->trace->trace,
			   .machine = &s->simulation.profile->machine };
	struct ml_json w = { .out = out };
	bool ok = gather_windows(&x, s, err);

	if (ok) {
		gather_events(&x.events, x.trace);
		ml_json_object(&w);
		ml_json_key_string(&w, "$schema",
				   "https://www.speedscope.app/file-format-schema.json");
		ml_json_key_string(&w, "exporter", "memlamp " ML_VERSION);
		ml_json_key_string(&w, "name", x.trace->path);
		put_frames(&w, &x);
		ml_json_key_array(&w, "profiles");
		put_lines(&w, &x);
		put_threads(&w, &x);
		ml_json_end(&w);
		ml_json_end(&w);
		ml_buf_u8(out, '\n');
	}
	release_events(&x.events);
	ml_names_release(&x.frames);
	ml_arena_release(&x.arena);
	return ok;
}
