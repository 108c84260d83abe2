#include "lib/trace/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/base/growfile.h"
#include "lib/base/pack.h"
#include "lib/trace/chunk/encode_queue.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/control.h"
#include "lib/trace/events.h"
#include "lib/trace/format.h"
#include "lib/trace/shape.h"

/*
 * Columns compressed at level 1 are a few per cent larger than at level 3, and the
 * encoders keep up with the recorded program (docs/performance.md).
 */
enum { LEVEL = 1, LEVEL_TABLES = 3 };
enum { PIECE = 8192 }; /* see ml_writer_large_ref */

struct ml_writer {
	struct ml_growfile file;
	const char *path; /* of the file */
	bool whole;       /* the file gets its name when it is complete */
	bool broken;      /* a write failed: the writer writes nothing more */
	uint64_t offset;  /* of the next block */
	uint64_t sent;    /* when the last chunk was sent to the encoders, by ml_now */
	uint64_t time;    /* references in the chunks that were sent to the encoders */
	uint16_t thread;
	/* a bit for each thread: it made references; it is in the tables */
	uint8_t used[(1 << 16) / 8], described[(1 << 16) / 8];
	struct ml_tables tables;
	struct ml_shapes shapes;
	struct ml_control control;
	struct ml_encode_queue queue;
	struct ml_map singles; /* shapes of single references, by site, caller, what */
	struct ml_events_put events;
	struct ml_buf index, raw;
	uint64_t blocks;
	struct ml_packer packer;
};

/* The chunk that is being collected. */
static struct ml_steps *steps_now(const struct ml_writer *w)
{
	return &ml_encode_queue_now(&w->queue)->steps;
}

static bool write_all(struct ml_writer *w, const struct ml_buf *out, struct ml_err *err)
{
	size_t done = 0;

	while (done < out->size) {
		ssize_t n = write(w->file.fd, out->data + done, out->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			ml_fail_errno(err, "%s: cannot write at byte %llu", w->path,
				      (unsigned long long)w->offset + done);
			/* removes the half-written block, so that the file stays a
			 * readable prefix */
			if (ftruncate(w->file.fd, (off_t)w->offset)) {
				/* the reader can deal with a half-written block */
			}
			w->broken = true;
			return false;
		}
		done += (size_t)n;
	}
	w->offset += out->size;
	return true;
}

static bool open_writer(struct ml_writer **out, const char *path, bool whole,
			struct ml_err *err)
{
	struct ml_file_header h = { .version = ML_FORMAT_VERSION,
				    .created = (uint64_t)time(NULL) };
	struct ml_growfile file;
	struct ml_buf head = { 0 };

	if (getrandom(h.id, sizeof(h.id), 0) != sizeof(h.id))
		return ml_fail_errno(err,
				     "cannot get random bytes for the id of the trace");
	ml_format_put_header(&head, &h);
	bool ok = ml_growfile_open(&file, path, whole, head.data, head.size, err);
	uint64_t size = head.size;
	ml_buf_release(&head);
	if (!ok)
		return false;
	struct ml_writer *w = ml_resize(NULL, sizeof(*w));
	*w = (struct ml_writer){ .file = file,
				 .path = file.path,
				 .whole = whole,
				 .offset = size,
				 .thread = 1,
				 .sent = ml_now() };
	ml_tables_init(&w->tables);
	ml_encode_queue_init(&w->queue, 0, LEVEL);
	ml_steps_clear(steps_now(w), w->thread);
	*out = w;
	return true;
}

bool ml_writer_open(struct ml_writer **w, const char *path, struct ml_err *err)
{
	return open_writer(w, path, false, err);
}

bool ml_writer_open_whole(struct ml_writer **w, const char *path, struct ml_err *err)
{
	return open_writer(w, path, true, err);
}

void ml_writer_abandon(struct ml_writer *w)
{
	struct ml_err ignored;

	ml_growfile_close(&w->file, &ignored);
	ml_encode_queue_release(&w->queue); /* its threads use the shapes */
	ml_tables_release(&w->tables);
	ml_shapes_release(&w->shapes);
	ml_control_release(&w->control);
	ml_map_release(&w->singles);
	ml_buf_release(&w->events.bytes);
	ml_buf_release(&w->index);
	ml_buf_release(&w->raw);
	ml_packer_release(&w->packer);
	ml_free(w);
}

void ml_writer_pace(struct ml_writer *w, const struct ml_encode_pace *pace)
{
	ml_encode_queue_pace(&w->queue, pace);
}

void ml_writer_background(struct ml_writer *w, bool background)
{
	w->queue.background = background;
}

struct ml_tables *ml_writer_tables(struct ml_writer *w)
{
	return &w->tables;
}

uint64_t ml_writer_time(const struct ml_writer *w)
{
	return w->time + steps_now(w)->refs;
}

uint64_t ml_writer_bytes(const struct ml_writer *w)
{
	return w->offset;
}

/* Compresses raw to a block that stands before the chunk being collected, and empties
 * raw. */
static void put_before(struct ml_writer *w, enum ml_block_type type, struct ml_buf *raw)
{
	struct ml_buf *out = &ml_encode_queue_now(&w->queue)->before;
	size_t at = ml_format_begin_block(out);

	ml_pack(&w->packer, raw->data, raw->size, LEVEL_TABLES, out);
	ml_format_end_block(out, at, type, w->time, raw->size);
	raw->size = 0;
}

static void put_tables(struct ml_writer *w)
{
	if (ml_tables_pending(&w->tables)) {
		ml_tables_put(&w->tables, &w->raw);
		put_before(w, ML_BLOCK_TABLES, &w->raw);
	}
	if (w->shapes.put < w->shapes.count) {
		ml_shapes_put(&w->shapes, &w->raw);
		put_before(w, ML_BLOCK_SHAPES, &w->raw);
	}
	if (ml_control_pending(&w->control, w->shapes.count)) {
		ml_control_put(&w->control, w->shapes.count, &w->raw);
		put_before(w, ML_BLOCK_CONTROL, &w->raw);
	}
	if (w->events.bytes.size) {
		w->events.last = (struct ml_event){ 0 };
		put_before(w, ML_BLOCK_EVENTS, &w->events.bytes);
	}
}

/* Writes whole blocks and adds them to the index. */
static bool write_blocks(struct ml_writer *w, const struct ml_buf *out,
			 struct ml_err *err)
{
	for (size_t at = 0; at < out->size;) {
		struct ml_block_header h;

		ml_format_get_block(out->data + at, &h);
		ml_buf_varint(&w->index, h.type);
		ml_buf_varint(&w->index, w->offset + at);
		ml_buf_varint(&w->index, h.time);
		ml_buf_varint(&w->index, h.count);
		w->blocks++;
		at += ML_FORMAT_BLOCK_HEADER + h.size;
	}
	return write_all(w, out, err);
}

/* Writes the parcels that are encoded, in order; with `wait`, all that were sent. */
static bool write_parcels(struct ml_writer *w, bool wait, struct ml_err *err)
{
	struct ml_parcel *p;
	bool ok = true;

	while ((p = ml_encode_queue_take(&w->queue, wait))) {
		if (ok && !w->broken)
			ok = write_blocks(w, &p->before, err) &&
			     write_blocks(w, &p->refs, err) &&
			     (!p->refs.size || w->whole ||
			      ml_growfile_show(&w->file, err));
		ml_encode_queue_done(&w->queue);
	}
	if (ok && w->broken)
		return ml_fail(err, ML_IO, "%s: an earlier write to the trace failed",
			       w->path);
	return ok;
}

/* Sends the chunk to the encoders and begins the next one. */
static bool send(struct ml_writer *w, bool last, struct ml_err *err)
{
	struct ml_parcel *p = ml_encode_queue_now(&w->queue);

	put_tables(w);
	p->time = w->time;
	w->time += p->steps.refs;
	w->sent = ml_now();
	ml_encode_queue_send(&w->queue, &w->shapes, last);
	bool ok = write_parcels(w, last, err);
	if (!steps_now(w)->at)
		ml_steps_init(steps_now(w));
	ml_steps_clear(steps_now(w), w->thread);
	return ok;
}

struct ml_shapes *ml_writer_shapes(struct ml_writer *w)
{
	return &w->shapes;
}

struct ml_control *ml_writer_control(struct ml_writer *w)
{
	return &w->control;
}

struct ml_steps *ml_writer_collected(struct ml_writer *w)
{
	return steps_now(w);
}

bool ml_writer_send(struct ml_writer *w, struct ml_err *err)
{
	return send(w, false, err);
}

/* Has anything been collected since the last chunk was sent? */
static bool has_news(const struct ml_writer *w)
{
	return steps_now(w)->count || ml_tables_pending(&w->tables) ||
	       w->shapes.put < w->shapes.count || w->events.bytes.size ||
	       ml_control_pending(&w->control, w->shapes.count);
}

bool ml_writer_flush(struct ml_writer *w, uint64_t age, struct ml_err *err)
{
	if (ml_now() - w->sent < age)
		return write_parcels(w, false, err);
	ml_encode_queue_hasten(&w->queue);
	if (!has_news(w)) {
		w->sent = ml_now();
		return write_parcels(w, false, err);
	}
	return send(w, false, err);
}

static bool write_index(struct ml_writer *w, struct ml_err *err)
{
	uint64_t at = w->offset;

	w->raw.size = 0;
	ml_format_begin_block(&w->raw);
	ml_buf_varint(&w->raw, w->index.size);
	ml_pack(&w->packer, w->index.data, w->index.size, LEVEL_TABLES, &w->raw);
	ml_format_end_block(&w->raw, 0, ML_BLOCK_INDEX, w->time, w->blocks);
	ml_format_put_trailer(&w->raw, at);
	return write_all(w, &w->raw, err);
}

static bool is_used(const struct ml_writer *w, uint32_t thread)
{
	return thread < 1 << 16 && w->used[thread / 8] >> thread % 8 & 1;
}

/* The numbers of the threads that made references: "1-4 7". */
static void list_threads(struct ml_writer *w)
{
	struct ml_buf list = { 0 };

	for (uint32_t from = 0, to; from < 1 << 16; from = to + 1) {
		to = from;
		if (!is_used(w, from))
			continue;
		while (is_used(w, to + 1))
			to++;
		ml_buf_printf(&list, to > from ? "%s%u-%u" : "%s%u", list.size ? " " : "",
			      from, to);
	}
	ml_tables_meta(&w->tables, "threads", (const char *)list.data);
	ml_buf_release(&list);
}

/*
 * Tables need not describe every thread: then they say how many there are, and the
 * numbers of those that made references.
 */
static void count_threads(struct ml_writer *w)
{
	struct ml_tables *t = &w->tables;
	unsigned described = 0, all = 0;
	char number[16];

	for (size_t i = 0; i < t->threads.count; i++) {
		uint16_t id = t->threads.at[i].id;

		described += !(w->described[id / 8] >> id % 8 & 1);
		w->described[id / 8] |= (uint8_t)(1u << id % 8);
	}
	for (size_t i = 0; i < sizeof(w->used); i++)
		all += (unsigned)__builtin_popcount(w->used[i] | w->described[i]);
	if (all == described)
		return;
	snprintf(number, sizeof(number), "%u", all);
	ml_tables_meta(t, "thread count", number);
	list_threads(w);
}

bool ml_writer_close(struct ml_writer *w, struct ml_err *err)
{
	count_threads(w);
	bool ok = send(w, true, err) && write_index(w, err) &&
		  ml_growfile_show(&w->file, err) && ml_growfile_close(&w->file, err);

	ml_writer_abandon(w);
	return ok;
}

uint32_t ml_writer_shape(struct ml_writer *w, const struct ml_shape *shape)
{
	return ml_shapes_add(&w->shapes, shape);
}

const struct ml_shape *ml_writer_shape_at(const struct ml_writer *w, uint32_t shape)
{
	return &w->shapes.at[shape];
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

bool ml_writer_steps(struct ml_writer *w, const struct ml_step *steps, size_t count,
		     struct ml_err *err)
{
	w->used[w->thread / 8] |= (uint8_t)(1u << w->thread % 8);
	for (size_t i = 0; i < count; i++) {
		ml_steps_add(steps_now(w), &w->shapes, &steps[i]);
		if (ml_steps_full(steps_now(w)) && !send(w, false, err))
			return false;
	}
	return true;
}

bool ml_writer_ref(struct ml_writer *w, const struct ml_ref *ref, struct ml_err *err)
{
	bool is_new;
	uint64_t key = (uint64_t)ref->site << 17 | (ref->caller ? 1u << 16 : 0u) |
		       ref->what;
	uint64_t *number = ml_map_add(&w->singles, key, &is_new);

	if (is_new) {
		struct ml_slot slot = { .site = ref->site, .what = ref->what };
		struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
		struct ml_shape shape = { .slots = 1,
					  .bases = 1,
					  .slot = &slot,
					  .base = &base,
					  .user = !ref->caller };

		*number = ml_writer_shape(w, &shape);
	}
	ml_writer_thread(w, ref->thread);
	struct ml_step step = { w->shapes.at[*number].path, ref->caller, &ref->addr };
	return ml_writer_steps(w, &step, 1, err);
}

bool ml_writer_large_ref(struct ml_writer *w, const struct ml_ref *ref, enum ml_kind kind,
			 uint64_t size, struct ml_err *err)
{
	struct ml_ref part = *ref;

	while (size > ML_SIZE_MAX) {
		uint64_t piece = PIECE - part.addr % PIECE;

		part.what = ml_what(kind, (unsigned)piece);
		if (!ml_writer_ref(w, &part, err))
			return false;
		part.addr += piece;
		size -= piece;
	}
	part.what = ml_what(kind, (unsigned)size);
	return ml_writer_ref(w, &part, err);
}

void ml_writer_thread(struct ml_writer *w, uint16_t thread)
{
	w->thread = thread;
	ml_steps_thread(steps_now(w), thread);
}

static void put_event(struct ml_writer *w, enum ml_event_kind kind, uint32_t region,
		      uint64_t addr, uint64_t size)
{
	ml_events_put(&w->events, &(struct ml_event){ kind, w->thread, region,
						      ml_writer_time(w), addr, size });
}

void ml_writer_alloc_since(struct ml_writer *w, uint32_t region, uint64_t addr,
			   uint64_t size, uint64_t since)
{
	uint64_t now = ml_writer_time(w), time = since < now ? since : now;

	if (time < w->time)
		time = w->time;
	if (time < w->events.last.time)
		time = w->events.last.time;
	ml_events_put(&w->events, &(struct ml_event){ ML_EVENT_ALLOC, w->thread, region,
						      time, addr, size });
}

void ml_writer_alloc(struct ml_writer *w, uint32_t region, uint64_t addr, uint64_t size)
{
	put_event(w, ML_EVENT_ALLOC, region, addr, size);
}

void ml_writer_free(struct ml_writer *w, uint64_t addr)
{
	put_event(w, ML_EVENT_FREE, 0, addr, 0);
}

void ml_writer_register(struct ml_writer *w, uint32_t region, uint64_t addr,
			uint64_t size)
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

/* Gaps at the same time and with the same reason become one gap. */
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

/* The payload is the length of the path as a varint, the path, the text. */
void ml_writer_source(struct ml_writer *w, const char *path, const void *text,
		      size_t size)
{
	ml_buf_string(&w->raw, path);
	ml_buf_put(&w->raw, text, size);
	put_before(w, ML_BLOCK_SOURCE, &w->raw);
}
