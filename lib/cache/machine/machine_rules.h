/*
 * The rules that a machine must obey. machine_parse.c reads the words; these functions
 * check them against each other, and every refusal gives the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"

/*
 * Computes the ways and sets of a level from its size and line. full: the level is one
 * set. If the text gives no ways (!said), a level with fewer lines gets fewer ways.
 */
bool ml_machine_geometry(struct ml_level_spec *s, uint32_t ways, bool full, bool said,
			 struct ml_err *err);

/* Checks the levels against each other. */
bool ml_machine_check(const struct ml_machine *m, struct ml_err *err);
