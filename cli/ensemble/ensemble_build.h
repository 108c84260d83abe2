/*
 * Builds, runs and records variants of a program. The files of a variant are in one
 * folder, under its label: the program (NAME), its trace (NAME.mlt) and a fingerprint of
 * the recording (NAME.made). A variant whose program and command have not changed is not
 * recorded again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/analyse/ensemble/variants.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "record/reader/options.h"

struct cmd_work;

struct ensemble_build {
	const char
		*build; /* a command with braces, {out} among them; NULL: build nothing */
	const char *run; /* a command with braces; NULL: {out} */
	/* Commands that are already expanded, each "BUILD\nRUN" with {out} left, BUILD
	 * empty where nothing is built; NULL: braces of build and run are expanded.
	 * Those that fail are reported on stderr and left out. */
	const struct ml_variant *variants;
	size_t variant_count;
	const char *folder;
	struct ml_record_options record;
	struct cmd_work *work;
};

struct ensemble_built {
	const char *label, *path; /* label of the trace: "PAD=3" */
	const char *phase;        /* phase of the trace; NULL: the whole trace */
	const struct ml_parameter *params;
	size_t param_count;
};

/* Builds all variants; the list has the order of the braces and lives in a. */
bool ensemble_build(const struct ensemble_build *b, struct ensemble_built **at,
		    size_t *count, struct ml_arena *a, struct ml_err *err);
