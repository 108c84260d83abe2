/*
 * Every route of every kind, asked with parameters that the input chooses, on small
 * documents of our own. The declarations of a route (request.h) say which parameters it
 * has; their values lie within the declared range, at its ends or beyond them.
 */
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
#include "lib/query/kinds/kinds.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples_file.h"
#include "lib/trace/writer.h"
#include "tests/fuzz/requests.h"
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
	must(ml_trace_open(&t, place("b.mlt"), &err), &err);
	uint32_t second = ml_ensemble_add_trace(&e, &t, "b", 0, t.count, 8);
	ml_trace_close(&t);
	for (size_t i = 0; i < 2 * sizeof(machines) / sizeof(*machines); i++) {
		must(ml_machine_parse(&m, machines[i / 2], &err), &err);
		struct ml_parameter size = { "L1 size", machines[i / 2] + 3,
					     512.0 * (double)(1 << i / 2) };
		ml_ensemble_add_member(&e, i % 2 ? second : trace, &m, &size, 1);
	}
	must(ml_ensemble_run(&e, &o, &err), &err);
	ml_ensemble_label(&e);
	must(ml_ensemble_save(&e, place("e.mle"), &err), &err);
	ml_ensemble_release(&e);
	must(ml_workspace_open(&ws, place("e.mle"), &err), &err);
}

/* Samples with hardware that has CPU 0 and CPU 5, and nothing between. */
static void open_samples_with_holes(void)
{
	static const char hardware[] =
		"<Hardware id=\"0\"><NUMA id=\"0\" size=\"1\"><Cache id=\"3\">"
		"<Cache id=\"1\"><CPU id=\"0\"></CPU></Cache></Cache></NUMA>"
		"<NUMA id=\"1\" size=\"1\"><Cache id=\"3\"><Cache id=\"1\">"
		"<CPU id=\"5\"></CPU></Cache></Cache></NUMA></Hardware>";
	static const char table[] = "cpu,latency,name,dataSource,time\n0,10,a,1,1\n"
				    "5,20,b,3,2\n3,30,a,3,3\n5,40,a,4,4\n";
	struct ml_samples s;
	struct ml_err err;

	must(ml_samples_read_text(&s, "h", NULL, table, strlen(table), NULL, NULL, &err),
	     &err);
	must(ml_topology_parse(&s.topology, "h", hardware, strlen(hardware), &s.arena,
			       &err),
	     &err);
	must(ml_samples_file_write(&s, place("h.mlh"), NULL, NULL, &err), &err);
	ml_samples_close(&s);
	must(ml_workspace_open(&ws, place("h.mlh"), &err), &err);
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
	open_samples_with_holes();
	must(ml_workspace_open(&ws, TESTS "/sdfg/spmv.sdfg", &err), &err);
	open_text("f.c", "void f(int n, const double *A, const double *B, double *C) {\n"
			 "  for (int i = 0; i < n; i++)\n"
			 "    for (int j = 0; j < 4; j++)\n"
			 "      C[4 * i + j] = A[i] * B[j];\n}\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };

	if (!ws.kinds)
		open_all();
	ask_any(&ws, &in);
	return 0;
}
