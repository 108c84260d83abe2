/*
 * A job: long work that runs in a thread of the workspace and that a page can watch and
 * cancel, such as a simulation. A kind embeds the struct as the first member of its own.
 *
 *	s->job = (struct ml_job){ .name = "simulation", .event = "sim", .run = run,
 *				  .describe = describe,
 *				  .close = close_sim };
 *	return ml_workspace_start(ws, &s->job, err);
 *
 * ml_workspace_X functions (workspace.h) start, watch, cancel and close jobs.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_json;
struct ml_workspace;

enum ml_job_state { ML_JOB_RUNNING, ML_JOB_READY, ML_JOB_FAILED, ML_JOB_CANCELLED };

struct ml_job {
	struct ml_workspace *workspace;
	uint32_t number;   /* in the workspace, from 0 */
	const char *name;  /* for messages: "simulation" */
	const char *event; /* the server-sent event that tells of it: "sim" */
	/*
	 * Does the work, in a thread of its own. The function may report earlier that the
	 * job is ready (ml_workspace_job_ends) and continue. Otherwise its return value
	 * decides how the job ended.
	 */
	bool (*run)(struct ml_job *j, struct ml_err *err);
	/*
	 * Writes the description of the job for the page, as one object; the lock is
	 * held.
	 */
	void (*describe)(const struct ml_job *j, struct ml_json *w);
	/* Frees it; its thread has ended. */
	void (*close)(struct ml_job *j);

	pthread_t thread;
	volatile bool stop; /* the job is to end */

	/* Under the lock of the workspace: */
	enum ml_job_state state;
	uint64_t version; /* grows whenever the description changes */
	uint64_t done, total;
	struct ml_err failed;
};

/* "running", "ready", "failed", "cancelled". */
const char *ml_job_state_name(enum ml_job_state state);
