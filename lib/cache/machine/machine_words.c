#include "lib/cache/machine/machine_words.h"

#include <stdio.h>
#include <string.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void ml_words_next(struct ml_words *w)
{
	size_t n = 0;

	while (blank(*w->at))
		w->at++;
	for (; *w->at && *w->at != '|' && !blank(*w->at); w->at++, n++)
		if (n < ML_WORD_ROOM - 1) {
			bool plain = (unsigned char)*w->at >= 0x20 && *w->at != 0x7f;

			w->shown[n] = plain ? *w->at : '?';
			w->word[n] = lower(*w->at);
		}
	if (n >= ML_WORD_ROOM) { /* longer than any known word: only shown */
		n = ML_WORD_ROOM - 1;
		memcpy(w->shown + n - 3, "...", 3);
		w->word[0] = '?';
	}
	w->word[n] = w->shown[n] = 0;
}

/* Changes of one letter that turn one word into the other (Levenshtein distance). */
static unsigned changes(const char *a, const char *b)
{
	unsigned row[ML_WORD_ROOM];
	unsigned width = (unsigned)strlen(b);

	for (unsigned i = 0; i <= width; i++)
		row[i] = i;
	for (unsigned y = 1; *a; a++, y++) {
		unsigned corner = row[0];

		row[0] = y;
		for (unsigned x = 1; x <= width; x++) {
			unsigned min = corner + (lower(*a) != lower(b[x - 1]));

			corner = row[x];
			if (row[x] + 1 < min)
				min = row[x] + 1;
			if (row[x - 1] + 1 < min)
				min = row[x - 1] + 1;
			row[x] = min;
		}
	}
	return row[width];
}

void ml_nearest_offer(struct ml_nearest *n, const char *written, const char *candidate)
{
	unsigned max = strlen(written) < 4 ? 1 : 2;

	if (strlen(candidate) >= ML_WORD_ROOM)
		return;
	unsigned d = changes(written, candidate);
	if (d <= max && (!n->word || d < n->changes))
		*n = (struct ml_nearest){ candidate, d };
}

const char *ml_nearest_hint(const struct ml_nearest *n, char room[ML_HINT_ROOM])
{
	room[0] = 0;
	if (n->word)
		snprintf(room, ML_HINT_ROOM, "; did you mean '%s'?", n->word);
	return room;
}

bool ml_quantity_scan(struct ml_quantity *q, const char *text)
{
	*q = (struct ml_quantity){ .parts = 1 };
	for (; *text >= '0' && *text <= '9'; text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (q->whole > (UINT64_MAX - digit) / 10)
			return false;
		q->whole = q->whole * 10 + digit;
	}
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++) {
			if (q->parts >= 1000000000)
				return false;
			q->parts *= 10;
			q->part = q->part * 10 + (uint64_t)(*text - '0');
		}
	q->unit = text;
	return true;
}
