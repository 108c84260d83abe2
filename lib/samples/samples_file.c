#include "lib/samples/samples_file.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/newfile.h"
#include "lib/base/work.h"
#include "lib/samples/samples.h"
#include "lib/samples/samples_make.h"

static const char magic[8] = "MLSAMPLE";

enum { VERSION = 1, HEADER = 64, ALIGN = 64 };

bool ml_samples_file_is(const char *path)
{
	return ml_file_begins_with(path, magic, sizeof(magic));
}

struct output {
	struct ml_newfile file;
	uint64_t at;
};

static bool write_part(struct output *o, const void *bytes, uint64_t size,
		       struct ml_err *err)
{
	static const char zeros[ALIGN];
	size_t pad = (size_t)(-(size + o->at) % ALIGN);

	o->at += size + pad;
	return ml_newfile_write(&o->file, bytes, (size_t)size, err) &&
	       ml_newfile_write(&o->file, zeros, pad, err);
}

static uint64_t missing_bytes(uint64_t rows)
{
	return (rows + 63) / 64 * 8;
}

static void put_topology(struct ml_buf *d, const struct ml_topology *t)
{
	ml_buf_string(d, t->count ? t->name : "");
	ml_buf_varint(d, t->count);
	for (size_t i = 0; i < t->count; i++) {
		ml_buf_varint(d, t->nodes[i].type);
		ml_buf_varint(d, t->nodes[i].level);
		ml_buf_varint(d, t->nodes[i].number);
		ml_buf_varint(d, t->nodes[i].size);
		ml_buf_varint(d, t->nodes[i].parent);
	}
}

static bool write_columns(const struct ml_samples *s, struct output *o, struct ml_buf *d,
			  const struct ml_work *work, struct ml_err *err)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_samples_column *c = &s->columns[i];

		ml_work_progress(work, "writing samples", i, s->count);
		if (!ml_work_goes_on(work, err))
			return false;
		ml_buf_string(d, c->name);
		ml_buf_varint(d, c->kind);
		ml_buf_varint(d, c->role);
		ml_buf_varint(d, c->hex);
		ml_buf_varint(d, c->width);
		ml_buf_u64(d, c->base);
		ml_buf_u64(d, c->min);
		ml_buf_u64(d, c->max);
		ml_buf_u64(d, o->at);
		ml_buf_u64(d, ml_hash(c->cells, (size_t)(s->rows * c->width)));
		if (!write_part(o, c->cells, s->rows * c->width, err))
			return false;
		ml_buf_varint(d, c->missing_count);
		if (c->missing_count) {
			uint64_t size = missing_bytes(s->rows);

			ml_buf_u64(d, o->at);
			ml_buf_u64(d, ml_hash(c->missing, (size_t)size));
			if (!write_part(o, c->missing, size, err))
				return false;
		}
		ml_buf_varint(d, c->name_count);
		for (size_t n = 0; n < c->name_count; n++)
			ml_buf_string(d, c->names[n]);
	}
	return true;
}

/* Where the directory will stand. The header, which is written first, names it. */
static uint64_t columns_end(const struct ml_samples *s)
{
	uint64_t at = HEADER;

	for (size_t i = 0; i < s->count; i++) {
		at += (s->rows * s->columns[i].width + ALIGN - 1) / ALIGN * ALIGN;
		if (s->columns[i].missing_count)
			at += (missing_bytes(s->rows) + ALIGN - 1) / ALIGN * ALIGN;
	}
	return at;
}

bool ml_samples_file_write(const struct ml_samples *s, const char *path, uint64_t *size,
			   const struct ml_work *work, struct ml_err *err)
{
	struct output o = { .at = HEADER };
	struct ml_buf head = { 0 }, d = { 0 };

	if (!ml_newfile_open(&o.file, path, err))
		return false;
	ml_buf_put(&head, magic, sizeof(magic));
	ml_buf_u32(&head, VERSION);
	ml_buf_u32(&head, 0);
	ml_buf_u64(&head, s->rows);
	ml_buf_u64(&head, s->count);
	ml_buf_u64(&head, columns_end(s));
	ml_buf_u64(&head, ml_hash(head.data, head.size));
	while (head.size < HEADER)
		ml_buf_u8(&head, 0);
	bool ok = ml_newfile_write(&o.file, head.data, head.size, err);
	ml_buf_string(&d, s->format);
	ml_buf_string(&d, s->note);
	ml_buf_varint(&d, s->skipped);
	ml_buf_varint(&d, s->bad);
	for (size_t i = 0; i < s->bad && i < ML_SAMPLES_BAD_SHOWN; i++) {
		ml_buf_varint(&d, s->bad_shown[i].line);
		ml_buf_string(&d, s->bad_shown[i].reason);
	}
	put_topology(&d, &s->topology);
	ok = ok && write_columns(s, &o, &d, work, err);
	ml_buf_u64(&d, ml_hash(d.data, d.size));
	ok = ok && ml_newfile_write(&o.file, d.data, d.size, err);
	if (size)
		*size = o.file.bytes;
	ml_buf_release(&head);
	ml_buf_release(&d);
	if (!ok) {
		ml_newfile_abandon(&o.file);
		return false;
	}
	return ml_newfile_close(&o.file, err);
}

struct input {
	struct ml_samples *s;
	const char *path;
	struct ml_bytes d;
};

static bool hash_is(const void *bytes, size_t size, uint64_t hash)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)bytes, (void)size, (void)hash;
	return true;
#else
	return ml_hash(bytes, size) == hash;
#endif
}

static bool damaged(const struct input *in, const char *what, struct ml_err *err)
{
	return ml_fail(err, ML_FORMAT, "%s: %s", in->path, what);
}

static const char *take_string(struct input *in)
{
	uint64_t size = ml_bytes_varint(&in->d);
	const uint8_t *text = NULL;

	if (size <= (uint64_t)(in->d.end - in->d.at))
		text = ml_bytes_take(&in->d, (size_t)size);
	else
		in->d.bad = true;
	return text ? ml_arena_copy(&in->s->arena, text, (size_t)size) : "";
}

/* size bytes of the file at an offset that the directory names; NULL: damaged. */
static const void *take_part(struct input *in, uint64_t size)
{
	uint64_t at = ml_bytes_u64(&in->d), hash = ml_bytes_u64(&in->d);
	const struct ml_file_map *m = &in->s->map;

	if (in->d.bad || at % ALIGN || at > m->size || size > m->size - at ||
	    !hash_is(m->data + at, (size_t)size, hash))
		return NULL;
	return m->data + at;
}

static bool read_topology(struct input *in, struct ml_err *err)
{
	struct ml_topology *t = &in->s->topology;
	const char *name = take_string(in);
	uint64_t count = ml_bytes_varint(&in->d);

	if (count > ML_TOPOLOGY_NODES_MAX || count > (uint64_t)(in->d.end - in->d.at))
		return damaged(in, "the tree of the hardware is damaged", err);
	*t = (struct ml_topology){ .name = name, .count = (size_t)count };
	t->nodes = ml_arena_alloc(&in->s->arena, t->count * sizeof(*t->nodes));
	for (size_t i = 0; i < t->count; i++) {
		uint64_t type = ml_bytes_varint(&in->d), level = ml_bytes_varint(&in->d);

		t->nodes[i].type = type < ML_TOPOLOGY_TYPES ? (enum ml_topology_type)type
							    : ML_TOPOLOGY_TYPES;
		t->nodes[i].level = level > 99 ? 99 : (unsigned)level;
		t->nodes[i].number = ml_bytes_varint(&in->d);
		t->nodes[i].size = ml_bytes_varint(&in->d);
		uint64_t parent = ml_bytes_varint(&in->d);
		t->nodes[i].parent = parent > UINT32_MAX ? UINT32_MAX : (uint32_t)parent;
	}
	return ml_topology_index(t, in->path, &in->s->arena, err);
}

/* Numbers of names must be below the count of names, in every row. */
static bool names_fit(const struct ml_samples_column *c, uint64_t rows)
{
	for (uint64_t i = 0; i < rows; i++)
		if (ml_samples_bits(c, i) >= c->name_count)
			return false;
	return true;
}

static bool read_column(struct input *in, struct ml_err *err)
{
	struct ml_samples *s = in->s;
	const char *name = take_string(in);
	uint64_t kind = ml_bytes_varint(&in->d), role = ml_bytes_varint(&in->d),
		 hex = ml_bytes_varint(&in->d), width = ml_bytes_varint(&in->d);

	if (in->d.bad || kind >= ML_SAMPLES_KINDS || role >= ML_SAMPLES_ROLES ||
	    hex > 1 || (width != 1 && width != 2 && width != 4 && width != 8) ||
	    (kind == ML_SAMPLES_REAL && width != 8))
		return damaged(in, "the directory of columns is damaged", err);
	size_t index = ml_samples_add_column(s, name, (enum ml_samples_kind)kind);
	struct ml_samples_column *c = &s->columns[index];
	if (role)
		ml_samples_set_role(s, index, (enum ml_samples_role)role);
	c->hex = hex != 0;
	c->width = (unsigned)width;
	c->base = ml_bytes_u64(&in->d);
	c->min = ml_bytes_u64(&in->d);
	c->max = ml_bytes_u64(&in->d);
	c->cells = take_part(in, s->rows * width);
	c->missing_count = ml_bytes_varint(&in->d);
	if (c->missing_count)
		c->missing = take_part(in, missing_bytes(s->rows));
	if (!c->cells || (c->missing_count && !c->missing) || c->missing_count > s->rows)
		return ml_fail(err, ML_FORMAT, "%s: the column '%s' is damaged", in->path,
			       name);
	c->name_count = (size_t)ml_bytes_varint(&in->d);
	if (c->name_count > (uint64_t)(in->d.end - in->d.at))
		return damaged(in, "the directory of columns is damaged", err);
	const char **names = ml_arena_alloc(&s->arena,
					    (c->name_count + 1) * sizeof(*names));
	for (size_t i = 0; i < c->name_count; i++)
		names[i] = take_string(in);
	c->names = names;
	if (in->d.bad || (kind == ML_SAMPLES_NAMES && !names_fit(c, s->rows)) ||
	    ml_samples_key(c, c->min) > ml_samples_key(c, c->max))
		return ml_fail(err, ML_FORMAT, "%s: the column '%s' is damaged", in->path,
			       name);
	return true;
}

static bool read_directory(struct input *in, uint64_t columns, const struct ml_work *work,
			   struct ml_err *err)
{
	struct ml_samples *s = in->s;

	s->format = take_string(in);
	s->note = take_string(in);
	s->skipped = ml_bytes_varint(&in->d);
	s->bad = ml_bytes_varint(&in->d);
	for (size_t i = 0; i < s->bad && i < ML_SAMPLES_BAD_SHOWN; i++) {
		s->bad_shown[i].line = ml_bytes_varint(&in->d);
		s->bad_shown[i].reason = take_string(in);
	}
	if (!read_topology(in, err))
		return false;
	for (uint64_t i = 0; i < columns; i++) {
		ml_work_progress(work, "opening samples", i, columns);
		if (!ml_work_goes_on(work, err) || !read_column(in, err))
			return false;
	}
	return !in->d.bad || damaged(in, "the directory of columns is damaged", err);
}

static bool read_header(struct input *in, uint64_t *columns, struct ml_err *err)
{
	struct ml_samples *s = in->s;
	const uint8_t *data = s->map.data;
	struct ml_bytes h = { data, data + s->map.size, false };

	if (s->map.size < HEADER + 8 || memcmp(data, magic, sizeof(magic)) != 0)
		return damaged(in, "it is no table of samples", err);
	ml_bytes_take(&h, sizeof(magic));
	uint32_t version = ml_bytes_u32(&h);
	ml_bytes_u32(&h);
	s->rows = ml_bytes_u64(&h);
	*columns = ml_bytes_u64(&h);
	uint64_t at = ml_bytes_u64(&h), hash = ml_bytes_u64(&h);
	if (version != VERSION)
		return ml_fail(err, ML_FORMAT,
			       "%s: version %" PRIu32
			       " of the format; this program reads %d",
			       in->path, version, VERSION);
	if (!hash_is(data, 40, hash) || *columns > ML_SAMPLES_COLUMNS_MAX ||
	    at < HEADER || s->rows > s->map.size || at > s->map.size - 8)
		return damaged(in, "the header is damaged, or the file is cut off", err);
	in->d = (struct ml_bytes){ data + at, data + s->map.size - 8, false };
	struct ml_bytes tail = { in->d.end, in->d.end + 8, false };
	if (!hash_is(in->d.at, (size_t)(in->d.end - in->d.at), ml_bytes_u64(&tail)))
		return damaged(in, "the directory is damaged, or the file is cut off",
			       err);
	return true;
}

bool ml_samples_file_open(struct ml_samples *s, const char *path,
			  const struct ml_work *work, struct ml_err *err)
{
	struct input in = { .s = s, .path = path };
	uint64_t columns = 0;

	ml_samples_init(s);
	/* a copy: numbers that were checked once serve as indices later */
	if (!ml_file_map_copy(&s->map, path, err)) {
		s->map.data = NULL;
		return false;
	}
	s->path = ml_arena_strdup(&s->arena, path);
	bool ok = read_header(&in, &columns, err) &&
		  read_directory(&in, columns, work, err);
	if (!ok)
		ml_samples_close(s);
	return ok;
}
