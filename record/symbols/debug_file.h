/*
 * Finds the separate file with the debug information of a stripped program: by
 * its build id below /usr/lib/debug, then by the name in .gnu_debuglink beside
 * the program, in .debug beside it and below /usr/lib/debug. It asks no server,
 * whatever DEBUGINFOD_URLS says, because a recording must neither wait for a network
 * nor reveal to it which program is recorded.
 */
#pragma once

#include <elfutils/libdwfl.h>

/* A find_debuginfo callback of libdwfl. */
int ml_debug_file_find(Dwfl_Module *module, void **userdata, const char *name,
		       Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
		       char **found);
