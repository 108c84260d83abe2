/*
 * Foreign text on a terminal: control characters would act there, so each is written as a
 * question mark. UTF-8 stays, but for U+0080 to U+009F, which terminals obey as well.
 * Held by tests/base/test_table.c and tests/base/test_err.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes a text plain in place; `lines`: it may have several lines. */
static inline void ml_plain(char *text, size_t size, bool lines)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned char next = i + 1 < size ? (unsigned char)text[i + 1] : 0;

		if ((c < 0x20 && !(lines && c == '\n')) || c == 0x7f)
			text[i] = '?';
		else if (c == 0xc2 && next >= 0x80 && next < 0xa0)
			text[i] = text[i + 1] = '?';
	}
}
