/*
 * A document is anything that a person can open: a trace, an ensemble, a table of
 * samples, a loop nest, a search space. Its kind is a struct of functions; the list of
 * all kinds is in lib/query/kinds/kinds.c. The workspace, the server and the command line
 * know this struct and nothing of any kind.
 *
 * Documents refer to each other by what they name in common (a file and a line, a region,
 * a function, a phase), never by pointers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_ask;
struct ml_document_kind;
struct ml_json;
struct ml_route;
struct ml_told;
struct ml_workspace;

/* The first member of the struct that a kind opens. */
struct ml_document {
	const struct ml_document_kind *kind;
	struct ml_workspace *workspace;
	uint32_t number;  /* among the open documents of its kind, from 0 */
	const char *path; /* as it was opened */
};

struct ml_document_kind {
	const char *name;            /* "trace": in /api/open, and in messages */
	const char *what;            /* for help: "a trace that memlamp recorded" */
	const char *const *suffixes; /* of its files: ".mlt"; ends with NULL */
	/* Whether a file or folder is of this kind, by its content. */
	bool (*is_mine)(const char *path);
	/*
	 * Opens a file or folder; NULL with a sentence. May open other documents by
	 * ml_workspace_open, as an ensemble opens its traces. The workspace fills in the
	 * number.
	 */
	struct ml_document *(*open)(struct ml_workspace *ws, const char *path,
				    struct ml_err *err);
	/* Frees the document. Jobs of the workspace have ended before. */
	void (*close)(struct ml_document *d);
	/* Keys and values about the document for /api/open, besides kind, number, path
	 * and name; any thread may call it. */
	void (*describe)(struct ml_document *d, struct ml_json *w);
	const struct ml_route *routes; /* ends with a zero one */
	/*
	 * What `memlamp info`, `report` (a page of HTML) and `diff` print of a file or
	 * folder, which the kind opens as it needs it (ask.h). Of a trace, path[1] of diff
	 * may be the same file. Every kind has all three.
	 */
	bool (*info)(const char *path, const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err);
	bool (*report)(const char *path, const struct ml_ask *q, struct ml_told *t,
		       struct ml_err *err);
	bool (*diff)(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err);
	/* Options of these commands that not all kinds have; ends with NULL. */
	const char *const *takes;
	/* Why `memlamp view` refuses the kind: the page has no views of it yet. NULL: it
	 * has. */
	const char *no_views;
};

/* The kind that a file or folder is of, by its content; NULL: no kind recognises it. */
const struct ml_document_kind *
ml_document_kind_of(const struct ml_document_kind *const *kinds, const char *path);
/*
 * The kind that opens a file or folder: the one that recognises it, or else the one with
 * its suffix, or else the first. The reader of that kind then says what is wrong.
 */
const struct ml_document_kind *
ml_document_opener(const struct ml_document_kind *const *kinds, const char *path);
