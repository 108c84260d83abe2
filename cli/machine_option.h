/*
 * The machine of a command: --machine, and --no-prefetch and --no-tlb, which take
 * prefetchers and TLBs out of it, as the caches of textbooks have none.
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"

struct ml_arena;
struct ml_err;
struct ml_machine;

/* A field `without` of the command's options. */
struct machine_without {
	bool prefetch, tlb;
};

/* clang-format off */
#define OPT_WITHOUT \
	OPT_FLAG("no-prefetch", 0, without.prefetch, \
		 "simulate the machine without its prefetchers, as textbooks do"), \
	OPT_FLAG("no-tlb", 0, without.tlb, "simulate the machine without its TLBs")
/* clang-format on */

/* The text with the parts no-prefetch and no-tlb, as asked. */
const char *machine_option_text(const char *text, const struct machine_without *w,
				struct ml_arena *a);
/* Reads a machine; text NULL: host. */
bool machine_option(struct ml_machine *m, const char *text,
		    const struct machine_without *w, struct ml_err *err);
