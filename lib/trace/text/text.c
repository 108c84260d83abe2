#include "lib/trace/text/text.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/text/scan.h"
#include "lib/trace/text/text_parts.h"
#include "lib/trace/writer.h"

enum { DEFAULT_SIZE = 8, DEFAULT_SIZE_LRW = 4, SIZE_LARGEST = 16 << 20 };

static const char *const gap_reasons[] = {
	[ML_GAP_SKIPPED] = "skipped", [ML_GAP_SAMPLING] = "sampling",
	[ML_GAP_FAULT] = "fault",     [ML_GAP_LOST] = "lost",
	[ML_GAP_LIMIT] = "limit",
};

const char *ml_text_gap_reason(enum ml_gap_reason reason)
{
	return gap_reasons[reason];
}

char ml_text_kind(enum ml_kind kind)
{
	return "rwf?"[kind];
}

void ml_text_init(struct ml_text *t, struct ml_writer *w, const char *name)
{
	*t = (struct ml_text){ .writer = w, .name = name, .thread = 1 };
}

void ml_text_release(struct ml_text *t)
{
	ml_names_release(&t->places);
	ml_names_release(&t->regions);
	ml_free(t->place_site);
	ml_free(t->region_number);
	ml_buf_release(&t->scratch);
	*t = (struct ml_text){ 0 };
}

static bool to_thread(const struct ml_text_line *l, uint64_t v, struct ml_scan_word w,
		      uint16_t *thread)
{
	*thread = (uint16_t)v;
	return (v && v <= UINT16_MAX) ||
	       ml_text_bad(l, "threads are numbered from 1 to 65535, not", w);
}

static bool to_size(const struct ml_text_line *l, uint64_t v, struct ml_scan_word w,
		    uint64_t *size)
{
	*size = v;
	return (v && v <= SIZE_LARGEST) ||
	       ml_text_bad(l, "a reference has 1 byte to 16 MiB, not", w);
}

/* Reads "@2" at the end of a mark, if it is there, and sets the writer's thread. */
static bool use_thread(struct ml_text_line *l)
{
	uint16_t thread = l->t->thread;
	struct ml_scan_word w;
	uint64_t v;

	if (ml_text_word(l, &w)) {
		struct ml_scan_word digits = { w.at + 1, w.size - 1 };

		if (w.at[0] != '@' || !ml_scan_whole(digits, &v))
			return ml_text_bad(l, "expected nothing or @THREAD, not", w);
		if (!to_thread(l, v, w, &thread))
			return false;
	}
	ml_writer_thread(l->t->writer, thread);
	return true;
}

static bool ends(struct ml_text_line *l)
{
	struct ml_scan_word w;

	return !ml_text_word(l, &w) || ml_text_bad(l, "unexpected", w);
}

enum { MODIFY = ML_FETCH + 1 };

static int kind_of(char c)
{
	switch (c | 0x20) {
	case 'r': return ML_READ;
	case 'w': return ML_WRITE;
	case 'f': return ML_FETCH;
	case 'm': return MODIFY;
	}
	return -1;
}

static bool emit(struct ml_text_line *l, int kind, uint64_t size,
		 const struct ml_ref *ref)
{
	struct ml_writer *w = l->t->writer;

	if (kind == ML_FETCH && l->t->no_fetch)
		return true;
	if (kind != MODIFY)
		return ml_writer_large_ref(w, ref, (enum ml_kind)kind, size, l->err);
	return ml_writer_large_ref(w, ref, ML_READ, size, l->err) &&
	       ml_writer_large_ref(w, ref, ML_WRITE, size, l->err);
}

/* r0x40:4@2+8*10 */
static bool compact(struct ml_text_line *l, struct ml_scan_word w)
{
	struct ml_ref ref = { .site = l->t->site, .thread = l->t->thread };
	const char *end = w.at + w.size, *at = NULL;
	uint64_t size = l->t->size ? l->t->size : DEFAULT_SIZE;
	uint64_t count = 1, stride = 0, v;
	int kind = kind_of(w.at[0]);

	if (kind >= 0 && w.at[0] >= 'a')
		at = ml_scan_number(w.at + 1, end, &ref.addr);
	if (!at)
		return ml_text_bad(l, "expected a reference or a directive, not", w);
	while (at < end) {
		char part = *at;

		at = ml_scan_number(at + 1, end, &v);
		if (!at)
			return ml_text_bad(l, "a number is missing or too large in", w);
		if (part == '*')
			count = v;
		else if (part == '+')
			stride = v;
		else if (part == '-')
			stride = 0 - v;
		else if (part == ':') {
			if (!to_size(l, v, w, &size))
				return false;
		} else if (part == '@') {
			if (!to_thread(l, v, w, &ref.thread))
				return false;
		} else
			return ml_text_bad(
				l, "expected :SIZE, @THREAD, *COUNT, +STRIDE in", w);
	}
	for (; count; count--, ref.addr += stride)
		if (!emit(l, kind, size, &ref))
			return false;
	return true;
}

/* Reads FILE:LINE, "FILE":LINE, 0xIP or ?. */
static bool place(struct ml_text_line *l, uint64_t *ip, struct ml_scan_word *file,
		  uint64_t *line)
{
	struct ml_scan_word w;

	*ip = *line = 0;
	if (l->at < l->end && *l->at == '"') {
		ml_buf_reserve(&l->t->scratch, 1);
		if (!ml_text_unquote(l, file))
			return false;
		ml_text_word(l, &w);
		if (w.size < 2 || w.at[0] != ':' ||
		    !ml_scan_whole((struct ml_scan_word){ w.at + 1, w.size - 1 }, line))
			return ml_text_bad(l, "expected :LINE after the file, not", w);
		return *line <= UINT32_MAX || ml_text_bad(l, "no line can be", w);
	}
	ml_text_word(l, &w);
	*file = (struct ml_scan_word){ w.at, 0 };
	if (w.size == 1 && *w.at == '?')
		return true;
	if (w.size > 2 && w.at[0] == '0' && w.at[1] == 'x' && ml_scan_whole(w, ip))
		return true;
	const char *colon = memrchr(w.at, ':', w.size);
	*file = w;
	if (colon && ml_scan_decimal(colon + 1, w.at + w.size, line) == w.at + w.size)
		file->size = (size_t)(colon - w.at);
	if (!file->size)
		return ml_text_bad(l, "expected FILE:LINE, not", w);
	return *line <= UINT32_MAX || ml_text_bad(l, "no line can be", w);
}

/* The site of a text. The reader parses each different text once. */
static bool find_site(struct ml_text_line *l, struct ml_scan_word text, uint32_t *site)
{
	struct ml_tables *tables = ml_writer_tables(l->t->writer);
	struct ml_text_line inner = { l->t, text.at, text.at + text.size, l->err };
	size_t known = l->t->places.count;
	uint32_t i = ml_names_add_bytes(&l->t->places, text.at, text.size);
	struct ml_scan_word file, func, object = { "", 0 };
	uint64_t ip, line;

	if (i < known) {
		*site = l->t->place_site[i];
		return true;
	}
	l->t->place_site = ml_grow(l->t->place_site, &l->t->place_cap, known + 1,
				   sizeof(*l->t->place_site));
	if (!place(&inner, &ip, &file, &line))
		return false;
	inner.at = ml_scan_blanks(inner.at, inner.end);
	func = (struct ml_scan_word){ inner.at, (size_t)(inner.end - inner.at) };
	if (func.size && func.at[func.size - 1] == ']') {
		const char *open = memrchr(func.at, '[', func.size);

		if (open && (open == func.at || ml_scan_blank(open[-1]))) {
			object = (struct ml_scan_word){ open + 1,
							(size_t)(inner.end - open) - 2 };
			for (func.size = (size_t)(open - func.at);
			     func.size && ml_scan_blank(func.at[func.size - 1]);)
				func.size--;
		}
	}
	struct ml_frame frame = {
		ml_names_add_bytes(&tables->names, func.at, func.size),
		ml_names_add_bytes(&tables->names, file.at, file.size),
		(uint32_t)line,
	};
	if (ip || object.size) {
		uint32_t name = ml_names_add_bytes(&tables->names, object.at,
						   object.size);

		*site = ml_tables_site(tables, ip, ml_tables_text(tables, name), true,
				       &frame, frame.func || frame.file);
	} else if (!frame.func && !frame.file)
		*site = ML_NO_SITE;
	else
		*site = ml_tables_place(tables, ml_tables_text(tables, frame.func),
					ml_tables_text(tables, frame.file), frame.line);
	l->t->place_site[i] = *site;
	return true;
}

/* ADDRESS [SIZE [THREAD [SITE [<- CALLER]]]], after the letter of the kind. */
static bool one_reference(struct ml_text_line *l, int kind, uint64_t size)
{
	struct ml_ref ref = { .site = l->t->site, .thread = l->t->thread };
	struct ml_scan_word w;
	uint64_t v;

	if (!ml_text_number(l, "expected an address, not", &ref.addr))
		return false;
	if (ml_text_word(l, &w)) {
		if (!ml_scan_whole(w, &v))
			return ml_text_bad(l, "expected a size, not", w);
		if (!to_size(l, v, w, &size))
			return false;
	}
	if (ml_text_word(l, &w)) {
		if (!ml_scan_whole(w, &v))
			return ml_text_bad(l, "expected a thread, not", w);
		if (!to_thread(l, v, w, &ref.thread))
			return false;
	}
	w = ml_text_rest(l);
	if (w.size) {
		const char *arrow = memmem(w.at, w.size, " <- ", 4);
		struct ml_scan_word site = w, caller;

		if (arrow) {
			site.size = (size_t)(arrow - w.at);
			caller = (struct ml_scan_word){ arrow + 4,
							w.size - site.size - 4 };
			if (!find_site(l, caller, &ref.caller))
				return false;
		}
		if (!find_site(l, site, &ref.site))
			return false;
	}
	return emit(l, kind, size, &ref);
}

/* The region of a kind and name; a new one is a copy of `as`. */
static uint32_t find_region(struct ml_text_line *l, enum ml_region_kind kind,
			    struct ml_scan_word name, const struct ml_region *as)
{
	struct ml_text *t = l->t;
	struct ml_tables *tables = ml_writer_tables(t->writer);
	uint32_t text = ml_names_add_bytes(&tables->names, name.at, name.size);
	char key[32];
	size_t known = t->regions.count;

	snprintf(key, sizeof(key), "%d %u", kind, text);
	uint32_t i = ml_names_add(&t->regions, key);
	if (i == known) {
		struct ml_region *r = ML_ADD(tables->regions);

		*r = *as;
		r->kind = kind;
		r->name = text;
		t->region_number = ml_grow(t->region_number, &t->region_cap, known + 1,
					   sizeof(*t->region_number));
		t->region_number[i] = (uint32_t)tables->regions.count - 1;
	}
	return t->region_number[i];
}

/* NAME BASE SIZE [ELEM [DIM...]] */
static bool block(struct ml_text_line *l, enum ml_region_kind kind, struct ml_block *b)
{
	struct ml_region r = { .elem = 0 };
	struct ml_scan_word name, w;

	if (!ml_text_name(l, &name) ||
	    !ml_text_number(l, "expected a base address, not", &b->addr) ||
	    !ml_text_number(l, "expected a size, not", &b->size))
		return false;
	if (!b->size || b->size - 1 > UINT64_MAX - b->addr)
		return ml_text_bad(
			l, "the size is 0 or exceeds the address space for region", name);
	if (ml_text_word(l, &w) && (!ml_scan_whole(w, &r.elem) || !r.elem))
		return ml_text_bad(l, "expected the bytes of an element, not", w);
	for (uint64_t bytes = r.elem; ml_text_word(l, &w); r.dims++) {
		uint64_t d;

		if (r.dims == ML_DIMS)
			return ml_text_bad(
				l, "a region has at most four dimensions, unexpected", w);
		if (!ml_scan_whole(w, &d) || !d)
			return ml_text_bad(l, "expected the elements of a dimension, not",
					   w);
		if (bytes > b->size / d)
			return ml_text_bad(
				l,
				"the dimensions need more bytes than the size of region",
				name);
		bytes *= d;
		r.dim[r.dims] = d;
	}
	b->region = find_region(l, kind, name, &r);
	return true;
}

/* A global, heap or registered block, by the kind of its region. */
static bool do_block(struct ml_text_line *l, int kind)
{
	struct ml_block b = { .until = ML_FOREVER };

	if (!block(l, (enum ml_region_kind)kind, &b))
		return false;
	if (kind == ML_REGION_GLOBAL)
		*ML_ADD(ml_writer_tables(l->t->writer)->globals) = b;
	else if (kind == ML_REGION_HEAP)
		ml_writer_alloc(l->t->writer, b.region, b.addr, b.size);
	else
		ml_writer_register(l->t->writer, b.region, b.addr, b.size);
	return true;
}

static bool do_end(struct ml_text_line *l, int kind)
{
	uint64_t base;

	if (!ml_text_number(l, "expected a base address, not", &base) || !ends(l))
		return false;
	if (kind == ML_REGION_HEAP)
		ml_writer_free(l->t->writer, base);
	else
		ml_writer_unregister(l->t->writer, base);
	return true;
}

/* Reads a name, and stores it in the tables, because reading on overwrites scratch. */
static bool table_name(struct ml_text_line *l, const char **name)
{
	struct ml_tables *tables = ml_writer_tables(l->t->writer);
	struct ml_scan_word w;

	if (!ml_text_name(l, &w))
		return false;
	*name = ml_tables_text(tables, ml_names_add_bytes(&tables->names, w.at, w.size));
	return true;
}

static bool do_mark(struct ml_text_line *l, int kind)
{
	const char *name;

	if (!table_name(l, &name) || !use_thread(l) || !ends(l))
		return false;
	ml_writer_mark(l->t->writer, (enum ml_mark_kind)kind, name);
	return true;
}

static bool do_state(struct ml_text_line *l, int unused)
{
	const char *name;
	struct ml_scan_word w;
	uint64_t v;

	(void)unused;
	if (!table_name(l, &name))
		return false;
	ml_text_word(l, &w);
	bool minus = w.size && w.at[0] == '-';
	struct ml_scan_word digits = { w.at + minus, w.size - minus };
	if (!ml_scan_whole(digits, &v) || v > (uint64_t)INT64_MAX + minus)
		return ml_text_bad(l, "expected the value of a state, not", w);
	if (!use_thread(l) || !ends(l))
		return false;
	ml_writer_state(l->t->writer, name, (int64_t)(minus ? 0 - v : v));
	return true;
}

static bool do_thread(struct ml_text_line *l, int unused)
{
	struct ml_scan_word w;
	uint64_t v;

	(void)unused;
	ml_text_word(l, &w);
	if (!ml_scan_whole(w, &v))
		return ml_text_bad(l, "expected a thread, not", w);
	if (!to_thread(l, v, w, &l->t->thread) || !ends(l))
		return false;
	ml_writer_thread(l->t->writer, l->t->thread);
	return true;
}

static bool do_gap(struct ml_text_line *l, int unused)
{
	unsigned reason = ML_GAP_SKIPPED;
	struct ml_scan_word w;
	uint64_t count = 0;

	(void)unused;
	ml_text_word(l, &w);
	if (!(w.size == 1 && *w.at == '?') && !ml_scan_whole(w, &count))
		return ml_text_bad(l, "expected the number of references or ?, not", w);
	if (ml_text_word(l, &w)) {
		for (reason = 0; reason <= ML_GAP_LIMIT; reason++)
			if (strlen(gap_reasons[reason]) == w.size &&
			    !memcmp(gap_reasons[reason], w.at, w.size))
				break;
		if (reason > ML_GAP_LIMIT)
			return ml_text_bad(
				l,
				"a gap is skipped, sampling, fault, lost or limit, not",
				w);
	}
	if (!ends(l))
		return false;
	ml_writer_gap(l->t->writer, count, (enum ml_gap_reason)reason);
	return true;
}

static const struct directive {
	const char *name;
	bool (*run)(struct ml_text_line *l, int arg);
	int arg;
} directives[] = {
	{ "region", do_block, ML_REGION_REGISTERED },
	{ "unregion", do_end, ML_REGION_REGISTERED },
	{ "global", do_block, ML_REGION_GLOBAL },
	{ "alloc", do_block, ML_REGION_HEAP },
	{ "free", do_end, ML_REGION_HEAP },
	{ "mark", do_mark, ML_MARK_POINT },
	{ "begin", do_mark, ML_MARK_BEGIN },
	{ "end", do_mark, ML_MARK_END },
	{ "state", do_state, 0 },
	{ "thread", do_thread, 0 },
	{ "gap", do_gap, 0 },
};

static const struct directive *find_directive(struct ml_scan_word w)
{
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (strlen(directives[i].name) == w.size &&
		    !memcmp(directives[i].name, w.at, w.size))
			return &directives[i];
	return NULL;
}

static bool read_line(struct ml_text_line *l)
{
	struct ml_text *t = l->t;
	struct ml_scan_word w, time = { 0 };
	uint64_t v;

	if (!ml_text_word(l, &w))
		return true;
	if (ml_scan_whole(w, &v)) {
		time = w;
		if (!ml_text_word(l, &w))
			return ml_text_bad(l, "expected a reference after the time",
					   time);
	}
	if (w.size == 1 && kind_of(*w.at) >= 0) {
		unsigned usual = *w.at >= 'a' ? DEFAULT_SIZE : DEFAULT_SIZE_LRW;

		return one_reference(l, kind_of(*w.at), t->size ? t->size : usual);
	}
	if (time.size)
		return ml_text_bad(l, "expected r, w, m or f after the time, not", w);
	if (w.size == 1 && *w.at == 'L') {
		w = ml_text_rest(l);
		if (!w.size)
			return ml_text_bad(l, "expected FILE:LINE, not", w);
		return find_site(l, w, &t->site);
	}
	if (w.size > 2) {
		const struct directive *d = find_directive(w);

		if (d)
			return d->run(l, d->arg);
	}
	do {
		if (!compact(l, w))
			return false;
	} while (ml_text_word(l, &w));
	return true;
}

bool ml_text_lines(struct ml_text *t, const char *text, size_t size, struct ml_err *err)
{
	const char *end = text + size;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct ml_text_line l = { t, text, stop ? stop : end, err };

		t->line++;
		if (!read_line(&l))
			return false;
		text = stop ? stop + 1 : end;
	}
	return true;
}

bool ml_text_region(struct ml_text *t, const char *line, size_t size, struct ml_err *err)
{
	struct ml_text_line l = { t, line, line + size, err };
	struct ml_scan_word w;

	t->line++;
	if (!ml_text_word(&l, &w))
		return true;
	l.at = line;
	return do_block(&l, ML_REGION_REGISTERED);
}
