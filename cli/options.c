#include "cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/base/buf.h"

enum { HELP_AT = 26, HELP_END = 80 }; /* columns of the help text */

static const struct opt help_opt = { "help",        'h', NULL,
				     OPT_KIND_FLAG, 0,   "print this help" };

bool options_number(const char *text, uint64_t scale, uint64_t *value)
{
	static const char suffixes[] = "kMGT";
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long v = strtoull(text, &end, hex ? 16 : 10);
	if (errno)
		return false;
	if (*end) {
		const char *suffix = strchr(suffixes, *end == 'K' ? 'k' : *end);

		if (!suffix || end[1])
			return false;
		for (const char *s = suffixes; s <= suffix; s++)
			if (__builtin_mul_overflow(v, scale, &v))
				return false;
	}
	*value = v;
	return true;
}

bool options_share(const char *text, uint64_t *keep, uint64_t *of)
{
	const char *slash = strchr(text, '/');
	char first[32];

	if (!slash || (size_t)(slash - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(slash - text));
	first[slash - text] = 0;
	return options_number(first, 1000, keep) && options_number(slash + 1, 1000, of) &&
	       *keep >= 1 && *keep <= *of;
}

/*
 * Edits that turn a into b (insert, delete, replace a letter, or swap two
 * neighbours), more than SPELLING_ROOM letters being too long to be worth it.
 */
enum { SPELLING_ROOM = 31 };

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned edits(const char *a, const char *b)
{
	unsigned d[SPELLING_ROOM + 1][SPELLING_ROOM + 1];
	size_t m = strlen(a), n = strlen(b);

	if (m > SPELLING_ROOM || n > SPELLING_ROOM)
		return SPELLING_ROOM;
	for (size_t i = 0; i <= m; i++) {
		for (size_t j = 0; j <= n; j++) {
			if (!i || !j) {
				d[i][j] = (unsigned)(i + j);
				continue;
			}
			d[i][j] = min(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
				      min(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[m][n];
}

void spelling_try(struct spelling *s, const char *name)
{
	size_t n = strlen(s->word);
	unsigned distance = edits(s->word, name);

	/* The word is a beginning of the name; or a third of its letters may be wrong. */
	if (n >= 3 && !strncmp(name, s->word, n))
		distance = 0;
	if (distance > (n + 2) / 3 || (s->best && distance >= s->distance))
		return;
	s->best = name;
	s->distance = distance;
}

static const struct opt *find(const struct cmd *c, const char *name, size_t size)
{
	for (const struct opt *o = c->opts; o && o->name; o++)
		if (strlen(o->name) == size && !memcmp(o->name, name, size))
			return o;
	return size == 4 && !memcmp(name, "help", 4) ? &help_opt : NULL;
}

static const struct opt *find_letter(const struct cmd *c, char letter)
{
	for (const struct opt *o = c->opts; o && o->name; o++)
		if (o->letter == letter)
			return o;
	return letter == 'h' ? &help_opt : NULL;
}

static int unknown(const struct cmd *c, const char *name, size_t size)
{
	char word[SPELLING_ROOM + 1];
	struct spelling s = { .word = word };

	snprintf(word, sizeof(word), "%.*s", (int)size, name);
	for (const struct opt *o = c->opts; o && o->name; o++)
		if (o->help)
			spelling_try(&s, o->name);
	if (!s.best)
		return cmd_misused(c, "unknown option '--%.*s'", (int)size, name);
	return cmd_misused(c, "unknown option '--%.*s'; did you mean '--%s'?", (int)size,
			   name, s.best);
}

/* EXIT_DONE when stored. */
static int store(const struct cmd *c, const struct opt *o, void *options,
		 const char *value)
{
	void *field = (char *)options + o->at;

	switch (o->kind) {
	case OPT_KIND_FLAG: *(bool *)field = true; return EXIT_DONE;
	case OPT_KIND_TEXT: *(const char **)field = value; return EXIT_DONE;
	case OPT_KIND_COUNT:
		if (options_number(value, 1000, field))
			return EXIT_DONE;
		return cmd_misused(c,
				   "--%s wants a number such as 500, 20k or 5M, not '%s'",
				   o->name, value);
	case OPT_KIND_SIZE:
		if (options_number(value, 1024, field))
			return EXIT_DONE;
		return cmd_misused(c,
				   "--%s wants a size such as 4096, 32K or 1M, not '%s'",
				   o->name, value);
	case OPT_KIND_LIST: {
		struct opt_list *list = field;

		if (list->count == OPT_LIST_MAX)
			return cmd_misused(c, "--%s may be given %d times at most",
					   o->name, OPT_LIST_MAX);
		list->items[list->count++] = value;
		return EXIT_DONE;
	}
	}
	return EXIT_DONE;
}

/* What is being read: an argument, and the ones behind it. */
struct cursor {
	const struct cmd *cmd;
	void *options;
	char **argv;
	int at, argc;
	bool help;
};

/* Stores an option whose value, if it is joined to it, starts at joined. */
static int take(struct cursor *k, const struct opt *o, const char *joined)
{
	if (o == &help_opt) {
		k->help = true;
		return EXIT_DONE;
	}
	if (o->arg && !joined) {
		if (k->at + 1 >= k->argc)
			return cmd_misused(k->cmd, "--%s needs a value (%s)", o->name,
					   o->arg);
		joined = k->argv[++k->at];
	}
	return store(k->cmd, o, k->options, joined);
}

static int take_long(struct cursor *k, const char *name)
{
	size_t size = strcspn(name, "=");
	const struct opt *o = find(k->cmd, name, size);

	if (!o)
		return unknown(k->cmd, name, size);
	if (name[size] && !o->arg)
		return cmd_misused(k->cmd, "--%s takes no value", o->name);
	return take(k, o, name[size] ? name + size + 1 : NULL);
}

static int take_letters(struct cursor *k, const char *letters)
{
	for (; *letters; letters++) {
		const struct opt *o = find_letter(k->cmd, *letters);
		int status;

		if (!o)
			return cmd_misused(k->cmd, "unknown option '-%c'", *letters);
		status = take(k, o, o->arg && letters[1] ? letters + 1 : NULL);
		if (status != EXIT_DONE || o->arg)
			return status;
	}
	return EXIT_DONE;
}

static int check_operands(const struct cmd *c, int count, char **operands)
{
	if (count < c->min_operands)
		return cmd_misused(c,
				   "too few arguments; usage: memlamp %s [OPTION...] %s",
				   c->name, c->operands);
	if (count > c->max_operands)
		return cmd_misused(c, "unexpected argument '%s'",
				   operands[c->max_operands]);
	for (int i = 0; i < count && !c->stops; i++)
		if (!*operands[i])
			return cmd_misused(c,
					   "argument %d is empty; perhaps a variable of "
					   "the shell is not set",
					   i + 1);
	return EXIT_DONE;
}

bool options_parse(const struct cmd *c, void *options, int *argc, char ***argv,
		   int *status)
{
	struct cursor k = { c, options, *argv, 1, *argc, false };
	char **operands = *argv + 1; /* moved to the front as they come */
	int count = 0;
	bool more = true; /* options may still come */

	*status = EXIT_DONE;
	for (; k.at < k.argc; k.at++) {
		char *arg = k.argv[k.at];

		if (!more || arg[0] != '-' || !arg[1]) {
			operands[count++] = arg;
			more = more && !c->stops;
		} else if (!strcmp(arg, "--")) {
			more = false;
		} else {
			*status = arg[1] == '-' ? take_long(&k, arg + 2)
						: take_letters(&k, arg + 1);
			if (*status != EXIT_DONE)
				return false;
		}
	}
	if (k.help) {
		struct ml_buf text = { 0 };

		options_help(c, &text);
		*status = cmd_print(c, &text);
		ml_buf_release(&text);
		return false;
	}
	*status = check_operands(c, count, operands);
	operands[count] = NULL;
	*argc = count;
	*argv = operands;
	return *status == EXIT_DONE;
}

/* Puts words from column on, lines after the first indented to HELP_AT. */
static void put_wrapped(struct ml_buf *out, size_t column, const char *text)
{
	for (; *text; text += *text == ' ') {
		size_t n = strcspn(text, " ");

		if (column > HELP_AT && column + 1 + n > HELP_END)
			column = 0;
		if (column < HELP_AT) {
			if (!column)
				ml_buf_text(out, "\n");
			for (; column < HELP_AT; column++)
				ml_buf_text(out, " ");
		} else if (column > HELP_AT) {
			ml_buf_text(out, " ");
			column++;
		}
		ml_buf_put(out, text, n);
		column += n;
		text += n;
	}
	ml_buf_text(out, "\n");
}

bool options_given(const struct opt *o, const void *options, const void *usual)
{
	static const size_t sizes[] = {
		[OPT_KIND_FLAG] = sizeof(bool),
		[OPT_KIND_TEXT] = sizeof(const char *),
		[OPT_KIND_COUNT] = sizeof(uint64_t),
		[OPT_KIND_SIZE] = sizeof(uint64_t),
		[OPT_KIND_LIST] = sizeof(struct opt_list),
	};

	return memcmp((const char *)options + o->at, (const char *)usual + o->at,
		      sizes[o->kind]) != 0;
}

static void help_line(struct ml_buf *out, const struct opt *o)
{
	char left[100];
	int n = o->letter
			? snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name)
			: snprintf(left, sizeof(left), "      --%s", o->name);

	assert(n > 0 && (size_t)n < sizeof(left));
	if (o->arg)
		n += snprintf(left + n, sizeof(left) - (size_t)n, "=%s", o->arg);
	ml_buf_text(out, left);
	put_wrapped(out, n + 1 < HELP_AT ? (size_t)n : 0, o->help);
}

void options_help(const struct cmd *c, struct ml_buf *out)
{
	ml_buf_text(out, "Usage: memlamp ");
	ml_buf_text(out, c->name);
	ml_buf_text(out, " [OPTION...]");
	if (c->operands && *c->operands) {
		ml_buf_text(out, " ");
		ml_buf_text(out, c->operands);
	}
	ml_buf_text(out, "\n");
	ml_buf_u8(out, (uint8_t)toupper((unsigned char)c->help[0]));
	ml_buf_text(out, c->help + 1);
	ml_buf_text(out, ".\n\nOptions:\n");
	for (const struct opt *o = c->opts; o && o->name; o++)
		if (o->help)
			help_line(out, o);
	help_line(out, &help_opt);
	if (c->more_help)
		c->more_help(out);
}

static void page_item(struct ml_buf *out, const struct opt *o)
{
	char letter[] = { '-', o->letter, ',', ' ', 0 };

	ml_buf_text(out, "- `");
	ml_buf_text(out, o->letter ? letter : "");
	ml_buf_text(out, "--");
	ml_buf_text(out, o->name);
	ml_buf_text(out, o->arg ? "=" : "");
	ml_buf_text(out, o->arg ? o->arg : "");
	ml_buf_text(out, "`: ");
	ml_buf_text(out, o->help);
	ml_buf_text(out, "\n");
}

void options_page(const struct cmd *c, struct ml_buf *out)
{
	for (const struct opt *o = c->opts; o && o->name; o++)
		if (o->help)
			page_item(out, o);
	page_item(out, &help_opt);
}
