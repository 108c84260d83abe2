/* Paths as debug information spells them, made plain. */
#pragma once

/*
 * Removes "./", "//" and "a/../" in place, without looking at the file system. The path
 * ends with a slash, which is removed too.
 */
void ml_clean_path(char *path);
