/*
 * The tables of a trace: lists of the entries of table_entries.h. Writer and reader use the
 * same struct. The writer adds entries, and ml_tables_put serialises the entries added
 * since its last call; the reader passes the bytes to ml_tables_get.
 *
 * A name is an index into `names`; name 0 is empty. Site 0 and region 0 mean "unknown",
 * so that 0 needs no special case.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/map.h"
#include "lib/trace/table_entries.h"

#define ML_LIST(type) \
	struct { \
		type *at; \
		size_t count, cap, put; /* put: number of entries already serialised */ \
	}

struct ml_tables {
	struct ml_names names;
	size_t names_put;
	ML_LIST(struct ml_frame) frames;
	ML_LIST(struct ml_site) sites;
	ML_LIST(struct ml_field) fields;
	ML_LIST(uint32_t) stacks; /* sites */
	ML_LIST(struct ml_region) regions;
	ML_LIST(struct ml_block)
	globals; /* blocks that live forever, of GLOBAL, SECTION, CODE... */
	ML_LIST(struct ml_thread)
	threads; /* a later entry of the same id replaces an earlier one */
	ML_LIST(struct ml_mapping) mappings;
	ML_LIST(struct ml_mark) marks;
	ML_LIST(struct ml_state) states;
	ML_LIST(struct ml_gap) gaps;
	ML_LIST(struct ml_wait) waits; /* in order of time */
	ML_LIST(struct ml_meta) meta;
	struct ml_map places; /* sites that ml_tables_place made, by hash */
};

/* Appends one zeroed entry to a list and yields its address. */
#define ML_ADD(list) \
	((list).at = ml_grow((list).at, &(list).cap, (list).count + 1, \
			     sizeof(*(list).at)), \
	 &(list).at[(list).count++])

void ml_tables_init(struct ml_tables *t); /* adds name 0, site 0 and region 0 */
void ml_tables_release(struct ml_tables *t);

uint32_t ml_tables_name(struct ml_tables *t, const char *text);
const char *ml_tables_text(const struct ml_tables *t, uint32_t name);
/* Adds a site; count is 0 and frames NULL when only the address is known. */
uint32_t ml_tables_site(struct ml_tables *t, uint64_t ip, const char *object, bool user,
			const struct ml_frame *frames, uint32_t count);
/* The site of a place in the source without an address (text traces, importers). The
 * first call for a place adds the site, later calls find it. */
uint32_t ml_tables_place(struct ml_tables *t, const char *func, const char *file,
			 uint32_t line);
void ml_tables_meta(struct ml_tables *t, const char *key, const char *value);
/* The last value given for key, or NULL. */
const char *ml_tables_meta_find(const struct ml_tables *t, const char *key);

/* The innermost frame of a site; zeros if the site has none. */
struct ml_frame ml_tables_frame(const struct ml_tables *t, uint32_t site);
/* Is it a source of the user, by its path? The system's sources lie below /usr. */
bool ml_tables_is_own_source(const char *path);
/* Of the functions inlined at a site, the innermost one in a source of the user that is
 * no accessor; else the innermost one. */
struct ml_frame ml_tables_own_frame(const struct ml_tables *t, uint32_t site);

/* Appends the entries that were not serialised yet. */
void ml_tables_put(struct ml_tables *t, struct ml_buf *out);
bool ml_tables_get(struct ml_tables *t, struct ml_bytes *in, struct ml_err *err);
bool ml_tables_pending(const struct ml_tables *t); /* there are such entries */
