#include "lib/base/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/table.h"

enum { BAR = 30, LINE = 400, EVERY_MS = 100 };

void ml_progress_start(struct ml_progress *p, FILE *out)
{
	const char *term = getenv("TERM");

	*p = (struct ml_progress){ .out = out, .start = ml_now() };
	p->live = isatty(fileno(out)) && !(term && !strcmp(term, "dumb"));
}

static bool due(struct ml_progress *p)
{
	if (!p->live || ml_now() < p->next)
		return false;
	p->next = ml_now() + EVERY_MS * ML_MS;
	return true;
}

/* Cuts the line to the width of the terminal: a line that wraps cannot be erased. */
static void show(struct ml_progress *p, const char *text)
{
	struct winsize w = { 0 };
	int columns = ioctl(fileno(p->out), TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col
									     : 80;

	fprintf(p->out, "\r%.*s\033[K%s", columns - 1, text, p->parked ? "\r" : "");
	fflush(p->out);
	p->shown = true;
}

void ml_progress_bar(struct ml_progress *p, const char *label, uint64_t done,
		     uint64_t total)
{
	char count[ML_NUMBER_ROOM], line[LINE], bar[BAR + 1];

	if (!due(p))
		return;
	if (!total) {
		snprintf(line, sizeof(line), "%s %s", label,
			 ml_format_count(count, done));
		show(p, line);
		return;
	}
	double share = done < total ? (double)done / (double)total : 1;
	int filled = (int)(share * BAR);
	memset(bar, ' ', BAR);
	memset(bar, '=', (size_t)filled);
	if (filled < BAR)
		bar[filled] = '>';
	bar[BAR] = 0;
	int n = snprintf(line, sizeof(line), "%s [%s] %3.0f %%", label, bar, share * 100);
	double spent = (double)(ml_now() - p->start) / (double)ML_SECOND;
	/* an estimate from less than a second or one per cent of the work would jump */
	if (spent > 1 && share > 0.01 && n > 0 && (size_t)n < sizeof(line))
		snprintf(line + n, sizeof(line) - (size_t)n, "  %.0f s left",
			 spent / share - spent);
	show(p, line);
}

void ml_progress_line(struct ml_progress *p, const char *fmt, ...)
{
	char line[LINE];
	va_list ap;

	if (!due(p))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	show(p, line);
}

void ml_progress_park(struct ml_progress *p)
{
	p->parked = true;
}

void ml_progress_rest(struct ml_progress *p)
{
	if (!p->shown)
		return;
	fputs("\033[K", p->out);
	fflush(p->out);
	p->shown = false;
}

void ml_progress_end(struct ml_progress *p)
{
	if (p->shown) {
		/* a parked line may have become output of the program */
		fputs(p->parked ? "\033[K" : "\r\033[K", p->out);
		fflush(p->out);
	}
	p->shown = false;
}
