/*
 * The role of a column of samples: what analyses look for. A role is found by the heading
 * of the column, or the user sets it.
 */
#pragma once

#include <stddef.h>

enum ml_samples_role {
	ML_SAMPLES_NO_ROLE,
	ML_SAMPLES_TIME,
	ML_SAMPLES_LATENCY, /* cycles */
	ML_SAMPLES_CPU,
	ML_SAMPLES_THREAD,
	ML_SAMPLES_IP,
	ML_SAMPLES_FILE,
	ML_SAMPLES_LINE,
	ML_SAMPLES_FUNCTION,
	ML_SAMPLES_SOURCE_WORD, /* what the hardware or the kernel said about the level */
	ML_SAMPLES_LEVEL,       /* the level as a name of data_source.h */
	ML_SAMPLES_ADDRESS,
	ML_SAMPLES_VARIABLE,
	ML_SAMPLES_INDEX, /* of the element within the variable */
	ML_SAMPLES_ROLES
};

const char *ml_samples_role_name(enum ml_samples_role role); /* "latency" */
/* ML_SAMPLES_ROLES: no role has this name. */
enum ml_samples_role ml_samples_role_of(const char *name, size_t size);
/* The role that a heading suggests, or ML_SAMPLES_NO_ROLE. */
enum ml_samples_role ml_samples_role_by_heading(const char *heading);
