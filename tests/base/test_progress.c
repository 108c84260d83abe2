#include "tests/test.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/progress.h"

/* A terminal of 40 columns; *screen reads its contents. */
static FILE *terminal(int *screen)
{
	struct winsize size = { .ws_row = 24, .ws_col = 40 };
	int fd;

	if (openpty(screen, &fd, NULL, NULL, &size))
		skip(); /* no terminals to be had, as in some containers */
	fcntl(*screen, F_SETFL, O_NONBLOCK);
	setenv("TERM", "xterm", 1);
	return fdopen(fd, "w");
}

static const char *seen(int screen)
{
	static char text[2000];
	ssize_t n = read(screen, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	return text;
}

TEST(only_a_terminal_gets_a_progress_line)
{
	struct ml_progress p;
	FILE *f = tmpfile();

	ml_progress_start(&p, f);
	ml_progress_bar(&p, "x", 1, 2);
	ml_progress_line(&p, "y");
	ml_progress_end(&p);
	CHECK_EQ(ftell(f), 0);
	fclose(f);
}

TEST(a_bar_shows_how_much_is_done_and_end_wipes_it)
{
	int screen;
	FILE *f = terminal(&screen);
	struct ml_progress p;

	ml_progress_start(&p, f);
	ml_progress_bar(&p, "", 1, 2);
	CHECK_STR(seen(screen), "\r [===============>              ]  50 %\033[K");
	ml_progress_end(&p);
	CHECK_STR(seen(screen), "\r\033[K");
	fclose(f);
	close(screen);
}

TEST(a_second_line_within_a_tenth_of_a_second_is_dropped)
{
	int screen;
	FILE *f = terminal(&screen);
	struct ml_progress p;

	ml_progress_start(&p, f);
	ml_progress_line(&p, "one");
	p.next += 1000u * 1000 * 1000;
	ml_progress_line(&p, "two");
	CHECK_STR(seen(screen), "\rone\033[K");
	p.next = 0;
	ml_progress_line(&p, "three %d", 3);
	CHECK_STR(seen(screen), "\rthree 3\033[K");
	ml_progress_end(&p);
	fclose(f);
	close(screen);
}

TEST(a_line_is_cut_to_the_terminal)
{
	int screen;
	FILE *f = terminal(&screen);
	struct ml_progress p;

	ml_progress_start(&p, f);
	ml_progress_line(&p, "%s", "0123456789012345678901234567890123456789+");
	CHECK_STR(seen(screen), "\r012345678901234567890123456789012345678\033[K");
	ml_progress_end(&p);
	fclose(f);
	close(screen);
}

TEST(without_a_total_the_count_is_shown)
{
	int screen;
	FILE *f = terminal(&screen);
	struct ml_progress p;

	ml_progress_start(&p, f);
	ml_progress_bar(&p, "references", 1234, 0);
	CHECK_STR(seen(screen), "\rreferences 1,234\033[K");
	ml_progress_end(&p);
	fclose(f);
	close(screen);
}
