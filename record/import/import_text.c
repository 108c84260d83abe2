#include "record/import/trace_import.h"

#include <string.h>

#include "lib/trace/text/scan.h"
#include "lib/trace/text/text.h"

/* Decides by the first word of the first line that is not a comment. */
static bool detect(const struct ml_import_probe *probe)
{
	static const char *const words[] = {
		"L",    "R",     "W",     "M",      "F",      "r",
		"w",    "m",     "f",     "region", "global", "alloc",
		"mark", "begin", "state", "thread", "gap",
	};
	const char *text = probe->bytes, *end = text + probe->lines;
	struct ml_scan_word w;
	uint64_t v;

	for (w = (struct ml_scan_word){ text, 0 }; text < end;
	     w = (struct ml_scan_word){ text, 0 }) {
		text = ml_scan_blanks(text, end);
		w.at = text;
		if (text < end && *text == '#')
			text = memchr(text, '\n', (size_t)(end - text));
		else if (text < end && *text != '\n')
			break;
		if (!text)
			return false;
		text++;
	}
	for (int times = 0; times < 2; times++) {
		while (text < end && !ml_scan_blank(*text) && *text != '\n')
			text++;
		w.size = (size_t)(text - w.at);
		if (times || !ml_scan_whole(w, &v))
			break;
		/* `memlamp dump` prints the time first, then the kind. */
		text = w.at = ml_scan_blanks(text, end);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == w.size && !memcmp(words[i], w.at, w.size))
			return true;
	return w.size > 1 && memchr("rwmf", *w.at, 4) &&
	       ml_scan_number(w.at + 1, w.at + w.size, &v) && !memchr(w.at, ',', w.size);
}

static bool read_text(struct ml_trace_import *im, struct ml_err *err)
{
	struct ml_line_window *in = &im->in;
	struct ml_text t;
	bool ok = true;

	ml_text_init(&t, im->writer, in->name);
	t.size = im->options->size;
	t.no_fetch = !im->options->fetch;
	while (ok && ml_line_window_lines(in, err)) {
		ok = ml_text_lines(&t, in->at, (size_t)(in->end - in->at), err);
		in->at = in->end;
		in->line = t.line + 1;
	}
	ml_text_release(&t);
	return ok && err->kind == ML_OK;
}

static bool run(struct ml_import *import, struct ml_err *err)
{
	return ml_trace_import_run(import, read_text, err);
}

const struct ml_importer ml_importer_text = {
	.name = "text",
	.what = "the text that memlamp dump prints, or written by hand",
	ML_TRACE_IMPORT,
	.detect = detect,
	.run = run,
};
