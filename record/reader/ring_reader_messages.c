/* The messages of a ring: threads, mappings, allocations, marks, forks. */
#include <stdio.h>
#include <string.h>

#include "record/ring.h"
#include "record/reader/ring_message.h"
#include "record/reader/ring_reader_parts.h"
#include "record/symbols/sites.h"

enum { STACK_REACH = 8 << 20 };

static const char *text_of(const uint64_t *w, const uint64_t *end)
{
	const char *text = (const char *)w;

	return w < end && memchr(text, 0, (size_t)(end - w) * 8) ? text : "";
}

static void take_map(struct ml_ring_reader *r, uint32_t arg, const uint64_t *w,
		     const uint64_t *end)
{
	static const enum ml_mapping_kind kinds[] = {
		[ML_MAP_FILE] = ML_MAPPING_FILE,   [ML_MAP_ANON] = ML_MAPPING_ANON,
		[ML_MAP_BRK] = ML_MAPPING_HEAP,    [ML_MAP_STACK] = ML_MAPPING_STACK,
		[ML_MAP_OTHER] = ML_MAPPING_OTHER,
	};
	uint32_t kind = arg & 0xff;
	struct ml_mapping m = {
		.time = ml_writer_time(r->writer),
		.low = w[0],
		.high = w[1],
		.offset = w[2],
		.kind = kind <= ML_MAP_OTHER ? kinds[kind] : ML_MAPPING_OTHER,
		.prot = (uint8_t)(arg >> 8),
	};
	const char *path = text_of(w + 3, end);

	m.path = ml_tables_name(r->tables, path);
	*ML_ADD(r->tables->mappings) = m;
	ml_guest_memory_unmap(&r->memory, m.low, m.high);
	ml_objects_map(&r->objects, m.low, m.high, m.offset, m.prot, m.kind, path);
	if (m.prot & 4 && m.kind == ML_MAPPING_FILE) /* the program comes first */
		ml_sources_program(&r->objects.sources, path);
	if (m.prot & 4)
		ml_reference_steps_forget(&r->refs);
	r->mapped = true;
}

static void take_unmap(struct ml_ring_reader *r, const uint64_t *w)
{
	*ML_ADD(r->tables->mappings) = (struct ml_mapping){
		.time = ml_writer_time(r->writer),
		.low = w[0],
		.high = w[1],
		.kind = ML_MAPPING_NONE,
	};
	ml_objects_unmap(&r->objects, w[0], w[1]);
	ml_guest_memory_unmap(&r->memory, w[0], w[1]);
}

static void take_thread(struct ml_ring_reader *r, uint32_t number, const uint64_t *w)
{
	if (number > UINT16_MAX)
		return; /* shares the last number, see switch_thread */
	struct ml_ring_thread *t = ml_ring_reader_thread_of(r, number);

	r->thread = ml_ring_reader_thread_of(
		r, r->thread_number); /* the array may have moved */
	t->stack_low = w[1];
	t->stack_high = w[2];
	if (w[0] < UINT16_MAX && w[0] < r->thread_cap) {
		t->only_in.parent = (uint32_t)w[0];
		t->only_in.born_inside = r->threads[w[0]].only_in.inside;
	}
	if (number == 1 && t->stack_high > STACK_REACH)
		t->stack_low = t->stack_high - STACK_REACH;
	*ML_ADD(r->tables->threads) = (struct ml_thread){
		.id = (uint16_t)number,
		.parent = (uint16_t)w[0],
		.from = ml_writer_time(r->writer),
		.until = ML_FOREVER,
		.stack_low = w[1],
		.stack_high = w[2],
	};
}

/* A copy of the thread's entry, to be changed: the last entry of a thread is valid. */
static struct ml_thread *thread_again(struct ml_ring_reader *r, uint32_t number)
{
	for (size_t i = r->tables->threads.count; i-- > 0;)
		if (r->tables->threads.at[i].id == number) {
			struct ml_thread copy = r->tables->threads.at[i];
			struct ml_thread *again = ML_ADD(r->tables->threads);

			*again = copy;
			return again;
		}
	return NULL;
}

/* A message ML_WORD_BLOCK. */
static void take_block(struct ml_ring_reader *r, bool mapped, const uint64_t *w,
		       size_t count)
{
	uint32_t stack = ml_guest_memory_find_stack(&r->memory, w + 2, count - 2);

	if (mapped)
		ml_guest_memory_mmap(&r->memory, stack, w[0], w[1]);
	else
		ml_guest_memory_alloc(&r->memory, &r->thread->allocation, stack, w[0],
				      w[1]);
}

static void take_mark(struct ml_ring_reader *r, uint32_t number, const char *name)
{
	enum ml_mark_kind kind = number < 3 ? (enum ml_mark_kind)number : ML_MARK_POINT;

	ml_filter_mark(&r->filter, name, kind);
	ml_writer_mark(r->writer, kind, name);
	ml_guest_phases_mark(&r->phases, r->thread_number,
			     ml_tables_name(r->tables, name), kind);
}

static void take_state(struct ml_ring_reader *r, int64_t value, const char *name)
{
	ml_writer_state(r->writer, name, value);
	ml_guest_phases_state(&r->phases, r->thread_number,
			      ml_tables_name(r->tables, name), value);
}

/* A thread waits, goes on or wakes others. A thread beyond the last number is ignored. */
static void take_sync(struct ml_ring_reader *r, uint32_t arg, uint64_t object)
{
	uint32_t kind = arg & 0xff, thread = arg >> 8;

	if (kind > ML_SYNC_LEAVE)
		r->bad++;
	else if (thread < UINT16_MAX)
		ml_sync_order_take(&r->sync, (enum ml_sync)kind, (uint16_t)thread, object,
				   ml_writer_time(r->writer), r->tables);
}

static void take_about(struct ml_ring_reader *r, uint32_t what, const char *text)
{
	if (what == 0)
		r->command = ml_arena_strdup(&r->arena, text);
	ml_ring_reader_meta(r, what == 0 ? "command" : "cwd", text);
}

/* A forked child continues with the state of its parent's filter. */
static void report_filter(const struct ml_ring_reader *r, struct ml_buf *out)
{
	const struct ml_filter *f = &r->filter;
	uint32_t inherit = (f->recording ? ML_INHERIT_RECORDING : 0u) |
			   (f->marked ? ML_INHERIT_MARKED : 0u) |
			   (r->thread->only_in.inside ? ML_INHERIT_INSIDE : 0u);

	ml_ring_message_put(out, ML_WORD_INHERIT, inherit, &r->thread->only_in.sp, 1,
			    NULL);
}

static void take_inherited(struct ml_ring_reader *r, uint32_t inherited, uint64_t sp)
{
	if (!(inherited & ML_INHERIT_RECORDING))
		ml_filter_record(&r->filter, false);
	r->filter.marked = inherited & ML_INHERIT_MARKED;
	if (inherited & ML_INHERIT_INSIDE)
		ml_only_in_enter(&r->only_in, &r->thread->only_in, ML_ONLY_FUNCTION, sp);
}

/* The reader of the parent publishes its state, the reader of the child receives it. */
static void take_fork(struct ml_ring_reader *r, bool child, struct ml_fork fork)
{
	struct ml_buf words = { 0 };

	if (!r->forks)
		return;
	if (!child) {
		report_filter(r, &words);
		ml_guest_memory_report(&r->memory, r->thread_number, &words);
		ml_guest_phases_report(&r->phases, r->thread_number, r->tables, &words);
		ml_fork_state_publish(r->forks, fork, &words);
	} else if (ml_fork_state_receive(r->forks, fork, &words)) {
		const uint64_t *w = (const uint64_t *)(const void *)words.data;
		const uint64_t *end = w + words.size / sizeof(*w);

		for (; w < end; w += 1 + ML_WORD_COUNT(*w))
			ml_ring_reader_message(r, w, ML_WORD_COUNT(*w));
	}
	ml_buf_release(&words);
}

/* Values are of interest where the user's own code stores them. */
static void take_values(struct ml_ring_reader *r, uint32_t widths, const uint64_t *w,
			size_t count)
{
	struct ml_stored_value v = { .site = ml_sites_resolve(&r->objects, w[0]) };

	for (; v.widths < widths && v.widths < ML_VALUE_WIDTHS &&
	       count >= 3 + 2 * (size_t)v.widths;
	     v.widths++) {
		v.min[v.widths] = (int64_t)w[1 + 2 * v.widths];
		v.max[v.widths] = (int64_t)w[2 + 2 * v.widths];
	}
	if (r->tables->sites.at[v.site].user)
		ml_stored_values_print(&v, &r->values);
}

/* The minimum of payload words by type of message. */
static const uint8_t min_words[] = {
	[ML_WORD_SHAPE] = 3,      [ML_WORD_THREAD_NEW] = 3, [ML_WORD_MAP] = 3,
	[ML_WORD_UNMAP] = 2,      [ML_WORD_ALLOC] = 2,      [ML_WORD_FREE] = 1,
	[ML_WORD_MMAP] = 2,       [ML_WORD_REGION] = 6,     [ML_WORD_UNREGION] = 1,
	[ML_WORD_STATE] = 2,      [ML_WORD_LOST] = 1,       [ML_WORD_EXIT] = 0,
	[ML_WORD_STAMP] = 1,      [ML_WORD_BLOCK] = 2,      [ML_WORD_ABOUT] = 1,
	[ML_WORD_ALLOCATING] = 1, [ML_WORD_FORK] = 2,       [ML_WORD_INHERIT] = 1,
	[ML_WORD_SYSTEM] = 2,     [ML_WORD_SYNC] = 1,       [ML_WORD_VALUES] = 3,
	[ML_WORD_CODE] = 2,
};

void ml_ring_reader_message(struct ml_ring_reader *r, const uint64_t *w, size_t count)
{
	unsigned type = ML_WORD_TYPE(*w);
	uint32_t arg = ML_WORD_ARG(*w);
	const uint64_t *end = ++w + count;
	struct ml_thread *t;
	char status[16];

	if (type >= sizeof(min_words) || count < min_words[type]) {
		r->bad++;
		return;
	}
	switch (type) {
	case ML_WORD_SHAPE: r->bad += !ml_ring_reader_shape(r, arg, w, count); break;
	case ML_WORD_CODE:
		r->bad += !ml_guest_code_add(&r->code, arg, w, count, &r->objects,
					     ml_writer_control(r->writer));
		break;
	case ML_WORD_THREAD: ml_ring_reader_switch(r, arg); break;
	case ML_WORD_THREAD_NEW: take_thread(r, arg, w); break;
	case ML_WORD_THREAD_END:
		t = thread_again(r, arg);
		if (t)
			t->until = ml_writer_time(r->writer);
		break;
	case ML_WORD_THREAD_NAME:
		t = thread_again(r, arg);
		if (t)
			t->name = ml_tables_name(r->tables, text_of(w, end));
		break;
	case ML_WORD_MAP: take_map(r, arg, w, end); break;
	case ML_WORD_UNMAP: take_unmap(r, w); break;
	case ML_WORD_STACK: ml_guest_memory_add_stack(&r->memory, arg, w, count); break;
	case ML_WORD_ALLOC:
		ml_guest_memory_alloc(&r->memory, &r->thread->allocation, arg, w[0],
				      w[1]);
		break;
	case ML_WORD_ALLOCATING:
		ml_guest_memory_allocating(&r->memory, &r->thread->allocation, arg, w[0]);
		break;
	case ML_WORD_MMAP: ml_guest_memory_mmap(&r->memory, arg, w[0], w[1]); break;
	case ML_WORD_FREE: ml_guest_memory_free(&r->memory, w[0]); break;
	case ML_WORD_REGION:
		ml_guest_memory_register(&r->memory, arg, w, text_of(w + 5, end));
		break;
	case ML_WORD_UNREGION: ml_guest_memory_unregister(&r->memory, w[0]); break;
	case ML_WORD_MARK: take_mark(r, arg, text_of(w, end)); break;
	case ML_WORD_STATE: take_state(r, (int64_t)w[0], text_of(w + 1, end)); break;
	case ML_WORD_RECORD: ml_filter_record(&r->filter, arg); break;
	case ML_WORD_LOST: ml_writer_gap(r->writer, w[0], ML_GAP_FAULT); break;
	case ML_WORD_EXEC:
		r->exec = ml_writer_time(r->writer) + 1;
		r->unrecorded = arg;
		break;
	case ML_WORD_EXIT:
		snprintf(status, sizeof(status), "%u", arg);
		ml_ring_reader_meta(r, "exit status", status);
		r->exited = true;
		break;
	case ML_WORD_STAMP: break; /* thread_merge has read it */
	case ML_WORD_BLOCK: take_block(r, arg, w, count); break;
	case ML_WORD_FORK: take_fork(r, arg, (struct ml_fork){ w[0], w[1] }); break;
	case ML_WORD_INHERIT: take_inherited(r, arg, w[0]); break;
	case ML_WORD_SYNC: take_sync(r, arg, w[0]); break;
	case ML_WORD_ABOUT: take_about(r, arg, text_of(w, end)); break;
	case ML_WORD_VALUES: take_values(r, arg, w, count); break;
	case ML_WORD_SYSTEM:
		ml_address_ranges_add(arg ? &r->system_wrote : &r->system_read, w[0],
				      w[1]);
		break;
	default: r->bad++;
	}
}
