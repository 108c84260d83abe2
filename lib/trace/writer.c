#include "lib/trace/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/pack.h"
#include "lib/trace/chunk.h"
#include "lib/trace/events.h"
#include "lib/trace/format.h"
#include "lib/trace/fuse.h"
#include "lib/trace/shape.h"

/*
 * Level 1 is within a few per cent of level 3 in size on what the columns hold, and leaves the
 * recorder's companion time to keep up with the program (docs/performance.md).
 */
enum { LEVEL = 1, LEVEL_TABLES = 3, FUSED = 1024 };

struct ml_writer {
	char *path;
	int fd;
	bool broken;     /* a write failed: nothing more goes to the file */
	uint64_t offset; /* of the next block */
	uint64_t time;   /* references in finished chunks */
	uint16_t thread;
	struct ml_tables tables;
	struct ml_shapes shapes;
	struct ml_encoder *encoder;
	struct ml_fuse fuse;
	struct ml_map singles; /* shape of a lone reference by site and what */
	struct ml_events_put events;
	struct ml_buf index, payload, out;
	uint64_t blocks;
	struct ml_packer packer;
};

static bool write_all(struct ml_writer *w, struct ml_err *err)
{
	size_t done = 0;

	while (done < w->out.size) {
		ssize_t n = write(w->fd, w->out.data + done, w->out.size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			ml_fail_errno(err, "%s: cannot write at byte %llu", w->path,
				      (unsigned long long)w->offset + done);
			/* the file stays a readable prefix: nothing half-written at its end */
			if (ftruncate(w->fd, (off_t)w->offset)) {
				/* the reader copes with a torn block too */
			}
			w->broken = true;
			return false;
		}
		done += (size_t)n;
	}
	w->offset += w->out.size;
	return true;
}

bool ml_writer_open(struct ml_writer **out, const char *path, struct ml_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		return ml_fail_errno(err, "%s: cannot make the trace", path);
	struct ml_writer *w = ml_resize(NULL, sizeof(*w));
	*w = (struct ml_writer){ .fd = fd, .thread = 1 };
	w->path = ml_resize(NULL, strlen(path) + 1);
	strcpy(w->path, path);
	ml_tables_init(&w->tables);
	w->encoder = ml_encoder_open(&w->shapes, LEVEL);
	ml_fuse_init(&w->fuse, &w->shapes);

	struct ml_file_header h = { .version = ML_FORMAT_VERSION, .created = (uint64_t)time(NULL) };
	if (getrandom(h.id, sizeof(h.id), 0) != sizeof(h.id)) {
		ml_fail_errno(err, "no random bytes for the trace's id");
		ml_writer_abandon(w);
		return false;
	}
	ml_format_put_header(&w->out, &h);
	if (!write_all(w, err)) {
		ml_writer_abandon(w);
		return false;
	}
	*out = w;
	return true;
}

void ml_writer_abandon(struct ml_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	ml_encoder_close(w->encoder);
	ml_fuse_release(&w->fuse);
	ml_tables_release(&w->tables);
	ml_shapes_release(&w->shapes);
	ml_map_release(&w->singles);
	ml_buf_release(&w->events.bytes);
	ml_buf_release(&w->index);
	ml_buf_release(&w->payload);
	ml_buf_release(&w->out);
	ml_packer_release(&w->packer);
	ml_free(w->path);
	ml_free(w);
}

struct ml_tables *ml_writer_tables(struct ml_writer *w)
{
	return &w->tables;
}

uint64_t ml_writer_time(const struct ml_writer *w)
{
	return w->time + ml_encoder_count(w->encoder);
}

uint64_t ml_writer_bytes(const struct ml_writer *w)
{
	return w->offset;
}

/* Writes the payload as a block. */
static bool put_block(struct ml_writer *w, enum ml_block_type type, uint64_t count,
		      struct ml_err *err)
{
	struct ml_block_header h = {
		.type = type,
		.size = w->payload.size,
		.time = w->time,
		.count = count,
		.sum = ml_hash(w->payload.data, w->payload.size),
	};

	ml_buf_varint(&w->index, type);
	ml_buf_varint(&w->index, w->offset);
	ml_buf_varint(&w->index, h.time);
	ml_buf_varint(&w->index, count);
	w->blocks++;
	w->out.size = 0;
	ml_format_put_block(&w->out, &h);
	ml_buf_put(&w->out, w->payload.data, w->payload.size);
	w->payload.size = 0;
	return write_all(w, err);
}

static bool put_packed(struct ml_writer *w, enum ml_block_type type, struct ml_buf *raw,
		       struct ml_err *err)
{
	ml_pack(&w->packer, raw->data, raw->size, LEVEL_TABLES, &w->payload);
	uint64_t size = raw->size;
	raw->size = 0;
	return put_block(w, type, size, err);
}

static bool put_tables(struct ml_writer *w, struct ml_err *err)
{
	struct ml_buf raw = { 0 };
	bool ok = true;

	if (ml_tables_pending(&w->tables)) {
		ml_tables_put(&w->tables, &raw);
		ok = put_packed(w, ML_BLOCK_TABLES, &raw, err);
	}
	if (ok && w->shapes.put < w->shapes.count) {
		ml_shapes_put(&w->shapes, &raw);
		ok = put_packed(w, ML_BLOCK_SHAPES, &raw, err);
	}
	ml_buf_release(&raw);
	return ok;
}

static bool put_events(struct ml_writer *w, struct ml_err *err)
{
	if (!w->events.bytes.size)
		return true;
	w->events.last = (struct ml_event){ 0 };
	return put_packed(w, ML_BLOCK_EVENTS, &w->events.bytes, err);
}

bool ml_writer_flush(struct ml_writer *w, struct ml_err *err)
{
	if (w->broken)
		return ml_fail(err, ML_IO, "%s: an earlier write failed", w->path);
	if (!put_tables(w, err) || !put_events(w, err))
		return false;
	uint64_t count = ml_encoder_count(w->encoder);
	if (!count)
		return true;
	ml_encoder_take(w->encoder, &w->payload);
	bool ok = put_block(w, ML_BLOCK_REFS, count, err);
	w->time += count;
	return ok;
}

bool ml_writer_close(struct ml_writer *w, struct ml_err *err)
{
	bool ok = ml_writer_flush(w, err);

	if (ok) {
		uint64_t at = w->offset, blocks = w->blocks;
		struct ml_buf raw = w->index;

		w->index = (struct ml_buf){ 0 };
		ml_buf_varint(&w->payload, raw.size);
		ml_pack(&w->packer, raw.data, raw.size, LEVEL_TABLES, &w->payload);
		ml_buf_release(&raw);
		ok = put_block(w, ML_BLOCK_INDEX, blocks, err);
		w->out.size = 0;
		ml_format_put_trailer(&w->out, at);
		ok = ok && write_all(w, err);
	}
	if (close(w->fd) && ok)
		ok = ml_fail_errno(err, "%s: cannot finish the trace", w->path);
	w->fd = -1;
	ml_writer_abandon(w);
	return ok;
}

uint32_t ml_writer_shape(struct ml_writer *w, const struct ml_shape *shape)
{
	uint32_t number = ml_shapes_add(&w->shapes, shape);

	ml_encoder_shapes(w->encoder);
	return number;
}

uint32_t ml_writer_path(const struct ml_writer *w, uint32_t shape, size_t bases)
{
	const struct ml_shape *s = &w->shapes.at[shape];

	if (bases == s->bases)
		return s->path + s->exits;
	for (uint32_t i = 0; i < s->exits; i++)
		if (s->exit[i].bases == bases)
			return s->path + i;
	return UINT32_MAX;
}

static bool write_steps(struct ml_writer *w, const struct ml_step *steps, size_t count,
			struct ml_err *err)
{
	for (;;) {
		size_t done = ml_encoder_steps(w->encoder, steps, count);

		steps += done;
		count -= done;
		if (ml_encoder_full(w->encoder) && !ml_writer_flush(w, err))
			return false;
		if (!count)
			return true;
	}
}

bool ml_writer_steps(struct ml_writer *w, const struct ml_step *steps, size_t count,
		     struct ml_err *err)
{
	while (count) {
		struct ml_step fused[FUSED];
		size_t out = 0;
		size_t done = ml_fuse_steps(&w->fuse, steps, count, fused, FUSED, &out);

		ml_encoder_shapes(w->encoder);
		if (!write_steps(w, fused, out, err))
			return false;
		steps += done;
		count -= done;
	}
	return true;
}

bool ml_writer_ref(struct ml_writer *w, const struct ml_ref *ref, struct ml_err *err)
{
	bool is_new;
	uint64_t key = (uint64_t)ref->site << 17 | (ref->caller ? 1u << 16 : 0u) | ref->what;
	uint64_t *number = ml_map_add(&w->singles, key, &is_new);

	if (is_new) {
		struct ml_slot slot = { .site = ref->site, .what = ref->what };
		struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
		struct ml_shape shape = { .slots = 1, .bases = 1, .slot = &slot, .base = &base,
					  .user = !ref->caller };

		*number = ml_writer_shape(w, &shape);
	}
	ml_writer_thread(w, ref->thread);
	struct ml_step step = { w->shapes.at[*number].path, ref->caller, &ref->addr };
	return write_steps(w, &step, 1, err);
}

void ml_writer_thread(struct ml_writer *w, uint16_t thread)
{
	w->thread = thread;
	ml_encoder_thread(w->encoder, thread);
}

static void put_event(struct ml_writer *w, enum ml_event_kind kind, uint32_t region,
		      uint64_t addr, uint64_t size)
{
	ml_events_put(&w->events, &(struct ml_event){ kind, w->thread, region,
						      ml_writer_time(w), addr, size });
}

void ml_writer_alloc(struct ml_writer *w, uint32_t region, uint64_t addr, uint64_t size)
{
	put_event(w, ML_EVENT_ALLOC, region, addr, size);
}

void ml_writer_free(struct ml_writer *w, uint64_t addr)
{
	put_event(w, ML_EVENT_FREE, 0, addr, 0);
}

void ml_writer_register(struct ml_writer *w, uint32_t region, uint64_t addr, uint64_t size)
{
	put_event(w, ML_EVENT_REGISTER, region, addr, size);
}

void ml_writer_unregister(struct ml_writer *w, uint64_t addr)
{
	put_event(w, ML_EVENT_UNREGISTER, 0, addr, 0);
}

void ml_writer_mark(struct ml_writer *w, enum ml_mark_kind kind, const char *name)
{
	*ML_ADD(w->tables.marks) = (struct ml_mark){
		.time = ml_writer_time(w),
		.name = ml_tables_name(&w->tables, name),
		.kind = kind,
		.thread = w->thread,
	};
}

void ml_writer_state(struct ml_writer *w, const char *name, int64_t value)
{
	*ML_ADD(w->tables.states) = (struct ml_state){
		.time = ml_writer_time(w),
		.value = value,
		.name = ml_tables_name(&w->tables, name),
		.thread = w->thread,
	};
}

/* Gaps at one time and of one reason are one gap. */
void ml_writer_gap(struct ml_writer *w, uint64_t count, enum ml_gap_reason reason)
{
	uint64_t time = ml_writer_time(w);
	size_t n = w->tables.gaps.count;
	struct ml_gap *last = n > w->tables.gaps.put ? &w->tables.gaps.at[n - 1] : NULL;

	if (last && last->time == time && last->reason == reason && last->count && count)
		last->count += count;
	else
		*ML_ADD(w->tables.gaps) =
			(struct ml_gap){ .time = time, .count = count, .reason = reason };
}

/* The path and the text share one payload: varint length, path, text. */
bool ml_writer_source(struct ml_writer *w, const char *path, const void *text, size_t size,
		      struct ml_err *err)
{
	struct ml_buf raw = { 0 };

	ml_buf_string(&raw, path);
	ml_buf_put(&raw, text, size);
	bool ok = w->broken ? ml_fail(err, ML_IO, "%s: an earlier write failed", w->path)
			    : put_packed(w, ML_BLOCK_SOURCE, &raw, err);
	ml_buf_release(&raw);
	return ok;
}
