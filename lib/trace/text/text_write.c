#include "lib/trace/text/text.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/path.h"

/* With printf a dump would spend most of its time on numbers. */
static void put_decimal(struct ml_buf *out, uint64_t v)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	ml_buf_put(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void put_hex(struct ml_buf *out, uint64_t v)
{
	char digits[18], *at = digits + sizeof(digits);

	do
		*--at = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	*--at = 'x';
	*--at = '0';
	ml_buf_put(out, at, (size_t)(digits + sizeof(digits) - at));
}

/* Control characters in a name would break lines or upset a terminal. */
static void put_byte(struct ml_buf *out, char c)
{
	ml_buf_u8(out, (uint8_t)c < 0x20 || c == 0x7f ? '?' : (uint8_t)c);
}

static void put_shown(struct ml_buf *out, const char *text)
{
	while (*text)
		put_byte(out, *text++);
}

static void put_name(struct ml_buf *out, const char *name)
{
	bool quoted = !*name || strpbrk(name, " \"#");

	if (quoted)
		ml_buf_u8(out, '"');
	for (; *name; name++) {
		if (quoted && (*name == '"' || *name == '\\'))
			ml_buf_u8(out, '\\');
		put_byte(out, *name);
	}
	if (quoted)
		ml_buf_u8(out, '"');
}

/* frame: the one of the site's to be shown */
static void put_site(struct ml_buf *out, const struct ml_tables *t, uint32_t number,
		     struct ml_frame frame)
{
	const struct ml_site *site = &t->sites.at[number];

	if (frame.file) {
		put_name(out, ml_tables_text(t, frame.file));
		ml_buf_u8(out, ':');
		put_decimal(out, frame.line);
	} else if (site->ip)
		put_hex(out, site->ip);
	else
		ml_buf_u8(out, '?');
	if (frame.func) {
		ml_buf_u8(out, ' ');
		put_shown(out, ml_tables_text(t, frame.func));
	}
	if (!frame.file && site->object) {
		ml_buf_text(out, " [");
		put_shown(out, ml_path_name(ml_tables_text(t, site->object)));
		ml_buf_u8(out, ']');
	}
}

/* The line of the user's code that a reference of a library counts for: that of the call,
 * or of the function that the library's code is inlined into. */
static void put_caller(struct ml_buf *out, const struct ml_tables *t,
		       const struct ml_ref *ref)
{
	uint32_t number = ref->caller ? ref->caller : ref->site;
	struct ml_frame inner = ml_tables_frame(t, number);
	struct ml_frame own = ml_tables_own_frame(t, number);

	if (!ref->caller && own.func == inner.func && own.file == inner.file &&
	    own.line == inner.line)
		return;
	ml_buf_text(out, " <- ");
	put_site(out, t, number, own);
}

void ml_text_put_ref(struct ml_buf *out, const struct ml_tables *t,
		     const struct ml_ref *ref, const char *datum)
{
	put_decimal(out, ref->time);
	ml_buf_u8(out, ' ');
	ml_buf_u8(out, (uint8_t)ml_text_kind(ml_what_kind(ref->what)));
	ml_buf_u8(out, ' ');
	put_hex(out, ref->addr);
	ml_buf_u8(out, ' ');
	put_decimal(out, ml_what_size(ref->what));
	ml_buf_u8(out, ' ');
	put_decimal(out, ref->thread);
	if (ref->site || ref->caller) {
		ml_buf_u8(out, ' ');
		put_site(out, t, ref->site, ml_tables_frame(t, ref->site));
		put_caller(out, t, ref);
	}
	if (datum && *datum) {
		ml_buf_text(out, " # ");
		put_shown(out, datum);
	}
	ml_buf_u8(out, '\n');
}

static void put_thread(struct ml_buf *out, uint16_t thread)
{
	if (thread > 1) {
		ml_buf_text(out, " @");
		put_decimal(out, thread);
	}
	ml_buf_u8(out, '\n');
}

void ml_text_put_mark(struct ml_buf *out, const struct ml_tables *t,
		      const struct ml_mark *m)
{
	static const char *const words[] = { "mark ", "begin ", "end " };

	ml_buf_text(out, words[m->kind]);
	put_name(out, ml_tables_text(t, m->name));
	put_thread(out, m->thread);
}

void ml_text_put_state(struct ml_buf *out, const struct ml_tables *t,
		       const struct ml_state *s)
{
	ml_buf_text(out, "state ");
	put_name(out, ml_tables_text(t, s->name));
	ml_buf_text(out, s->value < 0 ? " -" : " ");
	put_decimal(out, s->value < 0 ? 0 - (uint64_t)s->value : (uint64_t)s->value);
	put_thread(out, s->thread);
}

void ml_text_put_gap(struct ml_buf *out, const struct ml_gap *g)
{
	ml_buf_text(out, "gap ");
	if (g->count)
		put_decimal(out, g->count);
	else
		ml_buf_u8(out, '?');
	ml_buf_u8(out, ' ');
	ml_buf_text(out, ml_text_gap_reason(g->reason));
	ml_buf_u8(out, '\n');
}

void ml_text_put_begin(struct ml_buf *out, const struct ml_tables *t,
		       const struct ml_block *b)
{
	const struct ml_region *r = &t->regions.at[b->region];

	ml_buf_text(out, r->kind == ML_REGION_REGISTERED ? "region "
			 : r->kind == ML_REGION_GLOBAL   ? "global "
							 : "alloc ");
	put_name(out, ml_tables_text(t, r->name));
	ml_buf_u8(out, ' ');
	put_hex(out, b->addr);
	ml_buf_u8(out, ' ');
	put_decimal(out, b->size);
	for (uint64_t i = 0, bytes = r->elem; r->elem && i <= r->dims; i++) {
		/* a block smaller than its region's dimensions is written without them */
		if (i && (!r->dim[i - 1] || bytes > b->size / r->dim[i - 1]))
			break;
		bytes *= i ? r->dim[i - 1] : 1;
		ml_buf_u8(out, ' ');
		put_decimal(out, i ? r->dim[i - 1] : r->elem);
	}
	ml_buf_u8(out, '\n');
}

void ml_text_put_end(struct ml_buf *out, const struct ml_tables *t,
		     const struct ml_block *b)
{
	ml_buf_text(out, t->regions.at[b->region].kind == ML_REGION_REGISTERED
				 ? "unregion "
				 : "free ");
	put_hex(out, b->addr);
	ml_buf_u8(out, '\n');
}
