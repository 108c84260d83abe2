#include "cli/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/analyse/result/simulation.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/table.h"
#include "lib/trace/trace.h"

int cmd_fail(const struct cmd *c, const struct ml_err *err)
{
	fprintf(stderr, "memlamp %s: %s\n", c->name, err->text);
	return err->kind == ML_USAGE ? EXIT_MISUSED : EXIT_FAILED;
}

int cmd_misused(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "memlamp %s: ", c->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'memlamp %s --help'.\n", c->name);
	return EXIT_MISUSED;
}

int cmd_print(const struct cmd *c, struct ml_buf *text)
{
	size_t n = text->size ? fwrite(text->data, 1, text->size, stdout) : 0;
	bool ok = n == text->size && fflush(stdout) == 0;

	text->size = 0;
	if (ok)
		return EXIT_DONE;
	fprintf(stderr, "memlamp %s: standard output: %s\n", c->name, strerror(errno));
	return EXIT_FAILED;
}

void cmd_warn_end(const struct cmd *c, const struct ml_trace *t)
{
	char refs[ML_NUMBER_ROOM];

	if (t->whole && !t->damage)
		return;
	fprintf(stderr,
		"memlamp %s: warning: the end of %s is missing (%s); what follows is of "
		"its first %s references\n",
		c->name, t->path,
		t->damage ? t->damage : "the recording did not end properly",
		ml_format_count(refs, t->count));
}

void cmd_note_unkept(const struct cmd *c, const struct ml_simulation *s)
{
	if (s->unkept)
		fprintf(stderr, "memlamp %s: note: %s\n", c->name, s->unkept);
}

void cmd_warn_simulation(const struct cmd *c, const struct ml_simulation *s,
			 const struct ml_trace *t)
{
	char refs[ML_NUMBER_ROOM], all[ML_NUMBER_ROOM];

	cmd_note_unkept(c, s);
	cmd_warn_end(c, t);
	if (s->damage)
		fprintf(stderr,
			"memlamp %s: warning: %s; what follows is of %s of %s "
			"references\n",
			c->name, s->damage, ml_format_count(refs, s->profile->refs),
			ml_format_count(all, t->count));
}

bool cmd_is_part(const struct ml_simulation *s, const struct ml_trace *t)
{
	return s->damage || s->stopped || t->damage;
}

bool cmd_side_fits(uint64_t pixels)
{
	return !pixels || (pixels >= CMD_SIDE_MIN && pixels <= CMD_SIDE_MAX);
}

int cmd_width(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}
