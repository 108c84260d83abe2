/*
 * Options of a command, as a constant table. Values are stored into a struct of
 * the command's own, always named `struct options`; the macros take the field's
 * name and do not compile when its type is wrong. See cmd.h for the whole.
 *
 * Understood: --name=VALUE, --name VALUE, -nVALUE, -n VALUE, flags joined (-ab),
 * and -- which ends options. Options may stand behind operands unless the
 * command says `stops`. Of an option given twice the last counts, except lists.
 * Held by tests/program/test_options.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmd;
struct ml_buf;

enum opt_kind {
	OPT_KIND_FLAG,  /* bool */
	OPT_KIND_TEXT,  /* const char *, into argv */
	OPT_KIND_COUNT, /* uint64_t; 20k, 5M, 1G are powers of 1000; 0x hexadecimal */
	OPT_KIND_SIZE,  /* uint64_t bytes; 32K, 1M, 4G are powers of 1024 */
	OPT_KIND_LIST,  /* struct opt_list; may be given several times */
};

enum { OPT_LIST_MAX = 64 };

struct opt_list {
	const char *items[OPT_LIST_MAX];
	size_t count;
};

struct opt {
	const char *name; /* without the dashes */
	char letter;      /* or 0 */
	const char *arg;  /* its name in the help, NULL for flags */
	enum opt_kind kind;
	size_t at;        /* offset in struct options */
	const char *help; /* small first letter, no full stop; may be long. NULL: an old
			     spelling, which is accepted and not listed */
};

/* clang-format off */
#define OPT_FIELD(field, type) \
	(offsetof(struct options, field) + \
	 _Generic(&((struct options *)0)->field, type *: (size_t)0))

#define OPT_FLAG(name, letter, field, help) \
	{ name, letter, NULL, OPT_KIND_FLAG, OPT_FIELD(field, bool), help }
#define OPT_TEXT(name, letter, arg, field, help) \
	{ name, letter, arg, OPT_KIND_TEXT, OPT_FIELD(field, const char *), help }
#define OPT_COUNT(name, letter, arg, field, help) \
	{ name, letter, arg, OPT_KIND_COUNT, OPT_FIELD(field, uint64_t), help }
#define OPT_SIZE(name, letter, arg, field, help) \
	{ name, letter, arg, OPT_KIND_SIZE, OPT_FIELD(field, uint64_t), help }
#define OPT_LIST(name, letter, arg, field, help) \
	{ name, letter, arg, OPT_KIND_LIST, OPT_FIELD(field, struct opt_list), help }
/* clang-format on */

/*
 * Reads the command's arguments (argv[0] is its name) into options. On true,
 * *argc and *argv are left with the operands alone. On false the command returns
 * *status at once: help was printed, or a misuse was reported.
 */
bool options_parse(const struct cmd *c, void *options, int *argc, char ***argv,
		   int *status);

/* Whether an option has another value in one struct options than in another. */
bool options_given(const struct opt *o, const void *options, const void *usual);

/* Reads one number with its suffix; scale is 1000 or 1024. False if it is none. */
bool options_number(const char *text, uint64_t scale, uint64_t *value);
/* Reads "K/N", both at least 1 and K not above N. */
bool options_share(const char *text, uint64_t *keep, uint64_t *of);

/* What --help prints, and the same options as the OPTIONS section of a page. */
void options_help(const struct cmd *c, struct ml_buf *out);
void options_page(const struct cmd *c, struct ml_buf *out);

/* Whichever of the names is a likely misspelling of word, or NULL. */
struct spelling {
	const char *word, *best;
	unsigned distance;
};
void spelling_try(struct spelling *s, const char *name);
