/*
 * The plan of `memlamp ensemble`: existing ensembles are merged, then each trace and
 * variant gets a member on each machine, and traces get their milestones.
 */
#pragma once

#include <stdbool.h>

#include "cli/machine_option.h"
#include "cli/options.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/variants.h"
#include "record/reader/options.h"

struct cmd_work;

struct ensemble_plan {
	/* set by the caller */
	const char *output; /* NULL: the ensemble is printed and not saved */
	const char *build, *run, *phase;
	const struct ml_variant *given; /* as ensemble_build.h: instead of braces */
	size_t given_count;
	const struct opt_list *machines, *match;
	struct machine_without without;
	struct ml_record_options record;
	uint64_t from, to, bins;
	bool fresh;
	struct cmd_work *work;

	/* private */
	struct ml_ensemble *e;
	struct ml_variants variants[OPT_LIST_MAX]; /* machines of each template */
	size_t templates;
	struct ml_arena *arena;
};

/* True if operands and options ask for more than printing an existing ensemble. */
bool ensemble_computes(const struct ensemble_plan *p, int argc, char **argv);
/* Fills p->e, which must be empty. */
bool ensemble_plan(struct ensemble_plan *p, int argc, char **argv, struct ml_err *err);
/* Adds the contents of an ensemble's file. */
bool ensemble_merge_file(struct ml_ensemble *e, const char *path, struct ml_err *err);
