#include "record/import/import.h"

#include <string.h>

#include "lib/trace/scan.h"
#include "lib/trace/text.h"

/* The first word of the first line that is not a comment decides. */
static bool detect(const char *text, size_t size)
{
	static const char *const words[] = {
		"L",    "R",     "W",     "M",      "F",      "r",
		"w",    "m",     "f",     "region", "global", "alloc",
		"mark", "begin", "state", "thread", "gap",
	};
	const char *end = text + size;
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
		/* A number is the time of a line as dump prints it; the kind follows. */
		text = w.at = ml_scan_blanks(text, end);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == w.size && !memcmp(words[i], w.at, w.size))
			return true;
	return w.size > 1 && memchr("rwmf", *w.at, 4) &&
	       ml_scan_number(w.at + 1, w.at + w.size, &v) && !memchr(w.at, ',', w.size);
}

static bool read_text(struct ml_import *im, struct ml_err *err)
{
	struct ml_input *in = &im->in;
	struct ml_text t;
	bool ok = true;

	ml_text_init(&t, im->writer, in->name);
	t.size = im->options->size;
	t.no_fetch = !im->options->fetch;
	while (ok && ml_input_lines(in, err)) {
		ok = ml_text_lines(&t, in->at, (size_t)(in->end - in->at), err);
		in->at = in->end;
		in->line = t.line + 1;
	}
	ml_text_release(&t);
	return ok && err->kind == ML_OK;
}

const struct ml_importer ml_importer_text = { "text", detect, read_text };
