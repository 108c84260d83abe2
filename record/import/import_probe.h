/*
 * The outside of an input: whether it is a folder or a file, and its first bytes. It is
 * read once, before any importer is chosen, so importers can be asked about standard
 * input too. line_window.h reads on from here.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_err;
struct ml_work;

struct ml_import_probe {
	const char *path; /* as the user gave it; "-" is standard input */
	const char *name; /* for messages */
	bool is_folder;
	/* The first bytes of a file: about 1 MiB, or more if the first line is longer (up
	 * to 64 MiB). A folder has none. Never NULL. */
	char *bytes;
	size_t size;
	size_t lines;   /* of these bytes, so many are whole lines with their newlines */
	bool whole;     /* the file ends here; a last line without a newline got one */
	uint64_t total; /* bytes of the file; 0: unknown */

	int fd; /* of a file, behind the bytes read; -1: none */
	size_t cap;
};

/* work may be NULL. */
bool ml_import_probe_open(struct ml_import_probe *p, const char *path,
			  const struct ml_work *work, struct ml_err *err);
/* A text in memory as if it were a file. */
void ml_import_probe_text(struct ml_import_probe *p, const char *name, const char *text);
void ml_import_probe_close(struct ml_import_probe *p);
