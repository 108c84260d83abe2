/*
 * The din formats of the Dinero simulators. Traditional: label (0 read, 1 write, 2
 * fetch), hexadecimal address, and the rest of the line is a comment. Extended
 * (Dinero IV, -informat D): a letter r, w or i, hexadecimal address and
 * hexadecimal size. A whole hexadecimal number in third place is taken as the
 * size in both. Other labels (escapes, flushes, copybacks) name no memory that the
 * program touched; they are errors and not skipped silently.
 */
#include "record/import/trace_import.h"

#include <string.h>

#include "lib/trace/text/scan.h"

enum { DEFAULT_SIZE = 4 };

struct record {
	enum ml_kind kind;
	uint64_t addr, size; /* size 0: not given */
};

static const char *hex_word(const char *at, const char *end, uint64_t *v)
{
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	at = ml_scan_hex(at, end, v);
	return at && (at == end || ml_scan_blank(*at)) ? at : NULL;
}

/* Reads a line. NULL: it is valid; otherwise what is wrong at *word. */
static const char *parse(const char *at, const char *end, struct record *r,
			 const char **word)
{
	*word = at;
	switch (*at++) {
	case '0':
	case 'r': r->kind = ML_READ; break;
	case '1':
	case 'w': r->kind = ML_WRITE; break;
	case '2':
	case 'i': r->kind = ML_FETCH; break;
	default: return "a label is 0 read, 1 write or 2 fetch, not";
	}
	if (at < end && !ml_scan_blank(*at))
		return "a label is 0 read, 1 write or 2 fetch, not";
	*word = at = ml_scan_blanks(at, end);
	at = hex_word(at, end, &r->addr);
	if (!at)
		return "expected a hexadecimal address, not";
	at = ml_scan_blanks(at, end);
	if (at == end || !hex_word(at, end, &r->size))
		r->size = 0;
	return NULL;
}

/*
 * Only digits as labels, and no 0x: a line with a letter, or with a number before a kind
 * (2 f 0x400 4 1), may belong to a text trace.
 */
static bool detect(const struct ml_import_probe *probe)
{
	const char *text = probe->bytes, *end = memchr(text, '\n', probe->lines),
		   *at = end ? ml_scan_blanks(text, end) : NULL;
	struct record r;
	const char *word;

	return end && at < end && *at <= '9' && !parse(at, end, &r, &word) &&
	       !memchr(word, 'x', (size_t)(end - word));
}

static bool read_din(struct ml_trace_import *im, struct ml_err *err)
{
	struct ml_line_window *in = &im->in;
	uint64_t size = im->options->size ? im->options->size : DEFAULT_SIZE;

	for (; ml_line_window_lines(in, err); in->line++) {
		const char *end = memchr(in->at, '\n', (size_t)(in->end - in->at));
		const char *at = ml_scan_blanks(in->at, end), *word;
		struct ml_ref ref = { .thread = 1 };
		struct record r;

		if (at < end) {
			const char *reason = parse(at, end, &r, &word);

			if (reason) {
				const char *stop = word;

				while (stop < end && !ml_scan_blank(*stop))
					stop++;
				return ml_trace_import_bad(im, reason, word,
							   (size_t)(stop - word), err);
			}
			ref.addr = r.addr;
			if ((r.kind != ML_FETCH || im->options->fetch) &&
			    !ml_trace_import_ref(im, &ref, r.kind, r.size ? r.size : size,
						 err))
				return false;
		}
		in->at = in->data + (end + 1 - in->data);
	}
	return err->kind == ML_OK;
}

static bool run(struct ml_import *import, struct ml_err *err)
{
	return ml_trace_import_run(import, read_din, err);
}

const struct ml_importer ml_importer_din = {
	.name = "din",
	.what = "Dinero: label and hexadecimal address, one reference a line",
	ML_TRACE_IMPORT,
	.detect = detect,
	.run = run,
};
