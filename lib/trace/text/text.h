/*
 * Traces as text, for tests, teaching and other tools: small enough to write by
 * hand and to check by eye. A line is one of
 *
 *	r0 w64:4 m0x80 r0+8*10 w0@2      any number of references, the compact form
 *	[TIME] r 0x7ffe10 8 1 a.c:12 main <- b.c:3 call # A[3]
 *	                                 one reference, as memlamp dump prints it
 *	L file.c:12                      the form of Choudhury's dissertation: a place in
 *	R 0x7000ffa0                     the source, then its reads and writes
 *	region A 0x1000 512 8 8 8        a directive
 *
 * in any order; # at the start of a word begins a comment. Numbers are decimal, or
 * hexadecimal with 0x.
 *
 * Compact form: kind (r read, w write, m modify = read then write, f fetch) and
 * address, then in any order :SIZE, @THREAD, *COUNT (repeat) and +STRIDE or
 * -STRIDE (between repetitions: r0+8*3 is r0 r8 r16).
 *
 * One reference a line: [TIME] KIND ADDRESS [SIZE [THREAD [SITE [<- CALLER]]]]. The
 * reader ignores the time. A site is FILE:LINE, or 0xIP if the source is unknown, or ?,
 * then the function and, in brackets, the program or library: "? main",
 * "0x401136 deflate [libz.so.1]". A file name with blanks, " or # is quoted:
 * "my file.c":12, with \" and \\ inside.
 *
 * Directives (names with blanks are quoted too):
 *
 *	region NAME BASE SIZE [ELEM [DIM...]]   register a region from here on; ELEM is
 *	                                        bytes, DIMs are elements, slowest first
 *	unregion BASE                           its end
 *	global NAME BASE SIZE [ELEM [DIM...]]   a variable, which lives from the start
 *	alloc NAME BASE SIZE [ELEM [DIM...]]    a heap block; equal names are one region
 *	free BASE
 *	mark NAME [@THREAD], begin NAME [@THREAD], end NAME [@THREAD]
 *	state NAME VALUE [@THREAD]
 *	thread N                                the thread of later references without one
 *	gap COUNT|? [REASON]                    references are missing here: skipped,
 *	                                        sampling, fault, lost or limit
 *
 * The default size is 8, and 4 for R and W.
 * Held by tests/trace/test_text.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/map.h"
#include "lib/trace/ref.h"
#include "lib/trace/tables.h"

struct ml_writer;

/* A reader of text. It takes whole lines, so a long file need not be in memory. */
struct ml_text {
	struct ml_writer *writer;
	const char *name; /* of the text, in messages */
	uint64_t line;    /* number of the line last read, from 1 */
	unsigned size;    /* of references without one; 0: the defaults above */
	bool no_fetch;    /* ignore fetches */

	uint32_t site;                   /* of references without one */
	uint16_t thread;                 /* of references without one */
	struct ml_names places, regions; /* seen so far */
	uint32_t *place_site;            /* site of each place */
	uint32_t *region_number;         /* number of each region */
	size_t place_cap, region_cap;
	struct ml_buf scratch; /* a name without its quotes */
};

void ml_text_init(struct ml_text *t, struct ml_writer *w, const char *name);
void ml_text_release(struct ml_text *t);

/* Reads lines; the last one may lack its line end. Messages have the form "name:line:
 * reason 'word'". */
bool ml_text_lines(struct ml_text *t, const char *text, size_t size, struct ml_err *err);

/* Reads "NAME BASE SIZE [ELEM [DIM...]]", a line of a registration file. */
bool ml_text_region(struct ml_text *t, const char *line, size_t size, struct ml_err *err);

/*
 * Writing: each function appends a line that the reader can read. A datum, unless NULL,
 * follows the reference as a comment.
 */
void ml_text_put_ref(struct ml_buf *out, const struct ml_tables *t,
		     const struct ml_ref *ref, const char *datum);
void ml_text_put_mark(struct ml_buf *out, const struct ml_tables *t,
		      const struct ml_mark *m);
void ml_text_put_state(struct ml_buf *out, const struct ml_tables *t,
		       const struct ml_state *s);
void ml_text_put_gap(struct ml_buf *out, const struct ml_gap *g);
/* A block that begins (region, global or alloc) or ends (unregion or free). */
void ml_text_put_begin(struct ml_buf *out, const struct ml_tables *t,
		       const struct ml_block *b);
void ml_text_put_end(struct ml_buf *out, const struct ml_tables *t,
		     const struct ml_block *b);

/* Words for kinds and reasons: "r", "sampling". */
char ml_text_kind(enum ml_kind kind);
const char *ml_text_gap_reason(enum ml_gap_reason reason);
