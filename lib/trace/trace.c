#include "lib/trace/trace.h"

#include <string.h>

#include "lib/base/file.h"
#include "lib/base/map.h"
#include "lib/base/pack.h"
#include "lib/trace/events.h"
#include "lib/trace/format.h"

/* A block that is read on demand. */
struct ml_trace_part {
	uint64_t offset;
	enum ml_block_type type;
};

bool ml_trace_payload(const struct ml_trace *t, uint64_t offset,
		      struct ml_block_header *h, const uint8_t **payload,
		      struct ml_err *err)
{
	if (t->size - offset < ML_FORMAT_BLOCK_HEADER ||
	    !ml_format_get_block(t->data + offset, h))
		return ml_fail(err, ML_FORMAT, "%s: byte %llu: there is no block here",
			       t->path, (unsigned long long)offset);
	*payload = t->data + offset + ML_FORMAT_BLOCK_HEADER;
	if (h->size > t->size - offset - ML_FORMAT_BLOCK_HEADER)
		return ml_fail(err, ML_FORMAT, "%s: byte %llu: the block is truncated",
			       t->path, (unsigned long long)offset);
	if (!ml_format_sum_fits(*payload, h->size, h->sum))
		return ml_fail(err, ML_FORMAT,
			       "%s: byte %llu: the block's checksum is wrong", t->path,
			       (unsigned long long)offset);
	return true;
}

/* Decompresses the payload of a block to out. */
static bool unpack(const struct ml_trace *t, uint64_t offset, struct ml_buf *out,
		   struct ml_err *err)
{
	struct ml_unpacker unpacker = { 0 };
	struct ml_block_header h = { 0 };
	const uint8_t *payload = NULL;

	if (!ml_trace_payload(t, offset, &h, &payload, err))
		return false;
	if (h.count > ML_FORMAT_UNPACKED_MAX)
		return ml_fail(err, ML_FORMAT, "%s: byte %llu: the block is too large",
			       t->path, (unsigned long long)offset);
	out->size = 0;
	ml_buf_reserve(out, h.count + 1); /* so that data is not NULL */
	struct ml_err why;
	bool ok = ml_unpack(&unpacker, payload, h.size, out->data, h.count, &why);
	out->size = h.count;
	ml_unpacker_release(&unpacker);
	return ok || ml_fail(err, ML_FORMAT, "%s: byte %llu: %s", t->path,
			     (unsigned long long)offset, why.text);
}

static bool add_chunk(struct ml_trace *t, uint64_t offset,
		      const struct ml_block_header *h, struct ml_err *err)
{
	if (h->time != t->count || !h->count || h->count > UINT64_MAX - h->time)
		return ml_fail(
			err, ML_FORMAT,
			"%s: byte %llu: the chunk does not start where the last one ended",
			t->path, (unsigned long long)offset);
	t->chunks = ml_grow(t->chunks, &t->chunk_cap, t->chunk_count + 1,
			    sizeof(*t->chunks));
	t->chunks[t->chunk_count++] = (struct ml_chunk){ offset, h->time, h->count };
	t->count += h->count;
	return true;
}

static void add_part(struct ml_trace *t, uint64_t offset, enum ml_block_type type)
{
	t->parts = ml_grow(t->parts, &t->part_cap, t->part_count + 1, sizeof(*t->parts));
	t->parts[t->part_count++] = (struct ml_trace_part){ offset, type };
}

/* Adds a block to the trace. Tables and shapes are read now, other blocks later. */
static bool take_block(struct ml_trace *t, uint64_t offset,
		       const struct ml_block_header *h, struct ml_buf *raw,
		       struct ml_err *err)
{
	struct ml_err why;
	bool ok = true;

	switch (h->type) {
	case ML_BLOCK_REFS: return add_chunk(t, offset, h, err);
	case ML_BLOCK_EVENTS:
	case ML_BLOCK_SOURCE:
		add_part(t, offset, (enum ml_block_type)h->type);
		return true;
	case ML_BLOCK_TABLES:
	case ML_BLOCK_SHAPES:
	case ML_BLOCK_CONTROL: break;
	default: return true;
	}
	if (!unpack(t, offset, raw, err))
		return false;
	struct ml_bytes in = { raw->data, raw->data + raw->size, false };
	if (h->type == ML_BLOCK_TABLES)
		ok = ml_tables_get(&t->tables, &in, &why);
	else if (h->type == ML_BLOCK_SHAPES)
		ok = ml_shapes_get(&t->shapes, &in, t->tables.sites.count, &why);
	else
		ok = ml_control_get(&t->control, &t->shapes, &in, &why);
	return ok || ml_fail(err, ML_FORMAT, "%s: byte %llu: %s", t->path,
			     (unsigned long long)offset, why.text);
}

/* The trace ends before the block at `usable`. */
static void damaged(struct ml_trace *t, uint64_t usable, const char *why)
{
	size_t path = strlen(t->path);

	t->whole = false;
	t->usable = usable;
	if (!strncmp(why, t->path, path) && !strncmp(why + path, ": ", 2))
		why += path + 2; /* every caller names the file */
	t->damage = ml_arena_strdup(&t->arena, why);
}

/* Reads all block headers from the start. The first damaged block ends the trace. */
static void scan(struct ml_trace *t, struct ml_buf *raw)
{
	uint64_t offset = ML_FORMAT_HEADER;
	struct ml_err err = { 0 };

	t->usable = offset;
	while (offset < t->size) {
		struct ml_block_header h;
		const uint8_t *payload;
		bool ok = t->size - offset >= ML_FORMAT_BLOCK_HEADER &&
			  ml_format_get_block(t->data + offset, &h);
		uint64_t end = offset + ML_FORMAT_BLOCK_HEADER;

		if (ok && h.type == ML_BLOCK_INDEX)
			return;
		ok = ok && h.size <= t->size - end;
		end += ok ? h.size : 0;
		/* the writer begins a block only when the one before is whole, so only
		 * the last one needs its checksum verified */
		if ((!ok || end == t->size) &&
		    !ml_trace_payload(t, offset, &h, &payload, &err)) {
			damaged(t, offset, err.text);
			return;
		}
		if (!take_block(t, offset, &h, raw, &err)) {
			damaged(t, offset, err.text);
			return;
		}
		t->usable = offset = end;
	}
}

/* Opens the trace by its index. False: the index is missing or damaged. */
static bool read_index(struct ml_trace *t, struct ml_buf *raw, struct ml_err *err)
{
	struct ml_unpacker unpacker = { 0 };
	struct ml_block_header h;
	const uint8_t *payload;
	uint64_t at;

	if (t->size < ML_FORMAT_HEADER + ML_FORMAT_BLOCK_HEADER + ML_FORMAT_TRAILER ||
	    !ml_format_get_trailer(t->data + t->size - ML_FORMAT_TRAILER, &at) ||
	    at > t->size || !ml_trace_payload(t, at, &h, &payload, err) ||
	    h.type != ML_BLOCK_INDEX)
		return false;
	struct ml_bytes packed = { payload, payload + h.size, false };
	uint64_t size = ml_bytes_varint(&packed);
	if (packed.bad || size > ML_FORMAT_UNPACKED_MAX)
		return false;
	struct ml_buf index = { 0 };
	ml_buf_reserve(&index, size + 1);
	bool ok = ml_unpack(&unpacker, packed.at, (size_t)(packed.end - packed.at),
			    index.data, size, err);
	ml_unpacker_release(&unpacker);
	struct ml_bytes in = { index.data, index.data + (ok ? size : 0), false };
	t->usable = t->size;
	t->whole = ok;
	for (uint64_t i = 0; ok && i < h.count; i++) {
		struct ml_block_header b = { .type = (uint32_t)ml_bytes_varint(&in) };
		uint64_t offset = ml_bytes_varint(&in);

		b.time = ml_bytes_varint(&in);
		b.count = ml_bytes_varint(&in);
		ok = !in.bad && offset < at;
		if (ok && !take_block(t, offset, &b, raw, err)) {
			damaged(t, offset, err->text);
			break;
		}
	}
	ml_buf_release(&index);
	return ok;
}

/* Refuses a file that is no trace, and names what it is where its beginning tells. */
static bool fail_foreign(const struct ml_trace *t, struct ml_err *err)
{
	static const struct {
		const char *magic, *what;
	} known[] = {
		{ "mlensemb",
		  "an ensemble, which memlamp ensemble and memlamp view open" },
		{ "mlresult", "the result of a simulation, which memlamp diff reads" },
		{ "MLSAMPLE", "a table of samples, which memlamp samples reads" },
		{ "\177ELF", "a program, which memlamp record records" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t size = strlen(known[i].magic);

		if (t->size >= size && !memcmp(t->data, known[i].magic, size))
			return ml_fail(err, ML_FORMAT,
				       "%s: not a memlamp trace: it is %s", t->path,
				       known[i].what);
	}
	return ml_fail(err, ML_FORMAT, "%s: not a memlamp trace", t->path);
}

static bool check_header(struct ml_trace *t, struct ml_err *err)
{
	struct ml_file_header h;

	if (t->size < 8 || memcmp(t->data, ML_FORMAT_MAGIC, 8))
		return fail_foreign(t, err);
	if (t->size < ML_FORMAT_HEADER)
		return ml_fail(err, ML_FORMAT, "%s: %zu bytes are too few for a trace",
			       t->path, t->size);
	bool fits = ml_format_get_header(t->data, &h);
	if (h.version > ML_FORMAT_VERSION)
		return ml_fail(err, ML_FORMAT,
			       "%s: format version %u is newer than this memlamp, which "
			       "reads %u",
			       t->path, h.version, ML_FORMAT_VERSION);
	if (!fits)
		return ml_fail(err, ML_FORMAT,
			       "%s: byte 0: the header's checksum is wrong", t->path);
	/* older than memlamp 0.2.0, whose format 3 every later reader accepts
	 * (tests/formats) */
	if (h.version < ML_FORMAT_VERSION)
		return ml_fail(err, ML_FORMAT,
			       "%s: format version %u is older than this memlamp, which "
			       "reads %u; record it again",
			       t->path, h.version, ML_FORMAT_VERSION);
	t->version = h.version;
	t->created = h.created;
	memcpy(t->id, h.id, sizeof(t->id));
	return true;
}

/* Removes what a damaged index has added. */
static void forget(struct ml_trace *t)
{
	ml_tables_release(&t->tables);
	ml_shapes_release(&t->shapes);
	ml_control_release(&t->control);
	ml_tables_init(&t->tables);
	t->count = t->chunk_count = t->part_count = 0;
	t->whole = false;
	t->damage = NULL;
}

bool ml_trace_is(const char *path)
{
	return ml_file_begins_with(path, ML_FORMAT_MAGIC, 8);
}

bool ml_trace_open(struct ml_trace *t, const char *path, struct ml_err *err)
{
	struct ml_file_map map;
	struct ml_buf raw = { 0 };

	*t = (struct ml_trace){ 0 };
	if (!ml_file_map_open(&map, path, err))
		return false;
	t->path = ml_arena_strdup(&t->arena, path);
	t->data = map.data;
	t->size = map.size;
	ml_tables_init(&t->tables);
	if (!check_header(t, err)) {
		ml_trace_close(t);
		return false;
	}
	struct ml_err ignored;
	if (!read_index(t, &raw, &ignored)) {
		forget(t);
		scan(t, &raw);
	}
	ml_buf_release(&raw);
	return true;
}

void ml_trace_close(struct ml_trace *t)
{
	struct ml_file_map map = { t->data, t->size };

	ml_tables_release(&t->tables);
	ml_shapes_release(&t->shapes);
	ml_control_release(&t->control);
	ml_free(t->chunks);
	ml_free(t->blocks);
	ml_free(t->parts);
	ml_arena_release(&t->arena);
	ml_file_map_close(&map);
	*t = (struct ml_trace){ 0 };
}

/* `live` maps addresses to the newest live block that starts there, as index + 1. */
static void end_block(struct ml_trace *t, struct ml_map *live, uint64_t addr,
		      uint64_t time)
{
	uint64_t *at = ml_map_find(live, addr);

	if (at && *at) {
		t->blocks[*at - 1].until = time;
		*at = 0;
	}
}

static void take_event(struct ml_trace *t, struct ml_map live[2],
		       const struct ml_event *e)
{
	bool over = e->kind == ML_EVENT_REGISTER || e->kind == ML_EVENT_UNREGISTER;

	end_block(t, &live[over], e->addr, e->time);
	if (e->kind == ML_EVENT_FREE || e->kind == ML_EVENT_UNREGISTER)
		return;
	t->blocks = ml_grow(t->blocks, &t->block_cap, t->block_count + 1,
			    sizeof(*t->blocks));
	t->blocks[t->block_count++] = (struct ml_block){
		.addr = e->addr,
		.size = e->size,
		.from = e->time,
		.until = ML_FOREVER,
		.region = e->region,
		.thread = e->thread,
		.over = over,
	};
	*ml_map_add(&live[over], e->addr, NULL) = t->block_count;
}

/* The events of one block; *time is that of the last event so far. */
static bool load_events(struct ml_trace *t, uint64_t offset, struct ml_map live[2],
			uint64_t *time, struct ml_buf *raw, struct ml_err *err)
{
	struct ml_event e = { 0 };

	if (!unpack(t, offset, raw, err))
		return false;
	struct ml_bytes in = { raw->data, raw->data + raw->size, false };
	while (in.at < in.end) {
		if (!ml_events_get(&in, &e) || e.region >= t->tables.regions.count ||
		    e.time < *time)
			return ml_fail(err, ML_FORMAT,
				       "%s: byte %llu: an allocation event is malformed",
				       t->path, (unsigned long long)offset);
		*time = e.time;
		take_event(t, live, &e);
	}
	return true;
}

bool ml_trace_load_blocks(struct ml_trace *t, struct ml_err *err)
{
	struct ml_map live[2] = { 0 }; /* heap blocks, registered blocks */
	struct ml_buf raw = { 0 };
	uint64_t time = 0;
	bool ok = true;

	if (t->blocks_loaded)
		return true;
	t->block_count = 0;
	for (size_t i = 0; ok && i < t->part_count; i++)
		if (t->parts[i].type == ML_BLOCK_EVENTS)
			ok = load_events(t, t->parts[i].offset, live, &time, &raw, err);
	ml_map_release(&live[0]);
	ml_map_release(&live[1]);
	ml_buf_release(&raw);
	t->blocks_loaded = ok;
	return ok;
}

const char *ml_trace_source(struct ml_trace *t, const char *path, size_t *size,
			    struct ml_arena *a)
{
	struct ml_buf raw = { 0 };
	const char *text = NULL;
	struct ml_err err;

	for (size_t i = 0; i < t->part_count && !text; i++) {
		if (t->parts[i].type != ML_BLOCK_SOURCE ||
		    !unpack(t, t->parts[i].offset, &raw, &err))
			continue;
		struct ml_bytes in = { raw.data, raw.data + raw.size, false };
		size_t length = ml_bytes_varint(&in);
		const uint8_t *name = ml_bytes_take(&in, length);
		if (!name || length != strlen(path) || memcmp(name, path, length))
			continue;
		*size = (size_t)(in.end - in.at);
		text = ml_arena_copy(a, in.at, *size);
	}
	ml_buf_release(&raw);
	return text;
}
