/*
 * Traces of other tools, read into ours. An importer is one struct in a constant
 * list: adding a format is one file import_NAME.c and one line in import.c. It
 * gets its input as whole lines in a window that moves over the file, so files of
 * any length and pipes are read in constant memory.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/trace/ref.h"

struct ml_progress;
struct ml_writer;

struct ml_import_options {
	const char *input;   /* path, "-" is standard input; unused with a model */
	const char *output;  /* path of the trace */
	const char *format;  /* name of an importer; NULL: told from the content */
	const char *columns; /* CSV: addr=2,kind=1,... or NULL: by its first line */
	const char *regions; /* registration file, or NULL */
	const char *model;   /* text of a model instead of an input, or NULL */
	unsigned size;       /* of references that come without; 0 is the format's own */
	bool fetch;          /* keep instruction fetches */
	struct ml_progress *progress;      /* or NULL */
	const volatile sig_atomic_t *stop; /* 1: the user wants to end; or NULL */
};

struct ml_import_result {
	const char *format;
	uint64_t refs;
	uint64_t read, written; /* bytes */
};

/* Makes the trace, whole or not at all: it appears under its name when it is complete. */
bool ml_import_run(const struct ml_import_options *o, struct ml_import_result *result,
		   struct ml_err *err);

/* The lines of a file. What is in [at, end) are whole lines, each with its newline. */
struct ml_input {
	const char *name; /* for messages */
	char *at, *end;   /* a reader moves at over what it has done with... */
	uint64_t line;    /* ...and counts: number of the line at `at`, from 1 */

	int fd;
	char *data;
	size_t filled, cap;
	uint64_t read, total; /* bytes read; of the file, 0 unknown */
	bool last;            /* the file has no more */
	struct ml_progress *progress;
	const volatile sig_atomic_t *stop;
};

bool ml_input_open(struct ml_input *in, const char *path, struct ml_err *err);
void ml_input_close(struct ml_input *in);

/*
 * Keeps the lines not done with and adds at least one behind them; they may move.
 * False when there is none (err->kind is ML_OK) or reading fails.
 */
bool ml_input_more(struct ml_input *in, struct ml_err *err);
/* True when there are lines in the window, having read on if there were none. */
bool ml_input_lines(struct ml_input *in, struct ml_err *err);

/* What an importer works with. */
struct ml_import {
	const struct ml_import_options *options;
	struct ml_input in;
	struct ml_writer *writer;
};

struct ml_importer {
	const char *name;
	/* Whether the start of a file, whole lines, looks like this format. */
	bool (*detect)(const char *text, size_t size);
	bool (*read)(struct ml_import *im, struct ml_err *err);
};

extern const struct ml_importer ml_importer_lackey, ml_importer_din, ml_importer_csv,
	ml_importer_text, ml_importer_model;
extern const struct ml_importer *const ml_importers[]; /* ends with NULL */

/* Adds a reference of 1 byte to 16 MiB: what ref.h has no room for is cut in pieces. */
enum { ML_IMPORT_SIZE_MAX = 16 << 20 };
bool ml_import_ref(struct ml_import *im, struct ml_ref *ref, enum ml_kind kind,
		   uint64_t size, struct ml_err *err);

/* Fails with "name:line: reason 'word'", the line being the current one. */
bool ml_import_bad(const struct ml_import *im, const char *reason, const char *word,
		   size_t size, struct ml_err *err);
