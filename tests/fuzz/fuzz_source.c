/*
 * Any bytes as a source file: statements that assign blocks, and macros that hide them.
 * For each line the statement is read, and the macro that it calls is expanded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/source/macro.h"
#include "record/source/sources.h"
#include "record/source/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 50 };

/* One file for all inputs: in memory, because each input is written to it. */
static const char *file_with(const uint8_t *data, size_t size)
{
	static char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/dev/shm/memlamp-fuzz-source.%d.c", (int)getpid());
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
	return path;
}

static void read_lines(struct ml_sources *sources, const char *path, const char *callee)
{
	static struct ml_statement s;
	static struct ml_macro m;
	struct ml_macros macros = { 0 };

	for (uint32_t line = 1; line <= LINES; line++) {
		if (!ml_statement_read(&s, sources, path, line, line % 3 * 4, callee) ||
		    !s.macro[0])
			continue;
		if (ml_macro_expand(&m, &macros, sources, path, s.macro, s.hidden)) {
			if (strlen(m.text) != m.size)
				abort(); /* sources with 0 bytes have no text */
			ml_statement_parse_calls(&s, m.text, m.size, callee);
			ml_macro_expand_inner(&m, &macros, sources, path);
		}
	}
	ml_macros_release(&macros);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_sources sources = { 0 };

	if (size > 10000)
		return 0;
	const char *path = file_with(data, size);
	read_lines(&sources, path, "");
	read_lines(&sources, path, "malloc");
	ml_sources_release(&sources);
	unlink(path);
	return 0;
}
