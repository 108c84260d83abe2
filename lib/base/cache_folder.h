/*
 * The folder for files that save time and may be deleted at any moment:
 * $XDG_CACHE_HOME/memlamp, or ~/.cache/memlamp.
 */
#pragma once

#include <stdbool.h>

struct ml_arena;

/* NULL if there is no home. */
const char *ml_cache_folder(struct ml_arena *a);
/* Creates the folder and those above it. */
bool ml_cache_folder_make(const char *path, struct ml_arena *a);
