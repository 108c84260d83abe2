/* A whole text trace at once; the program reads text line by line. */
#pragma once

#include "lib/trace/text/text.h"

static inline bool read_text(struct ml_writer *w, const char *text, size_t size,
			     const char *name, struct ml_err *err)
{
	struct ml_text t;

	ml_text_init(&t, w, name);
	bool ok = ml_text_lines(&t, text, size, err);
	ml_text_release(&t);
	return ok;
}
