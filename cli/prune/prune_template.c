#include "cli/prune/prune_template.h"

#include <string.h>

#include "lib/base/buf.h"
#include "lib/prune/search.h"

/* The parameter of a brace's text, "blk" or "order.1", and the number of its word. */
static bool find_param(const struct ml_search *s, const char *text, size_t size,
		       size_t *param, unsigned *word)
{
	const char *dot = memchr(text, '.', size);
	size_t name = dot ? (size_t)(dot - text) : size;

	*word = 0;
	for (*param = 0; *param < s->space.param_count; ++*param) {
		const struct ml_param_range *p = &s->space.params[*param];

		if (strlen(p->name) != name || memcmp(p->name, text, name) != 0)
			continue;
		if (!dot)
			return true;
		for (const char *c = dot + 1; c < text + size; c++)
			*word = *c >= '0' && *c <= '9' && *word < 100
					? *word * 10 + (unsigned)(*c - '0')
					: 1000;
		return p->permutations && *word >= 1 && *word <= p->word_count;
	}
	return false;
}

/* The n-th of words apart by commas, from 1. */
static const char *nth_word(const char *text, unsigned n, struct ml_arena *a)
{
	for (; n > 1; n--)
		text = strchr(text, ',') + 1;
	return ml_arena_copy(a, text, strcspn(text, ","));
}

/* A template with its braces replaced by the values of a variant; {out} stays. */
bool prune_fill_in(const struct ml_search *s, const char *option, const char *text,
		   const int64_t *values, const char **filled, struct ml_arena *a,
		   struct ml_err *err)
{
	struct ml_buf out = { 0 };
	const char *at = text;
	bool ok = true;

	while (*at && ok) {
		size_t plain = strcspn(at, "{"), size, param;
		unsigned word;

		ml_buf_put(&out, at, plain);
		at += plain;
		if (!*at)
			break;
		size = strcspn(at + 1, "}");
		if (!strncmp(at, "{out}", 5)) {
			ml_buf_put(&out, at, 5);
		} else if (!at[1 + size]) {
			ok = ml_fail(err, ML_USAGE, "%s '%s': a brace is not closed",
				     option, text);
		} else if (!find_param(s, at + 1, size, &param, &word)) {
			ok = ml_fail(err, ML_USAGE,
				     "%s: {%.*s} is no parameter of %s (nor {out}; a "
				     "permutation has words {NAME.1}, {NAME.2}, ...)",
				     option, (int)(size < 100 ? size : 100), at + 1,
				     s->name);
		} else {
			const char *value = ml_space_value(&s->space, param,
							   values[param], a);

			if (word)
				value = nth_word(value, word, a);
			ml_buf_put(&out, value, strlen(value));
		}
		at += ok ? size + 2 : 0;
	}
	*filled = ml_arena_copy(a, out.data ? (const void *)out.data : "", out.size);
	ml_buf_release(&out);
	return ok;
}
