#include "record/reader/ring_reader.h"

#include <stdio.h>

#include "lib/base/clock.h"
#include "record/ring.h"
#include "record/reader/ring_reader_parts.h"
#include "record/reader/uninstrumented.h"
#include "record/symbols/debug_package.h"
#include "record/symbols/globals.h"

enum { FLUSH_MS = 200 }; /* a chunk is sent after this time, full or not */

struct ml_ring_thread *ml_ring_reader_thread_of(struct ml_ring_reader *r, uint32_t number)
{
	r->threads = ml_grow(r->threads, &r->thread_cap, number + 1u,
			     sizeof(*r->threads));
	return &r->threads[number];
}

void ml_ring_reader_switch(struct ml_ring_reader *r, uint32_t number)
{
	/* a batch has 16 bits for a thread; all threads beyond share the last number */
	r->thread_number = number < UINT16_MAX ? number : UINT16_MAX;
	r->thread = ml_ring_reader_thread_of(r, r->thread_number);
	ml_writer_thread(r->writer, (uint16_t)r->thread_number);
	r->caller = r->thread->callers.user ? 0 : ml_callers_site(&r->thread->callers);
}

struct ml_ring_reader *ml_ring_reader_open(const char *path,
					   const struct ml_record_options *options,
					   struct ml_err *err)
{
	struct ml_writer *writer;

	if (!ml_writer_open(&writer, path, err))
		return NULL;
	struct ml_ring_reader *r = ml_resize(NULL, sizeof(*r));
	*r = (struct ml_ring_reader){ .writer = writer, .options = options };
	r->tables = ml_writer_tables(writer);
	ml_objects_init(&r->objects, r->tables);
	ml_filter_init(&r->filter, options);
	r->only_in = (struct ml_only_in){ .function = options->only_in,
					  .objects = &r->objects,
					  .tables = r->tables };
	ml_partial_steps_init(&r->partial, writer);
	ml_guest_memory_init(&r->memory, &r->objects, writer);
	ml_superblock_steps_init(&r->steps, writer);
	ml_reference_steps_init(&r->refs, &r->objects, writer);
	ml_ring_reader_switch(r, 1);
	return r;
}

void ml_ring_reader_fork_state(struct ml_ring_reader *r, struct ml_fork_state *forks)
{
	r->forks = forks;
}

void ml_ring_reader_pace(struct ml_ring_reader *r, const struct ml_encode_pace *pace)
{
	ml_writer_pace(r->writer, pace);
}

void ml_ring_reader_idle(struct ml_ring_reader *r, bool idle)
{
	__atomic_store_n(&r->idle, idle, __ATOMIC_RELAXED);
}

void ml_ring_reader_meta(struct ml_ring_reader *r, const char *key, const char *value)
{
	ml_tables_meta(r->tables, key, value);
}

const char *ml_ring_reader_command(const struct ml_ring_reader *r)
{
	return r->command;
}

const char *ml_ring_reader_uninstrumented(const struct ml_ring_reader *r)
{
	return r->uninstrumented;
}

bool ml_ring_reader_exited(const struct ml_ring_reader *r)
{
	return r->exited;
}

bool ml_ring_reader_full(const struct ml_ring_reader *r)
{
	return r->filter.full;
}

struct ml_ring_reader_count ml_ring_reader_count(const struct ml_ring_reader *r)
{
	return (struct ml_ring_reader_count){
		__atomic_load_n(&r->count.refs, __ATOMIC_RELAXED),
		__atomic_load_n(&r->count.bytes, __ATOMIC_RELAXED),
	};
}

const char *ml_ring_reader_warning(const struct ml_ring_reader *r)
{
	return r->warning[0] ? r->warning : NULL;
}

bool ml_ring_reader_flush(struct ml_ring_reader *r, struct ml_err *err)
{
	return ml_writer_flush(r->writer, FLUSH_MS * ML_MS, err);
}

const struct ml_buf *ml_ring_reader_timed(const struct ml_ring_reader *r)
{
	return &r->timed;
}

void ml_ring_reader_thread(struct ml_ring_reader *r, uint32_t number)
{
	if (number != r->thread_number)
		ml_ring_reader_switch(r, number);
}

void ml_ring_reader_unrecorded(struct ml_ring_reader *r, uint32_t threads)
{
	char number[16];

	r->slotless = threads;
	snprintf(number, sizeof(number), "%u", threads);
	ml_ring_reader_meta(r, "threads not recorded", number);
	ml_writer_gap(r->writer, 0, ML_GAP_LOST);
}

bool ml_ring_reader_feed(struct ml_ring_reader *r, const uint64_t *words, size_t count,
			 struct ml_err *err)
{
	const uint64_t *w = words, *end = words + count;

	ml_writer_background(r->writer, __atomic_load_n(&r->idle, __ATOMIC_RELAXED));
	while (w < end && !r->filter.full) {
		unsigned type = ML_WORD_TYPE(*w);

		if (ml_reference_is_pair(*w)) {
			if (!ml_ring_reader_refs(r, &w, end, err))
				return false;
		} else if (!(*w >> 63)) {
			r->bad++;
			w++;
		} else if (type == ML_WORD_STEP || ml_word_is_brief(*w)) {
			size_t taken = ml_ring_reader_step(r, w, end, err);

			if (!taken)
				return false;
			w += taken;
		} else {
			size_t payload = ML_WORD_COUNT(*w);

			if (payload >= (size_t)(end - w)) {
				r->bad++;
				break;
			}
			if (type != ML_WORD_TIMED)
				ml_ring_reader_message(r, w, payload);
			else if (!ml_ring_reader_timed_ref(r, w, payload, err))
				return false;
			w += 1 + payload;
		}
	}
	if (r->filter.full && !r->limit_noted) {
		ml_writer_gap(r->writer, 0, ML_GAP_LIMIT);
		r->limit_noted = true;
	}
	__atomic_store_n(&r->count.refs, ml_writer_time(r->writer), __ATOMIC_RELAXED);
	__atomic_store_n(&r->count.bytes, ml_writer_bytes(r->writer), __ATOMIC_RELAXED);
	return true;
}

static bool keep_source(void *arg, const char *path, const char *text, size_t size,
			struct ml_err *err)
{
	struct ml_ring_reader *r = arg;

	(void)err;
	ml_writer_source(r->writer, path, text, size);
	return true;
}

static void warn(struct ml_ring_reader *r)
{
	if (r->bad)
		snprintf(r->warning, sizeof(r->warning),
			 "%llu words of the recorder were malformed and were left out",
			 (unsigned long long)r->bad);
	else if (r->slotless)
		snprintf(
			r->warning, sizeof(r->warning),
			"%u threads or children were not recorded: too many lived at once",
			r->slotless);
	else if (r->unrecorded && ml_ring_reader_replaced(r))
		snprintf(r->warning, sizeof(r->warning),
			 "the process became a program that cannot be recorded: "
			 "set-user-ID or 32-bit");
	else if (r->options->only_in && !r->only_in.entered)
		snprintf(
			r->warning, sizeof(r->warning),
			"%s was never entered: it may be misspelt, stripped, or inlined without "
			"debug information",
			r->options->only_in);
	else if (r->options->from_mark && !r->filter.seen && !r->filter.full)
		snprintf(r->warning, sizeof(r->warning),
			 "the mark '%s' was never reached", r->options->from_mark);
}

bool ml_ring_reader_replaced(const struct ml_ring_reader *r)
{
	return r->exec == ml_writer_time(r->writer) + 1;
}

/* Memory that system calls used, which no reference shows. */
static void note_ranges(struct ml_ring_reader *r, const char *key,
			const struct ml_address_ranges *ranges)
{
	struct ml_buf text = { 0 };

	ml_address_ranges_print(ranges, &text);
	ml_buf_u8(&text, 0);
	ml_ring_reader_meta(r, key, (const char *)text.data);
	ml_buf_release(&text);
}

bool ml_ring_reader_finish(struct ml_ring_reader *r, bool cut, struct ml_err *err)
{
	char number[24];
	bool ok = true;

	warn(r);
	if (r->filter.gap)
		ml_writer_gap(r->writer, r->filter.gap, r->filter.reason);
	if (r->bad)
		ml_writer_gap(r->writer, 0, ML_GAP_LOST);
	if (r->options->no_stack) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)r->filter.stack);
		ml_ring_reader_meta(r, "stack references left out", number);
	}
	if (r->options->no_spin) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)r->filter.spin);
		ml_ring_reader_meta(r, "waiting references left out", number);
	}
	if (r->refs.heads.count) {
		r->uninstrumented = ml_uninstrumented(&r->objects, &r->arena);
		ml_ring_reader_meta(r, "not seen", r->uninstrumented);
	}
	if (r->objects.program && !ml_object_dwarf(r->objects.program))
		ml_ring_reader_meta(
			r, "debug symbols",
			ml_debug_package_advice("", r->objects.program->path, &r->arena));
	if (!r->refs.heads.count) {
		note_ranges(r, "read by the system", &r->system_read);
		note_ranges(r, "written by the system", &r->system_wrote);
	}
	if (r->values.size) {
		ml_buf_u8(&r->values, 0);
		ml_ring_reader_meta(r, "values stored", (const char *)r->values.data);
	}
	ml_ring_reader_meta(r, "ended",
			    cut              ? "killed"
			    : r->filter.full ? "limit"
					     : "whole");
	ml_globals_update(&r->objects);
	if (!r->options->no_source)
		ok = ml_sources_each(&r->objects.sources, r->tables, keep_source, r, err);
	if (ok)
		ok = ml_writer_close(r->writer, err);
	else
		ml_writer_abandon(r->writer);
	r->writer = NULL;
	return ok;
}

void ml_ring_reader_release(struct ml_ring_reader *r)
{
	if (r->writer)
		ml_writer_abandon(r->writer);
	ml_partial_steps_release(&r->partial);
	ml_guest_code_release(&r->code);
	ml_objects_release(&r->objects);
	ml_arena_release(&r->arena);
	ml_buf_release(&r->timed);
	ml_buf_release(&r->values);
	ml_free(r->threads);
	ml_guest_memory_release(&r->memory);
	ml_guest_phases_release(&r->phases);
	ml_sync_order_release(&r->sync);
	ml_only_in_release(&r->only_in);
	ml_reference_steps_release(&r->refs);
	ml_superblock_steps_release(&r->steps);
	ml_free(r);
}
