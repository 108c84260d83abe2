/*
 * The workspace: the open documents and the jobs that work on them, laid out for many
 * requests at once. Nothing is readable through a workspace but what was opened in it.
 * It knows the kinds of documents as a list of structs of functions (document.h).
 * Held by tests/query/test_workspace.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/workspace/document.h"
#include "lib/query/workspace/job.h"

struct ml_buf;
struct ml_request;

struct ml_workspace {
	const struct ml_document_kind *const *kinds; /* ends with NULL */
	const struct ml_route *routes;               /* routes that belong to no kind */
	struct ml_machine machine; /* the machine that the page starts with */
	const char *headers;       /* folder of memlamp.h for C files, or NULL */
	pthread_mutex_t lock;      /* guards all fields below */
	pthread_cond_t changed;
	uint64_t changes;   /* grows whenever state or progress of anything changes */
	volatile bool stop; /* all work is to end */
	struct ml_document **documents; /* in the order in which they were opened */
	size_t document_count, document_cap;
	struct ml_job **jobs; /* by number */
	size_t job_count, job_cap;
	unsigned sims_running;  /* simulations that have begun and not ended */
	uint64_t lines_running; /* of cache that they simulate */
};

void ml_workspace_init(struct ml_workspace *ws,
		       const struct ml_document_kind *const *kinds,
		       const struct ml_route *routes, const struct ml_machine *machine);
/* Ends everything that runs or waits; requests fail with ML_STOPPED from now on. */
void ml_workspace_stop(struct ml_workspace *ws);
/* Stops, and closes everything. No request may be under way. */
void ml_workspace_close(struct ml_workspace *ws);

/* Opens a file or folder as a document of the kind that opens it (ml_document_opener). */
bool ml_workspace_open(struct ml_workspace *ws, const char *path, struct ml_err *err);
/* The open document of a kind with a number; NULL with a sentence. */
struct ml_document *ml_workspace_document(struct ml_workspace *ws, const char *kind,
					  uint64_t number, struct ml_err *err);
/* The i-th open document of all; NULL: there are fewer. */
struct ml_document *ml_workspace_each(struct ml_workspace *ws, size_t i);

/* The route of a request, among those of all kinds (request.h). */
const struct ml_route *ml_workspace_route(const struct ml_workspace *ws,
					  struct ml_request *q, bool *exists);

/* Wakes the threads that wait for a change; the lock is held. */
void ml_workspace_change(struct ml_workspace *ws);
/* Waits until something changed since, or for so many milliseconds. Returns changes. */
uint64_t ml_workspace_wait(struct ml_workspace *ws, uint64_t since,
			   unsigned milliseconds);

/* Adds a job and starts its thread. The lock is held; on false the job is not added. */
bool ml_workspace_start(struct ml_workspace *ws, struct ml_job *j, struct ml_err *err);
/* Says that a job is ready, or that it failed with err; called by its own thread. */
void ml_workspace_job_ends(struct ml_job *j, bool ok, const struct ml_err *err);
/* Counts a change of the job and wakes the threads that wait for one; the lock is
 * held. */
void ml_workspace_job_changes(struct ml_job *j);
/* The job with a name and a number, in any state; NULL with a sentence. */
struct ml_job *ml_workspace_job(struct ml_workspace *ws, const char *name,
				uint64_t number, struct ml_err *err);
/* True if the job is ready; otherwise a sentence says its state. */
bool ml_workspace_job_ready(struct ml_job *j, struct ml_err *err);
/* Waits until the job does not run any more; fails unless it is ready then. */
bool ml_workspace_job_finish(struct ml_job *j, struct ml_err *err);
void ml_workspace_job_cancel(struct ml_job *j);

size_t ml_workspace_job_count(struct ml_workspace *ws);
/* The event and version, and the description as JSON, of the job with a number. */
const char *ml_workspace_job_event(struct ml_workspace *ws, size_t number,
				   uint64_t *version);
void ml_workspace_job_json(struct ml_workspace *ws, size_t number, struct ml_buf *out);
