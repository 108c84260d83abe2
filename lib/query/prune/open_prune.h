/*
 * An open search space. A description is read at once and evaluated by a job; routes that
 * need the result wait for it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/prune/search.h"
#include "lib/query/workspace/document.h"
#include "lib/query/workspace/job.h"

struct ml_request;

struct ml_open_prune {
	struct ml_document document;
	struct ml_search search; /* does not change once the job is ready */
	struct ml_job *job;      /* NULL: there was nothing to evaluate */
	struct ml_arena arena;
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_prune_open(struct ml_workspace *ws, const char *path,
				       struct ml_err *err);
void ml_open_prune_close(struct ml_document *d);
void ml_open_prune_describe(struct ml_document *d, struct ml_json *w);

/*
 * The search space of a request, when it is evaluated; NULL with a sentence. Waits as
 * long as the client does.
 */
struct ml_open_prune *ml_open_prune_ready(struct ml_workspace *ws,
					  const struct ml_request *q, struct ml_err *err);
