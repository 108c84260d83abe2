#include "record/session/valgrind_log.h"

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

size_t ml_valgrind_log_read(int log, char *text, size_t room)
{
	ssize_t n = pread(log, text, room - 1, 0);

	n = n > 0 ? n : 0;
	text[n] = 0;
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = 0;
	return (size_t)n;
}

/* Removes the marks "==PID== " at the beginning of lines, and joins the lines. */
static void join_lines(char *text)
{
	char *to = text;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		char *mark = !strncmp(line, "==", 2) ? strstr(line + 2, "== ") : NULL;
		if (mark)
			line = mark + 3;
		while (*line == ' ')
			line++;
		if (to > text && *line)
			*to++ = ' ';
		while (*line)
			*to++ = *line++;
	}
	*to = 0;
}

const char *ml_valgrind_log_complaint(int log, struct ml_arena *a)
{
	char text[1500];

	if (!ml_valgrind_log_read(log, text, sizeof(text)))
		return NULL;
	bool unknown = strstr(text, "(SIGILL)");
	char *end = strstr(text, "Process terminating with default action");
	if (end)
		*end = 0;
	join_lines(text);
	if (!*text && unknown)
		strcpy(text, "an instruction that it does not know, perhaps of AVX-512");
	/* the mark of the line that was cut off is left */
	return *text && strncmp(text, "==", 2) != 0 ? ml_arena_strdup(a, text) : NULL;
}
