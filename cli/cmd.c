#include "cli/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/query/trace/text/trace_notes.h"

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

void cmd_notes(struct ml_buf *notes)
{
	if (notes->size)
		fwrite(notes->data, 1, notes->size, stderr);
	ml_buf_release(notes);
}

void cmd_warn_end(const struct cmd *c, const struct ml_trace *t)
{
	struct ml_buf notes = { 0 };

	ml_trace_note_end(&notes, c->name, t);
	cmd_notes(&notes);
}

void cmd_note_unkept(const struct cmd *c, const struct ml_simulation *s)
{
	struct ml_buf notes = { 0 };

	ml_trace_note_unkept(&notes, c->name, s);
	cmd_notes(&notes);
}

int cmd_crossed(const struct cmd *c, bool tested, struct ml_buf *crossed,
		const struct ml_err *err)
{
	int status = crossed->size ? EXIT_CROSSED : EXIT_DONE;

	cmd_notes(crossed);
	return tested ? status : cmd_fail(c, err);
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
