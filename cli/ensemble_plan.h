/*
 * What `memlamp ensemble` is to do: the ensembles that are there already, the traces and
 * variants that were asked for, each on all machines, and the milestones.
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/variants.h"
#include "record/session/options.h"

struct cmd_work;

struct ensemble_plan {
	/* set by the caller */
	const char *output; /* NULL: the result is only shown */
	const char *build, *run, *phase;
	const struct opt_list *machines, *match;
	struct ml_record_options record;
	uint64_t from, to, bins;
	bool fresh;
	struct cmd_work *work;

	/* its own */
	struct ml_ensemble *e;
	struct ml_variants variants[OPT_LIST_MAX]; /* of each template */
	size_t templates;
	struct ml_arena *arena;
};

/* Whether operands and options ask for more than to show what is there. */
bool ensemble_computes(const struct ensemble_plan *p, int argc, char **argv);
/* Fills p->e, which is empty. */
bool ensemble_plan(struct ensemble_plan *p, int argc, char **argv, struct ml_err *err);
/* Adds what the file of an ensemble has. */
bool ensemble_merge_file(struct ml_ensemble *e, const char *path, struct ml_err *err);
