/*
 * Commands about documents of any kind: info, report and diff. The kind of the operands
 * answers (lib/query/workspace/ask.h).
 */
#pragma once

#include "lib/query/workspace/ask.h"

struct cmd;
struct ml_document_kind;
struct ml_err;

/* Whether a kind has an option that not all have. */
bool documents_takes(const struct ml_document_kind *kind, const char *option);
/*
 * The kind of two operands, which may be one and the same. NULL with a sentence: they are
 * of two kinds, or an option was given that this kind does not have. `usual` has the
 * options as the command line found them.
 */
const struct ml_document_kind *documents_kind(const struct cmd *c,
					      const char *const path[2],
					      const void *options, const void *usual,
					      struct ml_err *err);
/* Prints notes and, if ok, what was told; returns the exit status. Releases it. */
int documents_print(const struct cmd *c, bool ok, struct ml_told *t,
		    const struct ml_err *err);
/* The same without what was told, which is in a file. */
int documents_status(const struct cmd *c, bool ok, struct ml_told *t,
		     const struct ml_err *err);
