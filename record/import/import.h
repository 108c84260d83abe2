/*
 * Files and folders of other tools, made into documents of ours. An importer is one
 * struct in a constant list: adding a format is one file import_NAME.c and one line in
 * import.c. It says whether it knows an input (import_probe.h) and makes one document of
 * one kind. Importers that read lines and make a trace share trace_import.h.
 * Held by tests/record/test_import.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/import/sample_symbols.h"

struct ml_arena;
struct ml_err;
struct ml_import_probe;
struct ml_work;

struct ml_import_options {
	const char
		*input; /* file or folder, "-" is standard input; unused with a model */
	const char *output; /* path of the document; NULL: input with the kind's suffix */
	const char *format; /* name of an importer; NULL: detected */
	const char *columns; /* CSV: addr=2,kind=1,... or NULL: by its first line */
	const char *regions; /* registration file, or NULL */
	const char *model;   /* text of a model instead of an input, or NULL */
	unsigned size; /* bytes of references without a size; 0: the format's default */
	bool fetch;    /* keep instruction fetches */
	/* Of samples, as in lib/samples/read/read_options.h: */
	const char *types, *source, *hardware, *levels;
	uint64_t l1_latency;
	struct ml_sample_binary binary; /* for names by DWARF */
	/* Of samples out of a trace, as in lib/query/sampling/simulated_samples.h: */
	const char *machine; /* NULL: this host */
	uint64_t every;
	bool regular;
	const struct ml_work *work; /* or NULL */
};

struct ml_import_result {
	const struct ml_importer *importer; /* the one that ran */
	const char *path;                   /* of the document */
	uint64_t count;                     /* references of a trace, samples, ... */
	uint64_t read, written;             /* bytes */
	uint64_t bad, skipped; /* lines that could not be read; records left out */
};

/* One import, for an importer that runs. */
struct ml_import {
	const struct ml_import_options *options;
	struct ml_import_probe *probe;
	struct ml_import_result *result; /* importer and path are filled in */
};

struct ml_importer {
	const char *name;   /* for --format */
	const char *what;   /* a line for the help */
	const char *kind;   /* of the documents that it makes: "trace" */
	const char *suffix; /* of their files: ".mlt" */
	const char *unit;   /* of result->count, singular: "reference" */
	bool (*detect)(const struct ml_import_probe *probe);
	/* Makes the document at result->path, whole or not at all. */
	bool (*run)(struct ml_import *im, struct ml_err *err);
};

extern const struct ml_importer ml_importer_lackey, ml_importer_din, ml_importer_csv,
	ml_importer_text, ml_importer_model, ml_importer_mitos;
extern const struct ml_importer *const ml_importers[]; /* ends with NULL */

/*
 * Runs the importer of the list that is asked for, or the first that detects the input.
 * The path of the result lives in a.
 */
bool ml_import_run(const struct ml_import_options *o,
		   const struct ml_importer *const *importers,
		   struct ml_import_result *result, struct ml_arena *a,
		   struct ml_err *err);
