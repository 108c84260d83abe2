/*
 * What `memlamp info`, `report` and `diff` ask of a document of any kind, and what its
 * kind tells (document.h has the functions). The commands know neither kinds nor their
 * options: an option that only some kinds have stands in the kind's list `takes`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"

struct ml_work;

enum ml_form { ML_FORM_TEXT, ML_FORM_JSON, ML_FORM_CSV };

struct ml_ask {
	const char *command; /* "diff": notes begin with it */
	enum ml_form form;
	const char *table; /* of ML_FORM_CSV */
	uint64_t top;      /* rows of a table at most; 0: as many as are usual */
	int columns;       /* width of the terminal; 0: there is none */
	const struct ml_work *work;

	/* options of some kinds, as the command line has them; NULL or 0: not given */
	const char *machine[2]; /* of a trace, or of both */
	unsigned machines;      /* how many were given */
	const char *phase, *mode, *select;
	uint64_t from, to, interleave, window;
	const char *const *fail_if; /* expressions of threshold.h */
	size_t fail_if_count;
	bool promised, no_source;
	const char *headers; /* folder of memlamp.h for C files, or NULL */
};

struct ml_told {
	struct ml_buf out;     /* text, JSON, CSV or HTML */
	struct ml_buf notes;   /* lines for the person beside it */
	struct ml_buf crossed; /* the expressions of fail_if that hold; empty: none */
	bool part; /* it is of a part: the document is damaged, or work was stopped */
};

/* Rows of a table at most: ten for people and all for programs, unless top says so. */
size_t ml_ask_rows(const struct ml_ask *q);

/* Adds the line "memlamp COMMAND: ..." to notes. */
void ml_note(struct ml_buf *notes, const char *command, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void ml_told_release(struct ml_told *t);
