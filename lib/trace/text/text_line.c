#include "lib/trace/text/text_parts.h"

#include "lib/base/err.h"
#include "lib/trace/text/text.h"

bool ml_text_bad(const struct ml_text_line *l, const char *reason, struct ml_scan_word w)
{
	char shown[ML_SCAN_SHOWN];

	return ml_fail(l->err, ML_FORMAT, "%s:%llu: %s '%s'", l->t->name,
		       (unsigned long long)l->t->line, reason, ml_scan_shown(w, shown));
}

bool ml_text_word(struct ml_text_line *l, struct ml_scan_word *w)
{
	l->at = ml_scan_blanks(l->at, l->end);
	*w = (struct ml_scan_word){ l->at, 0 };
	if (l->at == l->end || *l->at == '#')
		return false;
	while (l->at < l->end && !ml_scan_blank(*l->at))
		l->at++;
	w->size = (size_t)(l->at - w->at);
	return true;
}

bool ml_text_unquote(struct ml_text_line *l, struct ml_scan_word *w)
{
	struct ml_buf *b = &l->t->scratch;
	const char *start = l->at++;

	b->size = 0;
	for (; l->at < l->end && *l->at != '"'; l->at++) {
		if (*l->at == '\\' && l->at + 1 < l->end)
			l->at++;
		ml_buf_u8(b, (uint8_t)*l->at);
	}
	if (l->at == l->end)
		return ml_text_bad(
			l, "there is no closing quote in",
			(struct ml_scan_word){ start, (size_t)(l->end - start) });
	l->at++;
	*w = (struct ml_scan_word){ (const char *)b->data, b->size };
	return true;
}

bool ml_text_name(struct ml_text_line *l, struct ml_scan_word *w)
{
	l->at = ml_scan_blanks(l->at, l->end);
	if (l->at < l->end && *l->at == '"') {
		ml_buf_reserve(&l->t->scratch, 1); /* the data of "" is not NULL */
		return ml_text_unquote(l, w);
	}
	if (!ml_text_word(l, w))
		return ml_text_bad(l, "a name is missing", *w);
	return true;
}

bool ml_text_number(struct ml_text_line *l, const char *what, uint64_t *value)
{
	struct ml_scan_word w;

	ml_text_word(l, &w);
	return ml_scan_whole(w, value) || ml_text_bad(l, what, w);
}

struct ml_scan_word ml_text_rest(struct ml_text_line *l)
{
	bool quoted = false;
	const char *at = l->at = ml_scan_blanks(l->at, l->end);

	for (; at < l->end; at++) {
		bool first = at == l->at || ml_scan_blank(at[-1]);

		if (quoted && *at == '\\')
			at++;
		else if (*at == '"' && (quoted || first))
			quoted = !quoted;
		else if (*at == '#' && first && !quoted)
			break;
	}
	if (at > l->end)
		at = l->end;
	while (at > l->at && ml_scan_blank(at[-1]))
		at--;
	struct ml_scan_word w = { l->at, (size_t)(at - l->at) };
	l->at = l->end;
	return w;
}
