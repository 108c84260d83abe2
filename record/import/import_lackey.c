/*
 * The output of `valgrind --tool=lackey --trace-mem=yes`:
 *
 *	I  04015d92,3      an instruction of 3 bytes
 *	 L 1ffefff7d8,8    its references: load, store,
 *	 S 1ffefff7e0,8
 *	 M 0421c7cc,4      modify, which is a read and then a write
 *
 * Lines of Valgrind itself (==pid==, --pid--, **pid**) are skipped. An instruction is the
 * site of the references below it. Nothing is known of the site but its address.
 */
#include "record/import/trace_import.h"

#include <string.h>

#include "lib/base/map.h"
#include "lib/trace/text/scan.h"
#include "lib/trace/tables.h"
#include "lib/trace/writer.h"

enum { CACHE = 4096 };

struct lackey {
	struct ml_trace_import *im;
	struct ml_tables *tables;
	struct ml_map sites; /* by instruction address */
	uint64_t ip;         /* of the last I line */
	bool known;          /* ref.site is the site of ip */
	struct ml_ref ref;
	/* A loop has few instructions, so most lookups hit this cache. */
	struct {
		uint64_t ip;
		uint32_t site;
	} cache[CACHE];
};

static uint32_t find_site(struct lackey *l)
{
	size_t i = (l->ip ^ l->ip >> 12) % CACHE;

	if (l->cache[i].ip != l->ip || !l->cache[i].site) {
		bool is_new;
		uint64_t *site = ml_map_add(&l->sites, l->ip, &is_new);

		if (is_new)
			*site = ml_tables_site(l->tables, l->ip, "", true, NULL, 0);
		l->cache[i].ip = l->ip;
		l->cache[i].site = (uint32_t)*site;
	}
	return l->cache[i].site;
}

/* Reads ADDRESS,SIZE; returns the byte behind it, or NULL. */
static const char *parse(const char *at, const char *end, uint64_t *addr, uint64_t *size)
{
	at = ml_scan_hex(at, end, addr);
	if (!at || *at != ',')
		return NULL;
	at = ml_scan_decimal(at + 1, end, size);
	if (at && *at == '\r')
		at++;
	return at && *at == '\n' ? at : NULL;
}

static bool is_noise(const char *at, const char *end)
{
	return ml_scan_blanks(at, end) == end ||
	       (end - at > 2 && at[0] == at[1] && strchr("=-*", at[0]));
}

static bool data(struct lackey *l, char letter, uint64_t addr, uint64_t size,
		 struct ml_err *err)
{
	if (!l->known) {
		l->ref.site = l->ip ? find_site(l) : ML_NO_SITE;
		l->known = true;
	}
	l->ref.addr = addr;
	if (letter != 'M')
		return ml_trace_import_ref(l->im, &l->ref,
					   letter == 'S' ? ML_WRITE : ML_READ, size, err);
	if (!ml_trace_import_ref(l->im, &l->ref, ML_READ, size, err))
		return false;
	l->ref.addr = addr;
	return ml_trace_import_ref(l->im, &l->ref, ML_WRITE, size, err);
}

static bool fetch(struct lackey *l, uint64_t addr, uint64_t size, struct ml_err *err)
{
	l->ip = addr;
	l->known = false;
	if (!l->im->options->fetch)
		return true;
	l->known = true;
	l->ref.site = find_site(l);
	l->ref.addr = addr;
	return ml_trace_import_ref(l->im, &l->ref, ML_FETCH, size, err);
}

/* Reads the lines of the window. Each ends in a newline, so one byte of lookahead is
 * safe. */
static bool window(struct lackey *l, struct ml_err *err)
{
	struct ml_line_window *in = &l->im->in;
	const char *at = in->at, *end = in->end;

	for (; at < end; in->line++) {
		const char *behind = NULL;
		uint64_t addr, size;
		char letter = 0;

		if (end - at > 3) {
			letter = at[0] == ' ' ? at[1] : at[0];
			if (at[2] == ' ' && (letter == 'I' || letter == 'L' ||
					     letter == 'S' || letter == 'M'))
				behind = parse(at + 3, end, &addr, &size);
		}
		if (behind) {
			if (!(letter == 'I' ? fetch(l, addr, size, err)
					    : data(l, letter, addr, size, err)))
				return false;
		} else {
			behind = memchr(at, '\n', (size_t)(end - at));
			if (!is_noise(at, behind))
				return ml_trace_import_bad(l->im,
							   "no line of lackey:", at,
							   (size_t)(behind - at), err);
		}
		at = behind + 1;
	}
	in->at = in->end;
	return true;
}

static bool read_lackey(struct ml_trace_import *im, struct ml_err *err)
{
	struct lackey *l = ml_resize(NULL, sizeof(*l));
	bool ok = true;

	*l = (struct lackey){ .im = im, .tables = ml_writer_tables(im->writer) };
	l->ref.thread = 1;
	while (ok && ml_line_window_lines(&im->in, err))
		ok = window(l, err);
	ml_map_release(&l->sites);
	ml_free(l);
	return ok && err->kind == ML_OK;
}

static bool detect(const struct ml_import_probe *probe)
{
	const char *text = probe->bytes, *end = text + probe->lines;
	uint64_t addr, length;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!is_noise(text, stop))
			return stop - text > 5 && text[2] == ' ' &&
			       strchr("I LSM", text[0]) && strchr(" LSM", text[1]) &&
			       (text[0] == ' ') != (text[1] == ' ') &&
			       parse(text + 3, end, &addr, &length);
		text = stop + 1;
	}
	return false;
}

static bool run(struct ml_import *import, struct ml_err *err)
{
	return ml_trace_import_run(import, read_lackey, err);
}

const struct ml_importer ml_importer_lackey = {
	.name = "lackey",
	.what = "memory trace of the Valgrind tool lackey",
	ML_TRACE_IMPORT,
	.detect = detect,
	.run = run,
};
