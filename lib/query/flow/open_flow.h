/*
 * An open flow: a C file or an .sdfg. A C file has several functions; each is read when a
 * request first names it, and stays. A function does not change while it is open.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "lib/flow/count/count.h"
#include "lib/flow/run/span.h"
#include "lib/query/flow/simulated.h"
#include "lib/query/workspace/document.h"

struct ml_flow;
struct ml_request;

struct ml_open_function {
	struct ml_open_function *next;
	struct ml_flow *flow;
	struct ml_flow_counts counts;
	struct ml_flow_span span;
	struct ml_simulations simulations; /* that were asked for last */
};

struct ml_open_flow {
	struct ml_document document;
	pthread_mutex_t lock;               /* of the list */
	struct ml_open_function *functions; /* the one that opened with the file first */
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_flow_open(struct ml_workspace *ws, const char *path,
				      struct ml_err *err);
void ml_open_flow_close(struct ml_document *d);

/* The flow and the function that a request names: its number, `function`. NULL with a
 * sentence. */
struct ml_open_function *ml_open_function(struct ml_workspace *ws,
					  const struct ml_request *q, struct ml_err *err);
