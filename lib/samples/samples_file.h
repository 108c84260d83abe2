/*
 * The file of a sample table (.mlh, docs/format.md): columns as they lie in memory, each
 * with a checksum, and a directory. A file is opened by mmap; opening checks everything.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_err;
struct ml_samples;
struct ml_work;

#define ML_SAMPLES_SUFFIX ".mlh"

bool ml_samples_file_is(const char *path);
bool ml_samples_file_open(struct ml_samples *s, const char *path,
			  const struct ml_work *work, struct ml_err *err);
/* Writes the whole file or nothing; *size, unless NULL, gets its bytes. */
bool ml_samples_file_write(const struct ml_samples *s, const char *path, uint64_t *size,
			   const struct ml_work *work, struct ml_err *err);
