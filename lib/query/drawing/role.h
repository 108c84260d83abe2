/*
 * Colours of series by role. A figure names the role of a mark's colour and never the
 * colour itself; a painter looks the role up for a light or a dark ground. The tables are
 * kept here only: the SVG painter reads them, and /api/open sends them to the page.
 *
 * Words have separate colours that colour-blind readers can tell apart (Okabe and Ito,
 * with the pale ones made darker). Numbers have a sequence that also differs in
 * lightness. Heat goes from little to much.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_json;

enum ml_role_name {
	ML_ROLE_TEXT,
	ML_ROLE_MUTED,
	ML_ROLE_BACKGROUND,
	ML_ROLE_WORD,   /* the index-th of separate colours; they repeat */
	ML_ROLE_NUMBER, /* the index-th of `of` numbers in ascending order */
	ML_ROLE_HEAT,   /* by a value on the colour axis of the figure */
	ML_ROLES
};
extern const char *const ml_role_names[]; /* "text", "muted", "background", "word",
					     "number", "heat" */

struct ml_role {
	enum ml_role_name name;
	uint32_t index, of;
};

/* 0xrrggbb of a role other than heat. */
uint32_t ml_role_colour(struct ml_role r, bool dark);
uint32_t ml_role_word(uint32_t index, bool dark);
/* The colour at a share (0 to 1) of the way from little to much. */
uint32_t ml_role_heat(double share, bool dark);
/* Black or white, whichever can be read on the colour. */
uint32_t ml_role_readable(uint32_t rgb);

/* {"role":"number","index":1,"of":3} */
void ml_role_write(struct ml_role r, struct ml_json *w);
/* {"light":{"text":"#1c1e21",...,"word":["#0072b2",...]},"dark":{...}} */
void ml_role_tables_write(struct ml_json *w);
