#include "lib/query/workspace/ask.h"

#include <stdarg.h>

#include "lib/base/plain.h"

enum { USUAL = 10 };

size_t ml_ask_rows(const struct ml_ask *q)
{
	return q->top ? q->top : q->form == ML_FORM_TEXT ? USUAL : SIZE_MAX;
}

void ml_note(struct ml_buf *notes, const char *command, const char *fmt, ...)
{
	size_t from = notes->size;
	va_list ap;

	ml_buf_printf(notes, "memlamp %s: ", command);
	va_start(ap, fmt);
	ml_buf_vprintf(notes, fmt, ap);
	va_end(ap);
	ml_plain((char *)notes->data + from, notes->size - from, false);
	ml_buf_u8(notes, '\n');
}

void ml_told_release(struct ml_told *t)
{
	ml_buf_release(&t->out);
	ml_buf_release(&t->notes);
	ml_buf_release(&t->crossed);
}
