/*
 * The kinds of documents that memlamp opens, in the order in which they are asked whether
 * a file is theirs; a file that no kind recognises is opened by the first, which says
 * what is wrong with it. docs/architecture.md tells how to add a kind.
 * Held by tests/query/test_kinds.c.
 */
#pragma once

#include "lib/query/workspace/document.h"
#include "lib/query/workspace/request.h"

extern const struct ml_document_kind ml_kind_trace, ml_kind_ensemble, ml_kind_prune,
	ml_kind_samples, ml_kind_flow;

extern const struct ml_document_kind *const ml_kinds[]; /* ends with NULL */
extern const struct ml_route ml_common_routes[];        /* of no kind; ends with zero */
