#include "record/import/trace_import.h"

#include "lib/trace/text/model.h"

static bool read_model(struct ml_trace_import *im, struct ml_err *err)
{
	struct ml_line_window *in = &im->in;
	struct ml_model m;

	/* A model is read as a whole. */
	while (ml_line_window_more(in, err)) {
	}
	if (err->kind != ML_OK)
		return false;
	bool ok = ml_model_init(&m, in->name, in->at, (size_t)(in->end - in->at), err);
	if (ok) {
		m.work = in->work;
		ok = ml_model_run(&m, im->writer, err);
	}
	ml_model_release(&m);
	return ok;
}

static bool detect(const struct ml_import_probe *probe)
{
	return ml_model_detect(probe->bytes, probe->lines);
}

static bool run(struct ml_import *import, struct ml_err *err)
{
	return ml_trace_import_run(import, read_model, err);
}

const struct ml_importer ml_importer_model = {
	.name = "model",
	.what = "a pattern in a few words, such as matmul 64",
	ML_TRACE_IMPORT,
	.detect = detect,
	.run = run,
};
