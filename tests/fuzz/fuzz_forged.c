/*
 * Files that are valid and hostile: traces, tables of samples, ensembles, search spaces and C
 * files that our own writers make of values that the input chooses, with the checksums right.
 * Then questions of all routes (requests.h), with a simulation of the trace.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/base/arena.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/samples/samples_file.h"
#include "lib/samples/samples_make.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/fuzz/requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUESTIONS = 6, STEPS = 200, REFS = 2000 };

static const char *place(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "/tmp/fuzz-forged-%d-%s", getpid(), name);
	return path;
}

/* A value that readers get wrong, or a small one. */
static uint64_t value(struct input *in)
{
	static const uint64_t edges[] = {
		0,         1,          2,          7,
		8,         63,         64,         4095,
		4096,      65535,      65536,      INT32_MAX,
		INT64_MAX, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 47,
	};
	uint8_t kind = byte(in);

	if (kind < 128)
		return kind;
	if (kind < 192)
		return edges[kind % 16];
	if (kind < 224)
		return 4096 + 8 * (uint64_t)byte(in);
	return word(in);
}

static const char *name(struct input *in)
{
	static const char *const names[] = {
		"A",    "b", "main", "a.c",   "",     "half",
		"L1 x", "i", "é",    "\033[", "a\"<", "time"
	};

	return names[byte(in) % (sizeof(names) / sizeof(*names))];
}

/* ---- traces ---- */

static void forge_region(struct ml_tables *t, struct input *in)
{
	struct ml_region *r = ML_ADD(t->regions);
	uint32_t field = (uint32_t)t->fields.count;

	r->kind = (enum ml_region_kind)(byte(in) % 8);
	r->name = ml_tables_name(t, name(in));
	r->type = ml_tables_name(t, name(in));
	r->file = ml_tables_name(t, name(in));
	r->line = (uint32_t)value(in);
	r->elem = value(in);
	r->dims = byte(in) % (ML_DIMS + 1);
	for (unsigned i = 0; i < r->dims; i++) {
		r->dim[i] = value(in);
		r->low[i] = (int64_t)value(in);
	}
	r->column_major = byte(in) % 2;
	r->fields = byte(in) % 3;
	r->field = field;
	for (uint32_t i = 0; i < r->fields; i++) {
		struct ml_field *f = ML_ADD(t->fields);

		f->name = ml_tables_name(t, name(in));
		f->offset = value(in);
		f->size = value(in);
	}
}

static void forge_step(struct ml_writer *w, struct input *in, uint64_t *refs)
{
	struct ml_tables *t = ml_writer_tables(w);
	uint32_t region = (uint32_t)(byte(in) % t->regions.count);
	struct ml_ref ref = { .thread = 1 };
	struct ml_err err;

	switch (byte(in) % 10) {
	case 0: ml_writer_thread(w, (uint16_t)(1 + byte(in) % 5)); break;
	case 1: ml_writer_alloc(w, region, value(in), value(in)); break;
	case 2: ml_writer_free(w, value(in)); break;
	case 3: ml_writer_register(w, region, value(in), value(in)); break;
	case 4: ml_writer_unregister(w, value(in)); break;
	case 5: ml_writer_mark(w, (enum ml_mark_kind)(byte(in) % 3), name(in)); break;
	case 6: ml_writer_state(w, name(in), (int64_t)value(in)); break;
	case 7:
		ml_writer_gap(w, value(in) % UINT32_MAX,
			      (enum ml_gap_reason)(byte(in) % 3));
		break;
	default:
		ref.site = ml_tables_place(t, name(in), name(in), (uint32_t)value(in));
		ref.addr = value(in);
		ref.what = ml_what((enum ml_kind)(byte(in) % 3),
				   1 + (unsigned)value(in) % 4096);
		for (uint64_t n = byte(in) % 32, step = value(in); n-- && *refs < REFS;
		     ref.addr += step, ++*refs)
			ml_writer_ref(w, &ref, &err);
	}
}

static bool forge_trace(const char *path, struct input *in)
{
	struct ml_writer *w;
	struct ml_err err;
	uint64_t refs = 0;

	if (!ml_writer_open(&w, path, &err))
		return false;
	for (int n = byte(in) % 6; n >= 0; n--)
		forge_region(ml_writer_tables(w), in);
	for (int n = byte(in); n >= 0 && in->at < in->end; n--)
		forge_step(w, in, &refs);
	ml_writer_source(w, "a.c", "int main;\nx\n", 12);
	return ml_writer_close(w, &err);
}

/* ---- tables of samples ---- */

static bool forge_samples(const char *path, struct input *in)
{
	static const char *const nodes[] = { "NUMA", "Cache", "Cache", "CPU" };
	struct ml_samples s;
	struct ml_buf xml = { 0 };
	struct ml_err err;
	uint64_t rows = byte(in) % 20, columns = 1 + byte(in) % 12;

	memset(&s, 0, sizeof(s));
	for (size_t i = 0; i < ML_SAMPLES_ROLES; i++)
		s.role[i] = -1;
	for (size_t c = 0; c < columns; c++) {
		enum ml_samples_kind kind =
			(enum ml_samples_kind)(byte(in) % (ML_SAMPLES_NAMES + 1));
		char heading[32];

		snprintf(heading, sizeof(heading), "c%zu", c);
		size_t at = ml_samples_add_column(&s, heading, kind);
		ml_samples_set_role(&s, at,
				    (enum ml_samples_role)(byte(in) % ML_SAMPLES_ROLES));
		for (uint64_t row = 0; row < rows; row++) {
			const char *text = name(in);

			if (byte(in) % 16 == 0)
				ml_samples_put_missing(&s, at, row);
			else if (kind == ML_SAMPLES_NAMES)
				ml_samples_put_name(&s, at, row, text, strlen(text));
			else
				ml_samples_put(&s, at, row, value(in));
		}
	}
	s.rows = rows;
	s.path = path;
	s.note = s.format = "";
	ml_samples_pack(&s);
	ml_buf_text(&xml, "<Hardware id=\"0\">");
	for (int n = byte(in) % 5; n > 0; n--) {
		for (int i = 0; i < 4; i++)
			ml_buf_printf(&xml, "<%s id=\"%u\" size=\"%u\">", nodes[i],
				      i == 3 ? byte(in) : 3u - (unsigned)i, byte(in));
		for (int i = 3; i >= 0; i--)
			ml_buf_printf(&xml, "</%s>", nodes[i]);
	}
	ml_buf_text(&xml, "</Hardware>");
	if (!ml_topology_parse(&s.topology, "forged", (const char *)xml.data, xml.size,
			       &s.arena, &err))
		memset(&s.topology, 0, sizeof(s.topology));
	ml_buf_release(&xml);
	bool ok = ml_samples_file_write(&s, path, NULL, NULL, &err);
	ml_samples_close(&s);
	return ok;
}

/* ---- ensembles ---- */

static void forge_member(struct ml_member *m, const struct ml_ensemble_trace *t,
			 struct input *in)
{
	for (unsigned level = 1; level < ML_SERVED; level++)
		for (size_t i = 0; m->served[level] && i < t->bins && byte(in) % 4; i++)
			m->served[level][i] = (uint32_t)value(in);
	for (size_t i = 0; m->beyond && i < t->bins && byte(in) % 4; i++)
		m->beyond[i] = (int64_t)value(in);
	for (size_t i = 0; i < m->param_count; i++) {
		uint64_t bits = word(in);

		m->params[i].value = name(in);
		memcpy(&m->params[i].number, &bits, sizeof(bits));
	}
}

static bool forge_ensemble(const char *path, const char *trace, struct input *in)
{
	static const char *const machines[] = { "L1 512 2w", "L1 1K 2w | L2 4K 4w",
						"cores 2 | L1 512 2w | L2 2K 4w" };
	struct ml_ensemble_run o = { .threads = 1 };
	struct ml_ensemble e;
	struct ml_machine m;
	struct ml_trace t;
	struct ml_err err;

	if (!ml_trace_open(&t, trace, &err))
		return false;
	ml_ensemble_init(&e);
	uint32_t at = ml_ensemble_add_trace(&e, &t, name(in), 0, t.count, 1 + byte(in));
	ml_trace_close(&t);
	for (size_t i = 0; i < 3; i++) {
		struct ml_parameter p = { "L1 size", "512", (double)byte(in) };

		if (ml_machine_parse(&m, machines[i], &err))
			ml_ensemble_add_member(&e, at, &m, &p, 1);
	}
	bool ok = ml_ensemble_run(&e, &o, &err);
	for (size_t i = 0; ok && i < e.member_count; i++)
		forge_member(&e.members[i], &e.traces[at], in);
	ml_ensemble_choose(&e, name(in), name(in));
	ml_ensemble_label(&e);
	ok = ok && ml_ensemble_save(&e, path, &err);
	ml_ensemble_release(&e);
	return ok;
}

/* ---- texts ---- */

static void put_expression(struct ml_buf *b, struct input *in, int depth)
{
	static const char *const joints[] = { "+", "-", "*", "/", "mod" };

	if (!depth || byte(in) % 3 == 0) {
		if (byte(in) % 2)
			ml_buf_printf(b, "%c", 'a' + byte(in) % 3);
		else
			ml_buf_printf(b, "%" PRIu64, value(in) % INT32_MAX);
		return;
	}
	ml_buf_text(b, "(");
	put_expression(b, in, depth - 1);
	ml_buf_printf(b, " %s ", joints[byte(in) % (sizeof(joints) / sizeof(*joints))]);
	put_expression(b, in, depth - 1);
	ml_buf_text(b, ")");
}

static bool write_text(const char *path, const struct ml_buf *b)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fwrite(b->data, 1, b->size, f);
	return !fclose(f);
}

static bool forge_space(const char *path, struct input *in)
{
	struct ml_buf b = { 0 };

	ml_buf_text(&b, "space forged\n");
	for (char c = 'a'; c <= 'c'; c++)
		ml_buf_printf(&b, "%c in %u..%u\n", c, byte(in) % 4, byte(in) % 16);
	for (int i = byte(in) % 4; i >= 0; i--) {
		ml_buf_printf(&b, "%s k%d: ", byte(in) % 2 ? "hard" : "soft", i);
		put_expression(&b, in, 3);
		ml_buf_printf(&b, " %s ", byte(in) % 2 ? "<" : "!=");
		put_expression(&b, in, 3);
		ml_buf_text(&b, "\n");
	}
	bool ok = write_text(path, &b);
	ml_buf_release(&b);
	return ok;
}

static void forge(struct ml_workspace *ws, struct input *in)
{
	static const char *const endings[] = { "a.mlt", "s.mlh", "e.mle", "space.txt" };
	struct ml_machine m;
	struct ml_err err;
	char trace[80];
	uint32_t sim;

	snprintf(trace, sizeof(trace), "%s", place("a.mlt"));
	uint8_t what = byte(in) % 4;
	bool ok = what % 2 ? true : forge_trace(trace, in);
	if (what == 1)
		ok = forge_samples(place("s.mlh"), in);
	else if (what == 2)
		ok = ok && forge_ensemble(place("e.mle"), trace, in);
	else if (what == 3)
		ok = forge_space(place("space.txt"), in);
	if (ok && ml_workspace_open(ws, place(endings[what]), &err)) {
		if (!what && ml_machine_parse(&m, "L1 1K 2w | L2 4K 4w", &err) &&
		    ml_open_sim_start(ws, 0, &m, ML_INTERLEAVE_AUTO, &sim, &err))
			ml_open_sim_finish(ws, sim, &err);
		for (int i = 0; i < QUESTIONS; i++)
			ask_any(ws, in);
	}
	for (size_t i = 0; i < 4; i++)
		unlink(place(endings[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct ml_workspace ws;
	struct ml_machine m;
	struct ml_err err;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	if (size < 8 || !ml_machine_parse(&m, "L1 1K 2w", &err))
		return 0;
	ml_workspace_init(&ws, ml_kinds, ml_common_routes, &m);
	forge(&ws, &in);
	ml_workspace_close(&ws);
	return 0;
}
