/*
 * Where the program's own files are: beside the executable in a build folder,
 * under ../lib and ../share of it when installed.
 */
#pragma once

struct ml_arena;

/* Folder that serves as VALGRIND_LIB (our tool and links to Valgrind's own), or NULL. */
const char *cmd_path_valgrind(struct ml_arena *a);

/* Folder of the runtime that `memlamp cc` links, or NULL. */
const char *cmd_path_runtime(struct ml_arena *a);

/* Folder of memlamp.h, or NULL. */
const char *cmd_path_headers(struct ml_arena *a);

/* Folder of the bundled examples (sources; compiled ones only in a build folder), or
 * NULL. */
const char *cmd_path_examples(struct ml_arena *a);

/* The MPI plugin (lib/base/ranks.h), or NULL. */
const char *cmd_path_mpi(struct ml_arena *a);
