/*
 * Files read whole: mapped when they are large and stay as they are, copied
 * when they are small.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_err;

/* A regular file, mapped read-only. data is not NULL even when the file is empty. */
struct ml_file_map {
	const uint8_t *data;
	size_t size;
};

bool ml_file_map_open(struct ml_file_map *m, const char *path, struct ml_err *err);
void ml_file_map_close(struct ml_file_map *m);

/*
 * The bytes of a file of any kind (pipes and /proc too), with a 0 byte behind
 * them that size does not count. Fails when there are more than limit.
 */
bool ml_file_read(const char *path, size_t limit, struct ml_arena *a, char **text,
		  size_t *size, struct ml_err *err);

/* Whether the first bytes of a file are these. Never waits, as for a pipe. */
bool ml_file_begins_with(const char *path, const void *bytes, size_t size);
