#include "cli/cmd.h"
#include "cli/options.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/dump.h"
#include "lib/trace/text/text.h"
#include "lib/trace/trace.h"

struct options {
	uint64_t from, to, count, thread;
	const char *region, *site, *kind, *format;
	bool events, json;
};

static const struct opt opts[] = {
	OPT_COUNT("from", 0, "N", from,
		  "start at reference N, counted from 0 (default: 0)"),
	OPT_COUNT("to", 0, "N", to,
		  "end before reference N (default: the end of the trace)"),
	OPT_COUNT("count", 'n', "N", count, "print at most N references"),
	OPT_COUNT("thread", 't', "N", thread, "print only references of thread N"),
	OPT_TEXT("region", 'r', "NAME", region,
		 "print only references to the region NAME"),
	OPT_TEXT("site", 's', "PLACE", site,
		 "print only references made at FILE:LINE, in FILE or in FUNCTION, or "
		 "by libraries on its behalf"),
	OPT_TEXT("kind", 'k', "KINDS", kind,
		 "print only reads (r), writes (w) or fetches (f), or several, such as "
		 "rw"),
	OPT_TEXT("format", 'f', "NAME", format,
		 "print text, csv or json (default: text)"),
	OPT_FLAG("json", 0, json, "the same as --format=json"),
	OPT_FLAG("events", 'e', events,
		 "also print regions, allocations and releases; 'memlamp import' can "
		 "read this text back without loss"),
	{ 0 },
};

enum { FLUSH = 256 * 1024 };

static void put_text(struct ml_buf *out, const struct ml_tables *t,
		     const struct ml_dump_row *row)
{
	switch (row->kind) {
	case ML_DUMP_REF: ml_text_put_ref(out, t, &row->ref, row->datum); break;
	case ML_DUMP_MARK: ml_text_put_mark(out, t, row->mark); break;
	case ML_DUMP_STATE: ml_text_put_state(out, t, row->state); break;
	case ML_DUMP_GAP: ml_text_put_gap(out, row->gap); break;
	case ML_DUMP_BEGIN: ml_text_put_begin(out, t, row->block); break;
	case ML_DUMP_END: ml_text_put_end(out, t, row->block); break;
	}
}

static void put_csv_text(struct ml_buf *out, const char *text)
{
	ml_buf_u8(out, ',');
	ml_table_csv_text(out, text);
}

static void put_csv_site(struct ml_buf *out, const struct ml_tables *t, uint32_t site)
{
	struct ml_frame frame = ml_tables_frame(t, site);

	put_csv_text(out, ml_tables_text(t, frame.func));
	put_csv_text(out, ml_tables_text(t, frame.file));
	if (frame.line)
		ml_buf_printf(out, ",%u", frame.line);
	else
		ml_buf_u8(out, ',');
}

/* CSV has one kind of row, so only references are printed. */
static void put_csv(struct ml_buf *out, const struct ml_tables *t,
		    const struct ml_dump_row *row)
{
	const struct ml_ref *ref = &row->ref;
	uint64_t ip = t->sites.at[ref->site].ip;

	if (row->kind != ML_DUMP_REF)
		return;
	ml_buf_printf(out, "%llu,%c,0x%llx,%u,%u", (unsigned long long)ref->time,
		      ml_text_kind(ml_what_kind(ref->what)),
		      (unsigned long long)ref->addr, ml_what_size(ref->what),
		      ref->thread);
	put_csv_site(out, t, ref->site);
	if (ip)
		ml_buf_printf(out, ",0x%llx", (unsigned long long)ip);
	else
		ml_buf_u8(out, ',');
	put_csv_site(out, t, ref->caller);
	put_csv_text(out, row->region);
	put_csv_text(out, row->datum);
	ml_buf_text(out, "\n");
}

#define CSV_HEADINGS \
	"time,kind,address,size,thread,function,file,line,ip," \
	"caller_function,caller_file,caller_line,region,datum\n"

static void put_json_site(struct ml_json *w, const struct ml_tables *t, const char *key,
			  uint32_t number)
{
	const struct ml_site *site = &t->sites.at[number];

	if (!number)
		return;
	ml_json_key_object(w, key);
	if (site->ip)
		ml_json_key_address(w, "ip", site->ip);
	if (site->object)
		ml_json_key_string(w, "object", ml_tables_text(t, site->object));
	ml_json_key_array(w, "frames");
	for (uint32_t i = 0; i < site->frames; i++) {
		const struct ml_frame *f = &t->frames.at[site->frame + i];

		ml_json_object(w);
		ml_json_key_string(w, "function",
				   f->func ? ml_tables_text(t, f->func) : NULL);
		ml_json_key_string(w, "file",
				   f->file ? ml_tables_text(t, f->file) : NULL);
		ml_json_key_u64(w, "line", f->line);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

static void put_json_name(struct ml_json *w, const struct ml_tables *t, const char *event,
			  uint32_t name)
{
	ml_json_key_string(w, "event", event);
	ml_json_key_string(w, "name", ml_tables_text(t, name));
}

static void put_json_event(struct ml_json *w, const struct ml_tables *t,
			   const struct ml_dump_row *row)
{
	static const char *const marks[] = { "mark", "begin", "end" };

	if (row->mark) {
		put_json_name(w, t, marks[row->mark->kind], row->mark->name);
		ml_json_key_u64(w, "thread", row->mark->thread);
	} else if (row->state) {
		put_json_name(w, t, "state", row->state->name);
		ml_json_key_i64(w, "value", row->state->value);
		ml_json_key_u64(w, "thread", row->state->thread);
	} else if (row->gap) {
		ml_json_key_string(w, "event", "gap");
		ml_json_key_u64(w, "count", row->gap->count);
		ml_json_key_string(w, "reason", ml_text_gap_reason(row->gap->reason));
	} else {
		put_json_name(w, t, row->kind == ML_DUMP_BEGIN ? "block" : "block end",
			      t->regions.at[row->block->region].name);
		ml_json_key_address(w, "address", row->block->addr);
		ml_json_key_u64(w, "size", row->block->size);
	}
}

/* Each row is one line, for people and for grep. */
static void put_json(struct ml_buf *out, const struct ml_tables *t,
		     const struct ml_dump_row *row)
{
	const struct ml_ref *ref = &row->ref;
	struct ml_json json = { .out = out }, *w = &json;
	char kind[2] = { ml_text_kind(ml_what_kind(ref->what)), 0 };

	ml_json_object(w);
	ml_json_key_u64(w, "time", row->time);
	if (row->kind != ML_DUMP_REF)
		put_json_event(w, t, row);
	else {
		ml_json_key_string(w, "kind", kind);
		ml_json_key_address(w, "address", ref->addr);
		ml_json_key_u64(w, "size", ml_what_size(ref->what));
		ml_json_key_u64(w, "thread", ref->thread);
		put_json_site(w, t, "site", ref->site);
		put_json_site(w, t, "caller", ref->caller);
		ml_json_key_string(w, "region", row->region);
		ml_json_key_string(w, "datum", row->datum);
	}
	ml_json_end(w);
}

static int print_all(struct ml_dump *d, const char *format, struct ml_err *err)
{
	const struct ml_tables *t = &d->trace->tables;
	struct ml_buf out = { 0 };
	struct ml_dump_row row;
	const char *between = "[\n";
	int status = EXIT_DONE;

	if (*format == 'c')
		ml_buf_text(&out, CSV_HEADINGS);
	while (status == EXIT_DONE && ml_dump_next(d, &row, err)) {
		if (*format == 'c')
			put_csv(&out, t, &row);
		else if (*format == 't')
			put_text(&out, t, &row);
		else {
			ml_buf_text(&out, between);
			put_json(&out, t, &row);
			between = ",\n";
		}
		if (out.size >= FLUSH)
			status = cmd_print(&cmd_dump, &out);
	}
	if (*format == 'j')
		ml_buf_text(&out, *between == '[' ? "[]\n" : "\n]\n");
	if (status == EXIT_DONE && out.size)
		status = cmd_print(&cmd_dump, &out);
	if (status == EXIT_DONE && err->kind != ML_OK)
		status = cmd_fail(&cmd_dump, err);
	if (status == EXIT_DONE && !d->found)
		fputs("memlamp dump: no reference matches\n", stderr);
	if (status == EXIT_DONE && d->trace->damage)
		status = EXIT_FAILED;
	ml_buf_release(&out);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { .to = UINT64_MAX, .count = UINT64_MAX, .format = "text" };
	struct ml_trace trace;
	struct ml_dump dump;
	struct ml_err err;
	unsigned kinds = 0;
	int status;

	if (!options_parse(&cmd_dump, &o, &argc, &argv, &status))
		return status;
	if (o.json)
		o.format = "json";
	if (strcmp(o.format, "text") && strcmp(o.format, "csv") &&
	    strcmp(o.format, "json"))
		return cmd_misused(&cmd_dump,
				   "--format must be text, csv or json, not '%s'",
				   o.format);
	if (o.thread > UINT16_MAX)
		return cmd_misused(&cmd_dump, "--thread must be 1 to 65535");
	for (const char *k = o.kind ? o.kind : ""; *k; k++) {
		if (!strchr("rwf", *k))
			return cmd_misused(
				&cmd_dump,
				"--kind must be one or more of r, w and f, not '%s'",
				o.kind);
		kinds |= 1u << (*k == 'r' ? ML_READ : *k == 'w' ? ML_WRITE : ML_FETCH);
	}
	struct ml_dump_filter filter = {
		.from = o.from,
		.to = o.to,
		.count = o.count,
		.thread = (uint16_t)o.thread,
		.kinds = kinds,
		.region = o.region,
		.site = o.site,
		.blocks = o.events,
	};

	signal(SIGPIPE, SIG_DFL); /* `memlamp dump x | head` ends without a word */
	if (!ml_trace_open(&trace, argv[0], &err))
		return cmd_fail(&cmd_dump, &err);
	cmd_warn_end(&cmd_dump, &trace);
	if (ml_dump_open(&dump, &trace, &filter, &err)) {
		status = print_all(&dump, o.format, &err);
		ml_dump_close(&dump);
	} else
		status = cmd_fail(&cmd_dump, &err);
	ml_trace_close(&trace);
	return status;
}

const struct cmd cmd_dump = {
	.name = "dump",
	.help = "print the references of a trace",
	.operands = "TRACE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
