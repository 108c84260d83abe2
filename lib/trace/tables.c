#include "lib/trace/tables.h"

#include <assert.h>
#include <string.h>

#include "lib/trace/ref.h"

const char *ml_region_kind_name(enum ml_region_kind kind)
{
	static const char *const names[ML_REGION_KINDS] = {
		[ML_REGION_OTHER] = "other",
		[ML_REGION_GLOBAL] = "global",
		[ML_REGION_HEAP] = "heap",
		[ML_REGION_STACK] = "stack",
		[ML_REGION_REGISTERED] = "registered",
		[ML_REGION_MMAP] = "mmap",
		[ML_REGION_SECTION] = "section",
		[ML_REGION_CODE] = "code",
	};

	return names[kind];
}

void ml_tables_init(struct ml_tables *t)
{
	*t = (struct ml_tables){ 0 };
	ml_names_add(&t->names, "");
	ML_ADD(t->sites);
	struct ml_region *other = ML_ADD(t->regions);
	other->kind = ML_REGION_OTHER;
	other->name = ml_tables_name(t, "other");
	/* Every trace starts with these entries, so the writer never writes them. */
	t->names_put = t->names.count;
	t->sites.put = t->sites.count;
	t->regions.put = t->regions.count;
}

void ml_tables_release(struct ml_tables *t)
{
	ml_names_release(&t->names);
	ml_free(t->frames.at);
	ml_free(t->sites.at);
	ml_free(t->fields.at);
	ml_free(t->stacks.at);
	ml_free(t->regions.at);
	ml_free(t->globals.at);
	ml_free(t->threads.at);
	ml_free(t->mappings.at);
	ml_free(t->marks.at);
	ml_free(t->states.at);
	ml_free(t->gaps.at);
	ml_free(t->waits.at);
	ml_free(t->meta.at);
	ml_map_release(&t->places);
	*t = (struct ml_tables){ 0 };
}

uint32_t ml_tables_name(struct ml_tables *t, const char *text)
{
	return ml_names_add(&t->names, text);
}

const char *ml_tables_text(const struct ml_tables *t, uint32_t name)
{
	return t->names.text[name];
}

uint32_t ml_tables_site(struct ml_tables *t, uint64_t ip, const char *object, bool user,
			const struct ml_frame *frames, uint32_t count)
{
	struct ml_site *site = ML_ADD(t->sites);

	site->ip = ip;
	site->object = ml_tables_name(t, object);
	site->user = user;
	site->frame = (uint32_t)t->frames.count;
	site->frames = count;
	for (uint32_t i = 0; i < count; i++)
		*ML_ADD(t->frames) = frames[i];
	return (uint32_t)t->sites.count - 1;
}

uint32_t ml_tables_place(struct ml_tables *t, const char *func, const char *file,
			 uint32_t line)
{
	struct ml_frame frame = { ml_tables_name(t, func), ml_tables_name(t, file),
				  line };
	bool is_new;
	uint64_t *site = ml_map_add(&t->places, ml_hash(&frame, sizeof(frame)), &is_new);

	if (is_new)
		*site = ml_tables_site(t, 0, "", true, &frame, 1);
	return (uint32_t)*site;
}

void ml_tables_meta(struct ml_tables *t, const char *key, const char *value)
{
	struct ml_meta *m = ML_ADD(t->meta);

	m->key = ml_tables_name(t, key);
	m->value = ml_tables_name(t, value);
}

const char *ml_tables_meta_find(const struct ml_tables *t, const char *key)
{
	uint32_t name = ml_names_find(&t->names, key);

	for (size_t i = t->meta.count; i-- > 0;)
		if (t->meta.at[i].key == name)
			return ml_tables_text(t, t->meta.at[i].value);
	return NULL;
}

struct ml_frame ml_tables_frame(const struct ml_tables *t, uint32_t site)
{
	const struct ml_site *s = &t->sites.at[site];

	return s->frames ? t->frames.at[s->frame] : (struct ml_frame){ 0 };
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Files in /usr/local and /usr/src belong to the user. */
bool ml_tables_is_own_source(const char *path)
{
	return *path && (!starts(path, "/usr/") || starts(path, "/usr/local/") ||
			 starts(path, "/usr/src/"));
}

struct ml_frame ml_tables_own_frame(const struct ml_tables *t, uint32_t site)
{
	const struct ml_site *s = &t->sites.at[site];

	for (uint32_t i = s->accessors; i < s->frames; i++) {
		const struct ml_frame *f = &t->frames.at[s->frame + i];

		if (f->line && ml_tables_is_own_source(ml_tables_text(t, f->file)))
			return *f;
	}
	return ml_tables_frame(t, site);
}

/*
 * The serialised form is a sequence of sections: a tag, the number of entries, the
 * entries. The function that writes an entry and the function that reads it stand side
 * by side.
 */
enum tag {
	TAG_NAMES = 1,
	TAG_FRAMES,
	TAG_SITES,
	TAG_FIELDS,
	TAG_STACKS,
	TAG_REGIONS,
	TAG_GLOBALS,
	TAG_THREADS,
	TAG_MAPPINGS,
	TAG_MARKS,
	TAG_STATES,
	TAG_GAPS,
	TAG_META,
	TAG_WAITS,
};

static void put_frame(struct ml_buf *b, const struct ml_frame *f)
{
	ml_buf_varint(b, f->func);
	ml_buf_varint(b, f->file);
	ml_buf_varint(b, f->line);
}

/* A number below limit; a larger one marks the input as bad. */
static uint32_t get_below(struct ml_bytes *in, size_t limit)
{
	uint64_t v = ml_bytes_varint(in);

	if (v >= limit) {
		in->bad = true;
		return 0;
	}
	return (uint32_t)v;
}

static uint32_t get_name(struct ml_bytes *in, const struct ml_tables *t)
{
	return get_below(in, t->names.count);
}

static void get_frame(struct ml_bytes *in, const struct ml_tables *t, struct ml_frame *f)
{
	f->func = get_name(in, t);
	f->file = get_name(in, t);
	f->line = get_below(in, UINT32_MAX);
}

/* Bits 1 to 6 of the flags of a site. */
enum { SITE_ACCESSORS = 63 };

static void put_site(struct ml_buf *b, const struct ml_site *s)
{
	ml_buf_varint(b, s->ip);
	ml_buf_varint(b, s->object);
	ml_buf_varint(b, s->frame);
	ml_buf_varint(b, s->frames);
	assert(s->accessors <= SITE_ACCESSORS);
	ml_buf_u8(b, (uint8_t)(s->user | s->accessors << 1 | s->streaming << 7));
}

static void get_span(struct ml_bytes *in, size_t limit, uint32_t *first, uint32_t *count)
{
	*first = get_below(in, limit + 1);
	*count = get_below(in, limit - *first + 1);
}

static void get_site(struct ml_bytes *in, const struct ml_tables *t, struct ml_site *s)
{
	s->ip = ml_bytes_varint(in);
	s->object = get_name(in, t);
	get_span(in, t->frames.count, &s->frame, &s->frames);
	uint8_t flags = ml_bytes_u8(in);
	s->user = flags & 1;
	s->accessors = flags >> 1 & SITE_ACCESSORS;
	s->streaming = flags >> 7;
	if (s->accessors && s->accessors >= s->frames)
		in->bad = true;
}

static void put_field(struct ml_buf *b, const struct ml_field *f)
{
	ml_buf_varint(b, f->name);
	ml_buf_varint(b, f->type);
	ml_buf_varint(b, f->offset);
	ml_buf_varint(b, f->size);
}

static void get_field(struct ml_bytes *in, const struct ml_tables *t, struct ml_field *f)
{
	f->name = get_name(in, t);
	f->type = get_name(in, t);
	f->offset = ml_bytes_varint(in);
	f->size = ml_bytes_varint(in);
}

/* With the number of dimensions: lower bounds follow the extents. */
enum { COLUMN_MAJOR = 8 };

static void put_region(struct ml_buf *b, const struct ml_region *r)
{
	ml_buf_varint(b, r->kind);
	ml_buf_varint(b, r->name);
	ml_buf_varint(b, r->type);
	ml_buf_varint(b, r->object);
	ml_buf_varint(b, r->file);
	ml_buf_varint(b, r->line);
	ml_buf_varint(b, r->func);
	ml_buf_varint(b, r->elem);
	ml_buf_varint(b, r->dims | (r->column_major ? COLUMN_MAJOR : 0));
	for (uint32_t i = 0; i < r->dims; i++)
		ml_buf_varint(b, r->dim[i]);
	for (uint32_t i = 0; r->column_major && i < r->dims; i++)
		ml_buf_zigzag(b, r->low[i]);
	ml_buf_varint(b, r->field);
	ml_buf_varint(b, r->fields);
	ml_buf_varint(b, r->stack);
	ml_buf_varint(b, r->depth);
	ml_buf_varint(b, r->thread);
}

static void get_region(struct ml_bytes *in, const struct ml_tables *t,
		       struct ml_region *r)
{
	r->kind = (enum ml_region_kind)get_below(in, ML_REGION_KINDS);
	r->name = get_name(in, t);
	r->type = get_name(in, t);
	r->object = get_name(in, t);
	r->file = get_name(in, t);
	r->line = get_below(in, UINT32_MAX);
	r->func = get_name(in, t);
	r->elem = ml_bytes_varint(in);
	r->dims = get_below(in, (COLUMN_MAJOR | ML_DIMS) + 1);
	r->column_major = r->dims & COLUMN_MAJOR;
	r->dims &= ~(uint32_t)COLUMN_MAJOR;
	if (r->dims > ML_DIMS)
		in->bad = true;
	if (in->bad)
		r->dims = 0;
	for (uint32_t i = 0; i < r->dims; i++)
		r->dim[i] = ml_bytes_varint(in);
	for (uint32_t i = 0; r->column_major && i < r->dims; i++)
		r->low[i] = ml_bytes_zigzag(in);
	get_span(in, t->fields.count, &r->field, &r->fields);
	get_span(in, t->stacks.count, &r->stack, &r->depth);
	r->thread = (uint16_t)get_below(in, UINT16_MAX + 1);
}

static void put_block(struct ml_buf *b, const struct ml_block *x)
{
	ml_buf_varint(b, x->addr);
	ml_buf_varint(b, x->size);
	ml_buf_varint(b, x->from);
	ml_buf_varint(b, x->region);
}

static void get_block(struct ml_bytes *in, const struct ml_tables *t, struct ml_block *x)
{
	x->addr = ml_bytes_varint(in);
	x->size = ml_bytes_varint(in);
	x->from = ml_bytes_varint(in);
	x->until = ML_FOREVER;
	x->region = get_below(in, t->regions.count);
}

static void put_thread(struct ml_buf *b, const struct ml_thread *x)
{
	ml_buf_varint(b, x->id);
	ml_buf_varint(b, x->parent);
	ml_buf_varint(b, x->name);
	ml_buf_varint(b, x->from);
	ml_buf_varint(b, x->until + 1); /* forever becomes 0 */
	ml_buf_varint(b, x->stack_low);
	ml_buf_varint(b, x->stack_high);
}

static void get_thread(struct ml_bytes *in, const struct ml_tables *t,
		       struct ml_thread *x)
{
	x->id = (uint16_t)get_below(in, UINT16_MAX + 1);
	x->parent = (uint16_t)get_below(in, UINT16_MAX + 1);
	x->name = get_name(in, t);
	x->from = ml_bytes_varint(in);
	x->until = ml_bytes_varint(in) - 1;
	x->stack_low = ml_bytes_varint(in);
	x->stack_high = ml_bytes_varint(in);
}

static void put_mapping(struct ml_buf *b, const struct ml_mapping *m)
{
	ml_buf_varint(b, m->time);
	ml_buf_varint(b, m->low);
	ml_buf_varint(b, m->high);
	ml_buf_varint(b, m->offset);
	ml_buf_varint(b, m->path);
	ml_buf_varint(b, m->kind);
	ml_buf_u8(b, m->prot);
}

static void get_mapping(struct ml_bytes *in, const struct ml_tables *t,
			struct ml_mapping *m)
{
	m->time = ml_bytes_varint(in);
	m->low = ml_bytes_varint(in);
	m->high = ml_bytes_varint(in);
	m->offset = ml_bytes_varint(in);
	m->path = get_name(in, t);
	m->kind = (enum ml_mapping_kind)get_below(in, ML_MAPPING_NONE + 1);
	m->prot = ml_bytes_u8(in);
}

static void put_mark(struct ml_buf *b, const struct ml_mark *m)
{
	ml_buf_varint(b, m->time);
	ml_buf_varint(b, m->name);
	ml_buf_varint(b, m->kind);
	ml_buf_varint(b, m->thread);
}

static void get_mark(struct ml_bytes *in, const struct ml_tables *t, struct ml_mark *m)
{
	m->time = ml_bytes_varint(in);
	m->name = get_name(in, t);
	m->kind = (enum ml_mark_kind)get_below(in, ML_MARK_END + 1);
	m->thread = (uint16_t)get_below(in, UINT16_MAX + 1);
}

static void put_state(struct ml_buf *b, const struct ml_state *s)
{
	ml_buf_varint(b, s->time);
	ml_buf_zigzag(b, s->value);
	ml_buf_varint(b, s->name);
	ml_buf_varint(b, s->thread);
}

static void get_state(struct ml_bytes *in, const struct ml_tables *t, struct ml_state *s)
{
	s->time = ml_bytes_varint(in);
	s->value = ml_bytes_zigzag(in);
	s->name = get_name(in, t);
	s->thread = (uint16_t)get_below(in, UINT16_MAX + 1);
}

static void put_gap(struct ml_buf *b, const struct ml_gap *g)
{
	ml_buf_varint(b, g->time);
	ml_buf_varint(b, g->count);
	ml_buf_varint(b, g->reason);
}

static void get_gap(struct ml_bytes *in, const struct ml_tables *t, struct ml_gap *g)
{
	(void)t;
	g->time = ml_bytes_varint(in);
	g->count = ml_bytes_varint(in);
	g->reason = (enum ml_gap_reason)get_below(in, ML_GAP_LIMIT + 1);
}

static void put_meta(struct ml_buf *b, const struct ml_meta *m)
{
	ml_buf_varint(b, m->key);
	ml_buf_varint(b, m->value);
}

static void get_meta(struct ml_bytes *in, const struct ml_tables *t, struct ml_meta *m)
{
	m->key = get_name(in, t);
	m->value = get_name(in, t);
}

static void put_wait(struct ml_buf *b, const struct ml_wait *w)
{
	ml_buf_varint(b, w->time);
	ml_buf_varint(b, w->time - w->until);
	ml_buf_varint(b, w->thread);
	ml_buf_varint(b, w->of);
}

static void get_wait(struct ml_bytes *in, const struct ml_tables *t, struct ml_wait *w)
{
	uint64_t back;

	w->time = ml_bytes_varint(in);
	back = ml_bytes_varint(in);
	w->thread = (uint16_t)get_below(in, UINT16_MAX + 1);
	w->of = (uint16_t)get_below(in, UINT16_MAX + 1);
	if (back > w->time ||
	    (t->waits.count > 1 && w[-1].time > w->time)) /* w is the last entry */
		in->bad = true;
	else
		w->until = w->time - back;
}

static void put_stack(struct ml_buf *b, const uint32_t *site)
{
	ml_buf_varint(b, *site);
}

static void get_stack(struct ml_bytes *in, const struct ml_tables *t, uint32_t *site)
{
	*site = get_below(in, t->sites.count);
}

static void put_head(struct ml_buf *out, enum tag tag, size_t count)
{
	ml_buf_u8(out, (uint8_t)tag);
	ml_buf_varint(out, count);
}

#define PUT(list, tag, put_one) \
	do { \
		if ((list).put == (list).count) \
			break; \
		put_head(out, tag, (list).count - (list).put); \
		for (; (list).put < (list).count; (list).put++) \
			put_one(out, &(list).at[(list).put]); \
	} while (0)

void ml_tables_put(struct ml_tables *t, struct ml_buf *out)
{
	if (t->names_put < t->names.count) {
		put_head(out, TAG_NAMES, t->names.count - t->names_put);
		for (; t->names_put < t->names.count; t->names_put++)
			ml_buf_string(out, t->names.text[t->names_put]);
	}
	PUT(t->frames, TAG_FRAMES, put_frame);
	PUT(t->sites, TAG_SITES, put_site);
	PUT(t->fields, TAG_FIELDS, put_field);
	PUT(t->stacks, TAG_STACKS, put_stack);
	PUT(t->regions, TAG_REGIONS, put_region);
	PUT(t->globals, TAG_GLOBALS, put_block);
	PUT(t->threads, TAG_THREADS, put_thread);
	PUT(t->mappings, TAG_MAPPINGS, put_mapping);
	PUT(t->marks, TAG_MARKS, put_mark);
	PUT(t->states, TAG_STATES, put_state);
	PUT(t->gaps, TAG_GAPS, put_gap);
	PUT(t->meta, TAG_META, put_meta);
	PUT(t->waits, TAG_WAITS, put_wait);
}

#define PENDING(list) ((list).put < (list).count)

bool ml_tables_pending(const struct ml_tables *t)
{
	return t->names_put < t->names.count || PENDING(t->frames) || PENDING(t->sites) ||
	       PENDING(t->fields) || PENDING(t->stacks) || PENDING(t->regions) ||
	       PENDING(t->globals) || PENDING(t->threads) || PENDING(t->mappings) ||
	       PENDING(t->marks) || PENDING(t->states) || PENDING(t->gaps) ||
	       PENDING(t->meta) || PENDING(t->waits);
}

/* A repeated name is an error: it would shift the numbers of all later names. */
static void get_names(struct ml_tables *t, struct ml_bytes *in, uint64_t count)
{
	for (uint64_t i = 0; i < count && !in->bad; i++) {
		size_t size = ml_bytes_varint(in);
		const uint8_t *text = ml_bytes_take(in, size);
		size_t number = t->names.count;

		if (text &&
		    ml_names_add_bytes(&t->names, (const char *)text, size) != number)
			in->bad = true;
	}
}

#define GET(list, get_one) \
	for (uint64_t i = 0; i < count && !in->bad; i++) { \
		get_one(in, t, ML_ADD(list)); \
	} \
	break

bool ml_tables_get(struct ml_tables *t, struct ml_bytes *in, struct ml_err *err)
{
	while (in->at < in->end && !in->bad) {
		enum tag tag = ml_bytes_u8(in);
		uint64_t count = ml_bytes_varint(in);

		switch (tag) {
		case TAG_NAMES: get_names(t, in, count); break;
		case TAG_FRAMES: GET(t->frames, get_frame);
		case TAG_SITES: GET(t->sites, get_site);
		case TAG_FIELDS: GET(t->fields, get_field);
		case TAG_STACKS: GET(t->stacks, get_stack);
		case TAG_REGIONS: GET(t->regions, get_region);
		case TAG_GLOBALS: GET(t->globals, get_block);
		case TAG_THREADS: GET(t->threads, get_thread);
		case TAG_MAPPINGS: GET(t->mappings, get_mapping);
		case TAG_MARKS: GET(t->marks, get_mark);
		case TAG_STATES: GET(t->states, get_state);
		case TAG_GAPS: GET(t->gaps, get_gap);
		case TAG_META: GET(t->meta, get_meta);
		case TAG_WAITS: GET(t->waits, get_wait);
		default:
			return ml_fail(err, ML_FORMAT,
				       "the tables have a section of unknown kind %d",
				       tag);
		}
	}
	return !in->bad || ml_fail(err, ML_FORMAT, "an entry of the tables is malformed");
}
