#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "lib/base/buf.h"

struct options {
	bool json, all;
	const char *output;
	uint64_t limit, line;
	struct opt_list lists;
};

static const struct opt opts[] = {
	OPT_FLAG("json", 'j', json, "print JSON"),
	OPT_FLAG("all", 'a', all, "print all"),
	OPT_TEXT("output", 'o', "FILE", output, "write to FILE"),
	OPT_COUNT("limit", 0, "N", limit,
		  "stop after N references, which may be many more than one line of help "
		  "can hold"),
	OPT_SIZE("line", 0, "BYTES", line, "bytes of a line"),
	OPT_LIST("regions", 'r', "FILE", lists, "read regions from FILE"),
	{ 0 },
};

static const struct cmd look = {
	.name = "look",
	.help = "look at things",
	.operands = "FILE...",
	.min_operands = 0,
	.max_operands = 3,
	.opts = opts,
};
static const struct cmd launch = {
	.name = "launch",
	.help = "run it",
	.operands = "PROGRAM...",
	.min_operands = 1,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
};

/* The outcome of parsing one line, words separated by single spaces. */
static struct outcome {
	struct options o;
	bool ok;
	int status, count;
	char operands[200]; /* joined by | */
	char said[2000];    /* stdout and stderr */
} out;

static void parse(const struct cmd *c, const char *line)
{
	static char words[500];
	char *argv[50] = { 0 }, **operands = argv;
	int argc = 0, saved[2] = { dup(1), dup(2) };
	FILE *capture = tmpfile();

	memset(&out, 0, sizeof(out));
	snprintf(words, sizeof(words), "%s %s", c->name, line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	fflush(stdout);
	dup2(fileno(capture), 1);
	dup2(fileno(capture), 2);
	out.ok = options_parse(c, &out.o, &argc, &operands, &out.status);
	fflush(stdout);
	dup2(saved[0], 1);
	dup2(saved[1], 2);
	close(saved[0]);
	close(saved[1]);
	rewind(capture);
	out.said[fread(out.said, 1, sizeof(out.said) - 1, capture)] = 0;
	fclose(capture);
	out.count = out.ok ? argc : 0;
	for (int i = 0; i < out.count; i++) {
		strcat(out.operands, i ? "|" : "");
		strcat(out.operands, operands[i]);
	}
}

TEST(values_follow_their_option_or_are_joined_to_it)
{
	const char *lines[] = { "--output=x --limit=5", "--output x --limit 5",
				"-ox --limit 5", "-o x --limit 5" };

	for (int i = 0; i < 4; i++) {
		parse(&look, lines[i]);
		CHECK(out.ok);
		CHECK_STR(out.o.output, "x");
		CHECK_EQ(out.o.limit, 5);
	}
	parse(&look, "--output=");
	CHECK_STR(out.o.output, "");
}

TEST(letters_can_be_joined)
{
	parse(&look, "-jao x y");
	CHECK(out.o.json && out.o.all);
	CHECK_STR(out.o.output, "x");
	CHECK_STR(out.operands, "y");
}

TEST(options_may_stand_behind_operands)
{
	parse(&look, "a --json b -- --all");
	CHECK(out.ok && out.o.json && !out.o.all);
	CHECK_STR(out.operands, "a|b|--all");
	parse(&look, "- -a");
	CHECK_STR(out.operands, "-");
}

TEST(a_command_that_runs_another_leaves_its_options_alone)
{
	parse(&launch, "--json ls --all -j");
	CHECK(out.ok && out.o.json && !out.o.all);
	CHECK_STR(out.operands, "ls|--all|-j");
	parse(&launch, "-- ls -- --all");
	CHECK_STR(out.operands, "ls|--|--all");
}

TEST(counts_scale_by_1000_and_sizes_by_1024)
{
	parse(&look, "--limit 5M --line 32K");
	CHECK_EQ(out.o.limit, 5000000);
	CHECK_EQ(out.o.line, 32768);
	parse(&look, "--limit 2k --line=0x40");
	CHECK_EQ(out.o.limit, 2000);
	CHECK_EQ(out.o.line, 64);
}

TEST(what_is_no_number_is_refused)
{
	const char *bad[] = { "",
			      "x",
			      "-1",
			      "1.5",
			      "5Q",
			      "5MM",
			      "18446744073709551616",
			      "18446744073709551615k" };
	uint64_t v;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!options_number(bad[i], 1000, &v));
	CHECK(options_number("18446744073709551615", 1000, &v));
	CHECK_EQ(v, UINT64_MAX);
	parse(&look, "--limit=many");
	CHECK_EQ(out.status, EXIT_MISUSED);
	CHECK_STR(out.said, "memlamp look: --limit wants a number such as 500, 20k or "
			    "5M, not 'many'\n"
			    "Try 'memlamp look --help'.\n");
}

TEST(a_list_collects_what_is_given_several_times)
{
	parse(&look, "-r a --regions=b -rc");
	CHECK_EQ(out.o.lists.count, 3);
	CHECK_STR(out.o.lists.items[2], "c");
}

TEST(a_misspelt_option_is_met_with_the_one_that_was_meant)
{
	parse(&look, "--lmit 5");
	CHECK(!out.ok);
	CHECK_EQ(out.status, EXIT_MISUSED);
	CHECK(strstr(out.said,
		     "memlamp look: unknown option '--lmit'; did you mean '--limit'?\n"));
	parse(&look, "--out=5");
	CHECK(strstr(out.said, "did you mean '--output'?"));
	parse(&look, "--colour");
	CHECK(!strstr(out.said, "did you mean"));
	parse(&look, "-x");
	CHECK(strstr(out.said, "unknown option '-x'"));
}

TEST(missing_and_needless_values_are_refused)
{
	parse(&look, "--output");
	CHECK(strstr(out.said, "--output needs a value (FILE)"));
	parse(&look, "--json=yes");
	CHECK(strstr(out.said, "--json takes no value"));
	CHECK_EQ(out.status, EXIT_MISUSED);
}

TEST(the_number_of_operands_is_checked)
{
	parse(&look, "a b c d");
	CHECK_EQ(out.status, EXIT_MISUSED);
	CHECK(strstr(out.said, "unexpected argument 'd'"));
	parse(&launch, "--json");
	CHECK_EQ(out.status, EXIT_MISUSED);
	CHECK(strstr(out.said, "usage: memlamp launch [OPTION...] PROGRAM..."));
}

TEST(help_lists_the_table)
{
	parse(&look, "a b c d --help");
	CHECK(!out.ok);
	CHECK_EQ(out.status, EXIT_DONE);
	CHECK_STR(out.said, "Usage: memlamp look [OPTION...] FILE...\n"
			    "Look at things.\n"
			    "\n"
			    "Options:\n"
			    "  -j, --json              print JSON\n"
			    "  -a, --all               print all\n"
			    "  -o, --output=FILE       write to FILE\n"
			    "      --limit=N           stop after N references, which "
			    "may be many more than\n"
			    "                          one line of help can hold\n"
			    "      --line=BYTES        bytes of a line\n"
			    "  -r, --regions=FILE      read regions from FILE\n"
			    "  -h, --help              print this help\n");
}
