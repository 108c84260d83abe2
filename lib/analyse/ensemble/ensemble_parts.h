/*
 * The inside of an ensemble, for the files that fill one: ensemble_file.c, ensemble_run.c
 * and ensemble_milestones.c.
 */
#pragma once

#include "lib/analyse/ensemble/ensemble.h"

/* Appends a zeroed trace. */
struct ml_ensemble_trace *ml_ensemble_new_trace(struct ml_ensemble *e);
/* Adds milestones without moments; NULL: the trace has some of that name. */
struct ml_milestones *ml_ensemble_new_milestones(struct ml_ensemble *e,
						 struct ml_ensemble_trace *t,
						 const char *name);

/* The number of the member with this canonical machine text, or SIZE_MAX. */
size_t ml_ensemble_member(const struct ml_ensemble *e, uint32_t trace,
			  const char *machine);
struct ml_member *ml_ensemble_new_member(struct ml_ensemble *e, uint32_t trace,
					 const char *machine,
					 const struct ml_machine *parsed);
void ml_ensemble_add_param(struct ml_ensemble *e, struct ml_member *m, const char *name,
			   const char *value, double number);
/* Makes columns of zeros for a member; and sums them up when they are filled. */
void ml_ensemble_make_series(struct ml_ensemble *e, struct ml_member *m);
void ml_ensemble_finish(const struct ml_ensemble *e, struct ml_member *m);

/* The data are copied. */
void ml_ensemble_add_state(struct ml_ensemble *e, uint32_t trace, uint64_t position,
			   const void *data, size_t size);
void ml_ensemble_drop_state(struct ml_ensemble *e, size_t state);
