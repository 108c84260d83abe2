/*
 * Every route of every kind, asked with parameters that the input chooses, on small
 * documents of our own. The declarations of a route (request.h) say which parameters it
 * has; their values lie within the declared range, at its ends or beyond them.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/analyse/ensemble/variants.h"
#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"
#include "lib/trace/text/model.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ml_workspace ws;
static char folder[] = "/tmp/fuzz-routes-XXXXXX";

/* ---- the documents ---- */

static void must(bool ok, const struct ml_err *err)
{
	if (ok)
		return;
	fprintf(stderr, "fuzz_routes: %s\n", err->text);
	abort();
}

static const char *place(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void open_text(const char *name, const char *text)
{
	struct ml_err err;
	FILE *f = fopen(place(name), "w");

	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
	must(ml_workspace_open(&ws, place(name), &err), &err);
}

static const char trace_text[] =
	"global A 4096 512 4 16 8\nregion B 8192 512 8 64\nalloc h 16384 64\n"
	"thread 1\nbegin outer\nr4096+4*100 w8192+8*64 f100+4*20 r16384+8*8\nend outer\n"
	"free 16384\nalloc h 16384 64 8 8\nw16384+8*8\nmark half\nstate i 3\n"
	"r 0x1000 8 1 a.c:12 main\nw 0x2000 8 1 a.c:13 main <- b.c:3 call\n"
	"thread 2\nr8192+8*40 w4096+64*8 r90000:3*5\ngap 7 lost\nr0+8*5\n";

static void open_trace(const char *name, const char *text)
{
	struct ml_writer *w;
	struct ml_err err;

	must(ml_writer_open(&w, place(name), &err), &err);
	must(read_text(w, text, strlen(text), name, &err), &err);
	must(ml_writer_close(w, &err), &err);
	must(ml_workspace_open(&ws, place(name), &err), &err);
}

static void simulate(uint64_t trace, const char *machine)
{
	struct ml_machine m;
	struct ml_err err;
	uint32_t sim;

	must(ml_machine_parse(&m, machine, &err), &err);
	must(ml_open_sim_start(&ws, trace, &m, ML_INTERLEAVE_AUTO, &sim, &err), &err);
	must(ml_open_sim_finish(&ws, sim, &err), &err);
}

static void open_ensemble(void)
{
	static const char *const machines[] = { "L1 512 2w", "L1 1K 2w",
						"L1 2K 2w fifo" };
	struct ml_ensemble_run o = { .threads = 1 };
	struct ml_ensemble e;
	struct ml_machine m;
	struct ml_trace t;
	struct ml_err err;

	ml_ensemble_init(&e);
	must(ml_trace_open(&t, place("a.mlt"), &err), &err);
	uint32_t trace = ml_ensemble_add_trace(&e, &t, "a", 0, t.count, 16);
	must(ml_ensemble_milestones(&e, trace, &t, "phases", &err), &err);
	ml_trace_close(&t);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		must(ml_machine_parse(&m, machines[i], &err), &err);
		struct ml_parameter size = { "L1 size", machines[i] + 3,
					     512.0 * (double)(1 << i) };
		ml_ensemble_add_member(&e, trace, &m, &size, 1);
	}
	must(ml_ensemble_run(&e, &o, &err), &err);
	ml_ensemble_label(&e);
	must(ml_ensemble_save(&e, place("e.mle"), &err), &err);
	ml_ensemble_release(&e);
	must(ml_workspace_open(&ws, place("e.mle"), &err), &err);
}

static void open_all(void)
{
	struct ml_machine m;
	struct ml_err err;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	if (!mkdtemp(folder))
		abort();
	must(ml_machine_parse(&m, "L1 1K 2w | L2 4K 4w", &err), &err);
	ml_workspace_init(&ws, ml_kinds, ml_common_routes, &m);
	open_trace("a.mlt", trace_text);
	open_trace("b.mlt", "r0+8*50 r0+8*50 w64+8*10");
	simulate(0, "L1 1K 2w | L2 4K 4w");
	simulate(0, "cores 2 | L1 512 2w fifo | L2 2K 4w");
	simulate(1, "L1 1K 2w");
	open_ensemble();
	open_text("s.txt", "space small\na in 1..4\nb in 1..4\n"
			   "hard big: a * b > 4\nsoft odd: b mod 2 != 0\n");
	open_text("s.csv", "cpu,latency,name,dataSource\n0,10,a,1\n1,20,b,3\n1,30,a,3\n"
			   "0,40,a,4\n");
	open_text("f.c", "void f(int n, const double *A, const double *B, double *C) {\n"
			 "  for (int i = 0; i < n; i++)\n"
			 "    for (int j = 0; j < 4; j++)\n"
			 "      C[4 * i + j] = A[i] * B[j];\n}\n");
}

/* ---- the requests ---- */

/* The input, read byte by byte; zeros behind its end. */
struct input {
	const uint8_t *at, *end;
};

static uint8_t byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static uint64_t word(struct input *in)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | byte(in);
	return v;
}

static uint64_t choose_number(struct input *in, const struct ml_route_param *p,
			      const struct ml_request *q)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  3,
					  255,
					  256,
					  4096,
					  65535,
					  65536,
					  INT32_MAX,
					  UINT32_MAX,
					  UINT64_C(1) << 32,
					  INT64_MAX,
					  UINT64_MAX,
					  UINT64_MAX - 1,
					  UINT64_MAX / 8 };
	uint64_t count = 1;
	struct ml_err err;

	if (p->count && !p->count(&ws, q, &count, &err))
		count = 1;
	switch (byte(in) % 9) {
	case 0: return p->min;
	case 1: return p->max;
	case 2: return p->max + 1;
	case 3: return p->min - 1;
	case 4: return count;
	case 5: return count - 1;
	case 6: return edges[byte(in) % (sizeof(edges) / sizeof(*edges))];
	case 7: return word(in);
	default: return byte(in);
	}
}

/* Words that some parameter takes, alone or joined. */
static const char *const words[] = {
	"last",
	"count",
	"served",
	"first",
	"reuse",
	"distance",
	"used",
	"read",
	"write",
	"fetch",
	"raw",
	"normalised",
	"matched",
	"phase",
	"reference",
	"line",
	"region",
	"miss",
	"selection",
	"-",
	"+",
	"0",
	"1",
	"0,1",
	"0:0",
	"0-64",
	"64-0",
	"main",
	"a.c",
	"h",
	"A",
	"cold",
	"capacity",
	"conflict",
	"n=3",
	"n=1000",
	"L1 size",
	"L1 1K",
	"L1 8G 16w",
	"zen4",
	"time",
	"parameter",
	"map",
	"big",
	"big=1",
	"odd",
	"name = a",
	"cpu",
	"latency",
	"lines",
	"columns",
	"offenders",
	"0,8,0,64,0,1",
	"1,8,0,16,64,2",
	"0:8:64",
	"1:4:8,2:8:8",
	"0:0,100:50",
	"4294967295",
	"18446744073709551615",
	"nan",
	"1e308",
	"site",
	"found",
	"reduced",
	"address",
	"A:C",
	"mean",
	"variants",
	"",
};

static void choose_text(struct input *in, char *out, size_t room)
{
	size_t n = 0, parts = 1 + byte(in) % 3;

	out[0] = 0;
	for (size_t i = 0; i < parts; i++) {
		static const char joints[] = ",;:= .-";
		uint8_t kind = byte(in);

		if (i && n + 1 < room)
			out[n++] = joints[kind % (sizeof(joints) - 1)];
		if (kind < 200) {
			n += (size_t)snprintf(
				out + n, room - n, "%s",
				words[byte(in) % (sizeof(words) / sizeof(*words))]);
		} else {
			for (unsigned k = kind - 200; k && n + 1 < room; k--) {
				uint8_t c = byte(in);

				if (c)
					out[n++] = (char)c;
			}
		}
		n = n < room - 1 ? n : room - 1;
		out[n] = 0;
	}
}

static void choose_value(struct input *in, const struct ml_route_param *p,
			 const struct ml_request *q, char *out, size_t room)
{
	if (p->type == ML_PARAM_TEXT || byte(in) % 16 == 15)
		choose_text(in, out, room);
	else if (p->type == ML_PARAM_REAL)
		snprintf(out, room, "%g", (double)(int64_t)word(in) / (1 + byte(in)));
	else
		snprintf(out, room, "%" PRIu64, choose_number(in, p, q));
}

static const struct ml_route *choose_route(struct input *in)
{
	const struct ml_route *all[128];
	size_t count = 0;

	for (const struct ml_route *r = ws.routes; r->path; r++)
		all[count++] = r;
	for (size_t i = 0; ws.kinds[i]; i++)
		for (const struct ml_route *r = ws.kinds[i]->routes;
		     r->path && count < 128; r++)
			all[count++] = r;
	return all[byte(in) % count];
}

/* Replaces # by a number of a document. */
static void choose_path(struct input *in, const char *pattern, char *out, size_t room)
{
	size_t n = 0;

	for (; *pattern && n + 24 < room; pattern++)
		if (*pattern == '#')
			n += (size_t)sprintf(out + n, "%u", byte(in) % 4);
		else
			out[n++] = *pattern;
	out[n] = 0;
}

/* The client hangs up after a second. */
static bool hung_up(void *since)
{
	return ml_now() - *(const uint64_t *)since > ML_SECOND;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t start = ml_now();
	struct input in = { data, data + size };
	char path[100], value[8][200];
	struct ml_request q = { .work = { .cancelled = hung_up, .arg = &start },
				.path = path };
	struct ml_answer a;
	struct ml_buf out = { 0 };
	struct ml_err err = { 0 };
	bool exists;

	if (!ws.kinds)
		open_all();
	const struct ml_route *r = choose_route(&in);
	q.method = r->method;
	choose_path(&in, r->path, path, sizeof(path));
	if (ml_workspace_route(&ws, &q, &exists) != r)
		return 0;
	for (const struct ml_route_param *p = r->params; p->key && q.count < 8; p++)
		if (byte(&in) % 2) {
			choose_value(&in, p, &q, value[q.count], sizeof(*value));
			q.params[q.count] = (struct ml_param){ p->key, value[q.count] };
			q.count++;
		}
	ml_answer_init(&a);
	if (ml_request_answer(r, &ws, &q, &a, &err))
		ml_answer_write(&a, &out);
	ml_buf_release(&out);
	ml_answer_release(&a);
	return 0;
}
