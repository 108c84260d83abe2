#include "lib/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/plain.h"

/* Writes the sentence, which may quote foreign text; one that is too long ends in "...". */
static void put(struct ml_err *err, const char *fmt, va_list ap, const char *reason)
{
	static const char cut[] = "...";
	int n = vsnprintf(err->text, sizeof(err->text), fmt, ap);

	if (reason && n >= 0 && (size_t)n < sizeof(err->text))
		n += snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s",
			      reason);
	if (n >= 0 && (size_t)n >= sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - sizeof(cut), cut, sizeof(cut));
	ml_plain(err->text, strlen(err->text), true);
}

bool ml_fail(struct ml_err *err, enum ml_err_kind kind, const char *fmt, ...)
{
	va_list ap;

	err->kind = kind;
	va_start(ap, fmt);
	put(err, fmt, ap, NULL);
	va_end(ap);
	return false;
}

bool ml_fail_errno(struct ml_err *err, const char *fmt, ...)
{
	int reason = errno;
	va_list ap;

	err->kind = ML_IO;
	va_start(ap, fmt);
	put(err, fmt, ap, strerror(reason));
	va_end(ap);
	return false;
}
