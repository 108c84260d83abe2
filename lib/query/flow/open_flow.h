/* An open flow: a C file or an .sdfg. It does not change while it is open. */
#pragma once

#include <stdint.h>

#include "lib/flow/count.h"
#include "lib/query/workspace/document.h"

struct ml_flow;

struct ml_open_flow {
	struct ml_document document;
	struct ml_flow *flow;
	struct ml_flow_counts counts;
};

/* As struct ml_document_kind has them. */
struct ml_document *ml_open_flow_open(struct ml_workspace *ws, const char *path,
				      struct ml_err *err);
void ml_open_flow_close(struct ml_document *d);

/* The open flow with a number; NULL with a sentence. */
struct ml_open_flow *ml_open_flow(struct ml_workspace *ws, uint64_t number,
				  struct ml_err *err);
