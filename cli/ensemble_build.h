/*
 * Variants of a program: each is built, run and recorded. What belongs to a variant
 * stands in a folder under its label: the program (NAME), its trace (NAME.mlt) and what
 * it was recorded from (NAME.made). A variant whose program and command are as they were
 * is not recorded again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/analyse/ensemble/variants.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "record/session/options.h"

struct cmd_work;

struct ensemble_build {
	const char *build; /* with braces, {out} among them; NULL: nothing is built */
	const char *run;   /* with braces; NULL: {out} */
	const char *folder;
	struct ml_record_options record;
	struct cmd_work *work;
};

struct ensemble_built {
	const char *label, *path; /* "PAD=3", of its trace */
	const char *phase;        /* that is meant; NULL: all of it */
	const struct ml_parameter *params;
	size_t param_count;
};

/* All of them, in the order of the description; they live in a. */
bool ensemble_build(const struct ensemble_build *b, struct ensemble_built **at,
		    size_t *count, struct ml_arena *a, struct ml_err *err);
