#include "cli/import_trace.h"

#include <string.h>

#include "lib/base/err.h"
#include "lib/query/sampling/simulated_samples.h"
#include "lib/samples/samples_file.h"
#include "lib/trace/trace.h"
#include "record/import/import_probe.h"

static bool is_trace(const struct ml_import_probe *p)
{
	return !p->is_folder && p->path && strcmp(p->path, "-") != 0 &&
	       ml_trace_is(p->path);
}

static bool run(struct ml_import *im, struct ml_err *err)
{
	const struct ml_import_options *o = im->options;
	struct ml_simulated_options sim = { .every = o->every,
					    .regular = o->regular,
					    .work = o->work };
	struct ml_samples s;
	struct ml_trace t;

	if (!ml_machine_parse(&sim.machine, o->machine ? o->machine : "host", err) ||
	    !ml_trace_open(&t, im->probe->path, err))
		return false;
	bool ok = ml_simulated_samples(&s, &t, &sim, err);
	im->result->read = t.size;
	ml_trace_close(&t);
	if (!ok)
		return false;
	im->result->count = s.rows;
	ok = ml_samples_file_write(&s, im->result->path, &im->result->written, o->work,
				   err);
	ml_samples_close(&s);
	return ok;
}

const struct ml_importer import_trace = {
	.name = "trace",
	.what = "references of a trace (.mlt), with simulated level and latency",
	.kind = "samples",
	.suffix = ML_SAMPLES_SUFFIX,
	.unit = "sample",
	.detect = is_trace,
	.run = run,
};
