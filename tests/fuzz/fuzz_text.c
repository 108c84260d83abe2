/* Any bytes as a text trace, and as a model of moderate length. */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/text/model.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* r0*1000000000 is right, but takes its time: counts have three digits at most here. */
static bool long_winded(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t n = 0;

		while (text[i] == '*' && i + 1 + n < size &&
		       isalnum((uint8_t)text[i + 1 + n]))
			n++;
		if (n > 3)
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct ml_writer *w;
	struct ml_model m;
	struct ml_err err;

	if (size > 4096 || long_winded(text, size) ||
	    !ml_writer_open(&w, "/dev/null", &err))
		return 0;
	if (read_text(w, text, size, "fuzz", &err))
		ml_writer_close(w, &err);
	else
		ml_writer_abandon(w);
	if (ml_model_init(&m, "fuzz", text, size, &err) && m.refs < 10000 &&
	    m.nodes < 10000 && ml_writer_open(&w, "/dev/null", &err)) {
		ml_model_run(&m, w, &err);
		ml_writer_close(w, &err);
	}
	ml_model_release(&m);
	return 0;
}
