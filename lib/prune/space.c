#include "lib/prune/space.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"

bool ml_space_open(struct ml_space *s, const char *path, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	char *text;
	size_t size;

	*s = (struct ml_space){ 0 };
	bool ok = ml_file_read(path, ML_SPACE_TEXT, &a, &text, &size, err) &&
		  ml_space_parse(s, path, text, size, err);
	ml_arena_release(&a);
	return ok;
}

void ml_space_release(struct ml_space *s)
{
	ml_exprs_release(&s->exprs);
	ml_free(s->derived);
	ml_arena_release(&s->arena);
	*s = (struct ml_space){ 0 };
}

bool ml_space_is(const char *path)
{
	char text[4096];
	const char *at = text;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		if (*at != '#')
			break;
		at += strcspn(at, "\n");
	}
	return !strncmp(at, "space", 5) && (at[5] == ' ' || at[5] == '\t');
}

int64_t ml_space_orders(size_t n)
{
	return n < 2 ? 1 : (int64_t)n * ml_space_orders(n - 1);
}

/* The i-th permutation of the words in lexicographic order. */
static const char *permutation(const struct ml_param_range *p, int64_t index,
			       struct ml_arena *a)
{
	const char *text = "";
	size_t left = p->word_count;
	bool used[16] = { false };
	int64_t block = ml_space_orders(left);

	for (; left; left--) {
		block /= (int64_t)left;
		int64_t skip = index / block;
		size_t w = 0;

		index %= block;
		for (;; w++)
			if (!used[w] && !skip--)
				break;
		used[w] = true;
		text = ml_arena_printf(a, "%s%s%s", text, *text ? "," : "", p->words[w]);
	}
	return text;
}

const char *ml_space_value(const struct ml_space *s, size_t param, int64_t value,
			   struct ml_arena *a)
{
	const struct ml_param_range *p = &s->params[param];

	if (p->permutations)
		return permutation(p, value, a);
	if (p->words)
		return p->words[value];
	return ml_arena_printf(a, "%lld", (long long)value);
}

static bool read_permutation(const struct ml_param_range *p, const char *text,
			     int64_t *value)
{
	size_t left = p->word_count;
	bool used[16] = { false };

	*value = 0;
	for (; left; left--) {
		size_t size = strcspn(text, ","), before = 0, w = 0;

		for (; w < p->word_count; w++) {
			if (!used[w] && strlen(p->words[w]) == size &&
			    !memcmp(p->words[w], text, size))
				break;
			before += !used[w];
		}
		if (w == p->word_count)
			return false;
		used[w] = true;
		*value = *value * (int64_t)left + (int64_t)before;
		text += size + (text[size] == ',');
	}
	return !*text;
}

bool ml_space_read_value(const struct ml_space *s, size_t param, const char *text,
			 int64_t *value)
{
	const struct ml_param_range *p = &s->params[param];
	char *end;

	if (p->permutations)
		return read_permutation(p, text, value);
	for (size_t i = 0; p->words && i < p->word_count; i++)
		if (!strcmp(p->words[i], text)) {
			*value = (int64_t)i;
			return true;
		}
	if (p->words)
		return false;
	*value = strtoll(text, &end, 10);
	return end > text && !*end;
}

size_t ml_space_divisors(int64_t of, int64_t *values)
{
	size_t small = 0, large = 0;
	int64_t high[ML_SPACE_FEW / 2];

	for (int64_t d = 1; d <= of / d; d++)
		if (of % d == 0) {
			values[small++] = d;
			if (d != of / d)
				high[large++] = of / d;
		}
	while (large)
		values[small++] = high[--large];
	return small;
}

size_t ml_space_powers(int64_t first, int64_t factor, int64_t last, int64_t *values)
{
	size_t n = 0;

	for (int64_t v = first; v <= last; v *= factor) {
		values[n++] = v;
		if (v > last / factor)
			break;
	}
	return n;
}
