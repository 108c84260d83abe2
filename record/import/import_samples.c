/*
 * Samples of other tools. The readers are in lib/samples, since `memlamp samples` and the
 * page open the original files too.
 */
#include <string.h>
#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples_file.h"
#include "record/import/import.h"
#include "record/import/import_probe.h"

static bool read_input(struct ml_samples *s, const struct ml_import *im,
		       const struct ml_read_options *o, const struct ml_work *work,
		       struct ml_err *err)
{
	const char *name = im->result->importer->name;
	struct ml_file_map map;

	if (im->probe->is_folder || !im->options->format)
		return ml_samples_open(s, im->probe->path, o, work, err);
	if (!ml_file_map_open(&map, im->probe->path, err))
		return false;
	/* the hardware beside a file that must be read as one format is not looked for */
	bool ok = ml_samples_read_text(s, im->probe->path, ml_sample_format_named(name),
				       (const char *)map.data, map.size, o, work, err);
	ml_file_map_close(&map);
	return ok && (!o->hardware || ml_samples_read_hardware(s, o->hardware, err));
}

static bool run(struct ml_import *im, struct ml_err *err)
{
	const struct ml_import_options *o = im->options;
	struct ml_read_options read_options = { o->columns,  o->types,      o->source,
						o->hardware, o->l1_latency, o->levels };
	struct ml_samples s;
	struct stat st;

	if (im->probe->path && !strcmp(im->probe->path, "-"))
		return ml_fail(
			err, ML_USAGE,
			"samples are read twice, so they cannot come from standard input: "
			"name a file");
	if (!read_input(&s, im, &read_options, o->work, err))
		return false;
	if (!ml_sample_symbols(&s, &o->binary, err)) {
		ml_samples_close(&s);
		return false;
	}
	im->result->count = s.rows;
	im->result->bad = s.bad;
	im->result->skipped = s.skipped;
	im->result->read = !stat(im->probe->path, &st) ? (uint64_t)st.st_size : 0;
	bool ok = ml_samples_file_write(&s, im->result->path, &im->result->written,
					o->work, err);
	ml_samples_close(&s);
	return ok;
}

static bool is_mitos(const struct ml_import_probe *p)
{
	return p->is_folder && ml_samples_is(p->path);
}

#define SAMPLES \
	.kind = "samples", .suffix = ML_SAMPLES_SUFFIX, .unit = "sample", .run = run

const struct ml_importer ml_importer_mitos = {
	.name = "mitos",
	.what = "a folder of Mitos: data/samples.csv or .out, and hardware.xml",
	SAMPLES,
	.detect = is_mitos,
};

/* An importer for each text format. */
#define IMPORTER(f, label, help) \
	static bool is_##f(const struct ml_import_probe *p) \
	{ \
		const struct ml_sample_format *is = \
			p->is_folder ? NULL : ml_sample_format_of(p->bytes, p->lines); \
\
		return is && is->read == ml_read_##f; \
	} \
	const struct ml_importer ml_importer_samples_##f = { \
		.name = label, \
		.what = help, \
		SAMPLES, \
		.detect = is_##f, \
	};
ML_SAMPLE_FORMATS(IMPORTER)
