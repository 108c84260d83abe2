/*
 * Any bytes as a table of samples, as hardware, as a file of ours and as a selection. The
 * first byte chooses.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/query/samples/resource_text.h"
#include "lib/samples/information.h"
#include "lib/samples/loads.h"
#include "lib/samples/metrics.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples_file.h"
#include "lib/samples/selection.h"
#include "lib/samples/totals.h"

#define ONE(f, name, what) +1
enum { FORMATS = 0 ML_SAMPLE_FORMATS(ONE) }; /* the next choice: detected */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char hardware[] =
	"<Hardware id=\"0\"><NUMA id=\"0\" size=\"1\"><Cache id=\"3\">"
	"<Cache id=\"1\"><CPU id=\"0\"></CPU></Cache></Cache></NUMA>"
	"<NUMA id=\"1\" size=\"1\"><Cache id=\"3\"><Cache id=\"1\">"
	"<CPU id=\"1\"></CPU></Cache></Cache></NUMA></Hardware>";

/* Everything that is asked about a table. */
static void ask(struct ml_samples *s, const char *select)
{
	struct ml_arena a = { 0 };
	struct ml_selection sel;
	struct ml_totals totals;
	struct ml_dependence *pairs;
	struct ml_special *special;
	struct ml_loads_map m;
	struct ml_clusters c;
	struct ml_err err;

	if ((!select || (select = ml_resource_expand(select, s, &a, &err))) &&
	    ml_selection_parse(&sel, s, select, &a, &err)) {
		for (size_t i = 0; i < s->count; i++)
			ml_totals_by(&totals, s, &sel, (int)i, s->role[ML_SAMPLES_LINE],
				     ML_TOTAL_BY_MEAN, &a);
		ml_information_pairs(&pairs, s, &sel, &a);
		ml_information_special(&special, s, &sel, &a);
		if (ml_loads_map_init(&m, s, &a, &err))
			for (size_t i = 0; i < s->count && i < 4; i++)
				ml_clusters_make(&c, &m, &sel, i, 0, ML_METRIC_LATENCY, 2,
						 1, ML_EMPTY_NATURAL, NULL, &a, &err);
	}
	ml_arena_release(&a);
}

static void read_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[40];
	struct ml_samples s;
	struct ml_err err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ml_samples_file_open(&s, path, NULL, &err)) {
		ask(&s, NULL);
		ml_samples_close(&s);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char table[] =
		"cpu,latency,name,time,x\n0,1,a,f0,1.5\n1,2,b,12,-2\n";
	struct ml_arena a = { 0 };
	struct ml_topology t;
	struct ml_samples s;
	struct ml_err err;
	char select[512] = "";

	if (size < 1 || size > 4096)
		return 0;
	unsigned choice = (unsigned)(*data - 'a') % (FORMATS + 4);
	const struct ml_sample_format *format = choice < FORMATS
							? &ml_sample_formats[choice]
							: NULL;
	data++;
	size--;
	if (choice <= FORMATS) {
		if (ml_samples_read_text(&s, "fuzz", format, (const char *)data, size,
					 NULL, NULL, &err)) {
			if (ml_topology_parse(&s.topology, "x", hardware,
					      strlen(hardware), &s.arena, &err))
				ask(&s, NULL);
			ml_samples_close(&s);
		}
	} else if (choice == FORMATS + 1) {
		ml_topology_parse(&t, "fuzz", (const char *)data, size, &a, &err);
		ml_arena_release(&a);
	} else if (choice == FORMATS + 2) {
		read_file(data, size);
	} else if (size < sizeof(select)) {
		memcpy(select, data, size);
		if (ml_samples_read_text(&s, "table", NULL, table, strlen(table), NULL,
					 NULL, &err)) {
			ask(&s, select);
			ml_samples_close(&s);
		}
	}
	return 0;
}
