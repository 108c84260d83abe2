/*
 * Reading whole files: ml_file_map for large files that do not change, ml_file_read for
 * small ones.
 * Held by tests/base/test_file.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_err;

/* A regular file, mapped read-only. data is never NULL, also for an empty file. */
struct ml_file_map {
	const uint8_t *data;
	size_t size;
};

bool ml_file_map_open(struct ml_file_map *m, const char *path, struct ml_err *err);
/* The same with a copy of the file: what was checked once stays as it was. */
bool ml_file_map_copy(struct ml_file_map *m, const char *path, struct ml_err *err);
void ml_file_map_close(struct ml_file_map *m);

/*
 * Somebody may cut off a file that is mapped; reading behind its end raises SIGBUS. After
 * this call such a read finds zeros instead, which no checksum fits, and
 * ml_file_map_is_cut is true of the map from then on. A program calls it once, at its
 * start.
 */
void ml_file_map_guard(void);
/* Whether a read of the map that begins at data found no file. */
bool ml_file_map_is_cut(const uint8_t *data);
/* How many reads of any map have found no file so far. What was made of such a read is
 * worth nothing. */
uint64_t ml_file_map_holes(void);

/*
 * Reads a file of any kind, also a pipe or a file in /proc. A 0 byte follows the text;
 * size does not count it. Fails if the file has more than `limit` bytes.
 */
bool ml_file_read(const char *path, size_t limit, struct ml_arena *a, char **text,
		  size_t *size, struct ml_err *err);

/* Whether the first bytes of a file are these. Never waits, as for a pipe. */
bool ml_file_begins_with(const char *path, const void *bytes, size_t size);
