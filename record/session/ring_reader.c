#include "record/session/ring_reader.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/base/map.h"
#include "lib/samples/timed_ref.h"
#include "lib/trace/shape.h"
#include "lib/trace/writer.h"
#include "record/tracks/callers.h"
#include "record/session/filter.h"
#include "record/symbols/globals.h"
#include "record/session/guest_memory.h"
#include "record/session/guest_phases.h"
#include "record/tracks/reference_steps.h"
#include "record/session/guest_shape.h"
#include "record/tracks/superblock_steps.h"
#include "record/session/uninstrumented.h"
#include "record/session/fork_state.h"
#include "record/session/ring_message.h"
#include "record/symbols/objects.h"
#include "record/ring.h"
#include "record/timed_load.h"
#include "record/symbols/sites.h"
#include "record/session/partial_steps.h"

enum {
	STACK_REACH = 8 << 20,
	NUMBERS_AHEAD = 1 << 16,
	FLUSH_MS = 200, /* a chunk is sent after this time, full or not */
};

struct thread {
	struct ml_callers callers;
	uint64_t stack_low, stack_high;
	struct ml_guest_allocation allocation;
	uint64_t inside_sp; /* stack pointer at the entry of --only-in's function */
	bool inside;
};

struct ml_ring_reader {
	struct ml_writer *writer;
	struct ml_tables *tables; /* the writer's */
	const struct ml_record_options *options;
	struct ml_objects objects;
	struct ml_filter filter;
	struct ml_partial_steps partial;
	struct ml_arena arena;
	struct ml_superblock_steps steps;
	struct thread *threads; /* by number */
	size_t thread_cap;
	struct thread *thread; /* the running one */
	uint32_t thread_number;
	uint32_t caller; /* of the next steps: the site of the user's code that called the
			    library; 0: the user's code itself runs */
	bool mapped;     /* there are new mappings since the last step */
	bool entered;    /* --only-in's function was seen */
	bool limit_noted;
	uint64_t exec;   /* time + 1 of the last exec, 0: none */
	bool unrecorded; /* that program cannot be recorded */
	struct ml_guest_memory memory;
	struct ml_guest_phases phases;
	struct ml_fork_state *forks; /* or NULL */
	bool idle; /* atomic: the machine is idle apart from the recording */
	struct ml_reference_steps refs;
	struct ml_buf
		timed; /* struct ml_timed_ref of each reference, if they are timed */
	bool exited;
	const char *command; /* as the process sent it */
	const char *uninstrumented;
	struct ml_ring_reader_count count; /* for other threads: atomics */
	uint64_t bad;                      /* malformed words */
	uint32_t slotless;                 /* threads that are not recorded */
	char warning[200];
};

static struct thread *thread_of(struct ml_ring_reader *r, uint32_t number)
{
	r->threads = ml_grow(r->threads, &r->thread_cap, number + 1u,
			     sizeof(*r->threads));
	return &r->threads[number];
}

static void switch_thread(struct ml_ring_reader *r, uint32_t number)
{
	/* a batch has 16 bits for a thread; all threads beyond share the last number */
	r->thread_number = number < UINT16_MAX ? number : UINT16_MAX;
	r->thread = thread_of(r, r->thread_number);
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
	ml_partial_steps_init(&r->partial, writer);
	ml_guest_memory_init(&r->memory, &r->objects, writer);
	ml_superblock_steps_init(&r->steps, writer);
	ml_reference_steps_init(&r->refs, &r->objects, writer);
	switch_thread(r, 1);
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

/* Is ip the first instruction of the function that --only-in names? */
static bool is_entry(struct ml_ring_reader *r, uint64_t ip, uint32_t site)
{
	const struct ml_range *range = ml_objects_find(&r->objects, ip);
	uint64_t vaddr;

	if (!range || !ml_object_open(range->image->object) ||
	    !ml_objects_vaddr(range, ip, &vaddr))
		return false;
	const struct ml_symbol *s = ml_object_func(range->image->object, vaddr);
	if (!s || s->low != vaddr)
		return false;
	const struct ml_site *x = &r->tables->sites.at[site];
	/* the outermost frame is the function itself, the others are inlined into it */
	const struct ml_frame *f = &r->tables->frames.at[x->frame + x->frames - 1];
	return !strcmp(s->name, r->options->only_in) ||
	       !strcmp(ml_tables_text(r->tables, f->func), r->options->only_in);
}

/* A brief header contains the first base, so no exit may come before it. */
static bool can_be_brief(const struct ml_shape *shape, uint32_t id)
{
	return id < ML_BRIEF_SHAPES && shape->bases &&
	       (!shape->exits || shape->exit[0].bases);
}

static bool take_shape(struct ml_ring_reader *r, uint32_t id, const uint64_t *w,
		       size_t count)
{
	const struct ml_shape *shape = ml_guest_shape(w, count, &r->objects, &r->arena);

	bool brief = w[2] >> 24 & 1;
	if (!shape || id > ml_superblock_steps_known(&r->steps)->count + NUMBERS_AHEAD ||
	    (brief && !can_be_brief(shape, id)))
		return false;
	uint32_t entry = ml_sites_resolve(&r->objects, w[0]);
	size_t call = w[2] >> 32;
	struct ml_superblock *k = ml_superblock_steps_add(&r->steps, id, shape, brief);
	k->returns = (w[2] >> 16 & 0xff) == ML_END_RETURN;
	if (call && call <= shape->slots && shape->user)
		k->call = shape->slot[call - 1].site;
	k->entry = r->options->only_in && is_entry(r, w[0], entry);
	return true;
}

static bool on_stack(const struct ml_ring_reader *r, uint64_t addr)
{
	return addr >= r->thread->stack_low && addr < r->thread->stack_high;
}

/* Writes the references of a step that the filter keeps. */
static bool filter_step(struct ml_ring_reader *r, const struct ml_superblock *k,
			const uint64_t *value, uint32_t back, struct ml_err *err)
{
	struct ml_filter *f = &r->filter;
	bool keep[ML_SLOTS_MAX];
	size_t slots = back ? k->exit[k->exits - back].slots : k->shape->slots;
	size_t count = 0, left = 0;

	for (size_t i = 0; i < slots; i++) {
		const struct ml_slot *s = &k->shape->slot[i];
		uint64_t base = s->base == ML_NO_BASE ? 0 : value[s->base];

		keep[i] = !s->maybe || base;
		if (keep[i] && r->options->no_stack && on_stack(r, base + s->offset)) {
			keep[i] = false;
			left++;
		}
		count += keep[i];
	}
	if (!ml_filter_is_active(f, r->thread->inside)) {
		ml_filter_skip(f, count + left, ML_GAP_SKIPPED);
		return true;
	}
	f->stack += left;
	if (!count)
		return true;
	uint64_t gap = f->gap;
	enum ml_filter_verdict verdict = ml_filter_next(f, count);
	if (verdict == ML_FILTER_NONE)
		return true;
	if (verdict == ML_FILTER_SOME) {
		/* a gap in the middle of a step is written behind the step, a gap at its
		 * start before the step */
		bool kept = false;

		for (size_t i = 0; i < slots; i++)
			if (keep[i]) {
				keep[i] = ml_filter_one(f);
				kept |= keep[i];
				gap += !kept;
			}
	}
	if (gap) {
		ml_writer_gap(r->writer, gap, f->reason);
		f->gap -= gap;
	}
	if (verdict == ML_FILTER_ALL && !left) {
		struct ml_step step = { k->path - back, r->caller, value };

		return ml_writer_steps(r->writer, &step, 1, err);
	}
	return ml_partial_steps_write(&r->partial, k->shape, k->number, r->caller, value,
				      keep, slots, err);
}

/* Follows the function of --only-in: it is left when the stack pointer rises above its
 * frame. */
static void follow_function(struct ml_ring_reader *r, const struct ml_superblock *k,
			    uint64_t sp)
{
	struct thread *t = r->thread;

	if (t->inside && sp > t->inside_sp)
		t->inside = false;
	if (k->entry && !t->inside) {
		t->inside = r->entered = true;
		t->inside_sp = sp;
	}
}

/* Can up to `max` references be kept without asking the filter for each? */
static bool keeps_all(struct ml_ring_reader *r, uint64_t max)
{
	struct ml_filter *f = &r->filter;

	if (ml_filter_certain(f) < max)
		return false;
	if (f->gap)
		ml_writer_gap(r->writer, f->gap, f->reason);
	f->gap = 0;
	return true;
}

/* The thread crosses between the user's code and a library. */
static void cross(struct ml_ring_reader *r, bool user, uint64_t sp)
{
	ml_callers_cross(&r->thread->callers, user, sp);
	r->caller = user ? 0 : ml_callers_site(&r->thread->callers);
}

/* Reads the step at w, or more steps where the filter keeps all. Returns how many words
 * were read; 0: the trace cannot be written. */
static size_t take_step(struct ml_ring_reader *r, const uint64_t *w, const uint64_t *end,
			struct ml_err *err)
{
	const struct ml_superblock *k =
		ml_superblocks_find(ml_superblock_steps_known(&r->steps), *w);
	uint64_t value[ML_SLOTS_MAX];

	if (!k) {
		r->bad++;
		return 1;
	}
	const uint64_t *base = ml_superblock_bases(k, w);
	size_t room = (size_t)(end - base), bases;
	uint32_t back = ml_superblock_left_at(k, base, room, &bases);
	if (bases > room) {
		r->bad++;
		return (size_t)(end - w);
	}
	if (r->mapped) {
		ml_globals_update(&r->objects);
		r->mapped = false;
	}
	struct ml_callers *c = &r->thread->callers;
	uint64_t sp = ml_superblock_sp_before(k, base, bases, c->sp);
	if ((k->where == ML_SUPERBLOCK_USER) != c->user)
		cross(r, k->where == ML_SUPERBLOCK_USER, sp);
	if (keeps_all(r, (uint64_t)(end - w) *
				 ml_superblock_steps_known(&r->steps)->slots_max)) {
		/* fast: this step and the next ones along known tracks */
		const uint64_t *at = w;
		uint64_t before = ml_writer_time(r->writer);

		if (!ml_superblock_steps_take(&r->steps, c, r->caller, &at, end, err))
			return 0;
		ml_filter_count_kept(&r->filter, ml_writer_time(r->writer) - before);
		return (size_t)(at - w);
	}
	follow_function(r, k, sp);
	ml_superblock_stepped(k, base, back, sp, c);
	ml_superblock_values(k, w, bases, value);
	return filter_step(r, k, value, back, err) ? (size_t)(base - w) + bases : 0;
}

/* Does the site lie in the function of --only-in? */
static bool is_within(struct ml_ring_reader *r, const struct ml_reference_place *h)
{
	uint64_t ip = (h->word & (((uint64_t)1 << ML_REF_SHIFT) - 1)) - 1, vaddr;
	const struct ml_site *x = &r->tables->sites.at[h->site];
	const struct ml_frame *f = &r->tables->frames.at[x->frame + x->frames - 1];

	if (!strcmp(ml_tables_text(r->tables, f->func), r->options->only_in))
		return true;
	const struct ml_range *range = ml_objects_find(&r->objects, ip);
	if (!range || !ml_object_open(range->image->object) ||
	    !ml_objects_vaddr(range, ip, &vaddr))
		return false;
	const struct ml_symbol *s = ml_object_func(range->image->object, vaddr);
	return s && !strcmp(s->name, r->options->only_in);
}

/* A function was entered or is about to return (ML_REF_ENTRY, ML_REF_RETURN). */
static void take_call(struct ml_ring_reader *r, const struct ml_reference_place *h,
		      uint64_t sp)
{
	struct thread *t = r->thread;

	if (!r->options->only_in)
		return;
	if (t->inside &&
	    (h->call == ML_REF_RETURN ? sp >= t->inside_sp : sp > t->inside_sp))
		t->inside = false;
	if (h->call == ML_REF_ENTRY && !t->inside && is_within(r, h)) {
		t->inside = r->entered = true;
		t->inside_sp = sp;
	}
}

/* Reads pairs of `memlamp cc`, each through the filter. */
static bool filter_refs(struct ml_ring_reader *r, const uint64_t **at,
			const uint64_t *end, struct ml_err *err)
{
	const uint64_t *w = *at;

	for (; end - w >= 2 && ml_reference_is_pair(*w) && !r->filter.full; w += 2) {
		const struct ml_reference_place *h =
			ml_reference_places_find(&r->refs.places, *w);

		if (h->call) {
			take_call(r, h, w[1]);
			continue;
		}
		struct ml_superblock k = { .path = h->path,
					   .bases = 1,
					   .shape = ml_writer_shape_at(r->writer,
								       h->number),
					   .number = h->number };
		if (!filter_step(r, &k, w + 1, 0, err))
			return false;
	}
	*at = w;
	return true;
}

static bool take_refs(struct ml_ring_reader *r, const uint64_t **at, const uint64_t *end,
		      struct ml_err *err)
{
	if (end - *at < 2) {
		r->bad++;
		*at = end;
		return true;
	}
	if (r->mapped) {
		ml_globals_update(&r->objects);
		r->mapped = false;
	}
	/* a pair of words is at most two references */
	if (!keeps_all(r, (uint64_t)(end - *at)))
		return filter_refs(r, at, end, err);
	uint64_t before = ml_writer_time(r->writer);
	bool ok = ml_reference_steps_take(&r->refs, at, end, err);
	ml_filter_count_kept(&r->filter, ml_writer_time(r->writer) - before);
	return ok;
}

bool ml_ring_reader_flush(struct ml_ring_reader *r, struct ml_err *err)
{
	return ml_writer_flush(r->writer, FLUSH_MS * ML_MS, err);
}

/* A message ML_WORD_TIMED: a reference of its own and its measurement. */
static bool take_timed(struct ml_ring_reader *r, const uint64_t *w, size_t count,
		       struct ml_err *err)
{
	const uint64_t *at = w + 1;
	uint64_t before = ml_writer_time(r->writer);

	if (count < 5 || !ml_reference_is_pair(w[1])) {
		r->bad++;
		return true;
	}
	if (!take_refs(r, &at, at + 2, err))
		return false;
	if (ml_writer_time(r->writer) != before + 1)
		return true; /* the filter has left it out */
	struct ml_timed_ref t = { w[3], w[4], (uint32_t)w[5] & ML_TIMED_CPU_MASK,
				  (uint32_t)(w[5] >> 32) & ML_TIMED_CPU_MASK };
	ml_buf_put(&r->timed, &t, sizeof(t));
	return true;
}

const struct ml_buf *ml_ring_reader_timed(const struct ml_ring_reader *r)
{
	return &r->timed;
}

void ml_ring_reader_thread(struct ml_ring_reader *r, uint32_t number)
{
	if (number != r->thread_number)
		switch_thread(r, number);
}

void ml_ring_reader_unrecorded(struct ml_ring_reader *r, uint32_t threads)
{
	char number[16];

	r->slotless = threads;
	snprintf(number, sizeof(number), "%u", threads);
	ml_ring_reader_meta(r, "threads not recorded", number);
	ml_writer_gap(r->writer, 0, ML_GAP_LOST);
}

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
	struct thread *t = thread_of(r, number);

	r->thread = thread_of(r, r->thread_number); /* the array may have moved */
	t->stack_low = w[1];
	t->stack_high = w[2];
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

static void take_about(struct ml_ring_reader *r, uint32_t what, const char *text)
{
	if (what == 0)
		r->command = ml_arena_strdup(&r->arena, text);
	ml_ring_reader_meta(r, what == 0 ? "command" : "cwd", text);
}

static void take_message(struct ml_ring_reader *r, const uint64_t *w, size_t count);

/* A forked child continues with the state of its parent's filter. */
static void report_filter(const struct ml_ring_reader *r, struct ml_buf *out)
{
	const struct ml_filter *f = &r->filter;
	uint32_t inherit = (f->recording ? ML_INHERIT_RECORDING : 0u) |
			   (f->marked ? ML_INHERIT_MARKED : 0u) |
			   (r->thread->inside ? ML_INHERIT_INSIDE : 0u);

	ml_ring_message_put(out, ML_WORD_INHERIT, inherit, &r->thread->inside_sp, 1,
			    NULL);
}

static void take_inherited(struct ml_ring_reader *r, uint32_t inherited, uint64_t sp)
{
	if (!(inherited & ML_INHERIT_RECORDING))
		ml_filter_record(&r->filter, false);
	r->filter.marked = inherited & ML_INHERIT_MARKED;
	r->thread->inside = inherited & ML_INHERIT_INSIDE;
	r->entered |= r->thread->inside;
	r->thread->inside_sp = sp;
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
			take_message(r, w, ML_WORD_COUNT(*w));
	}
	ml_buf_release(&words);
}

/* The minimum of payload words by type of message. */
static const uint8_t min_words[] = {
	[ML_WORD_SHAPE] = 3,      [ML_WORD_THREAD_NEW] = 3, [ML_WORD_MAP] = 3,
	[ML_WORD_UNMAP] = 2,      [ML_WORD_ALLOC] = 2,      [ML_WORD_FREE] = 1,
	[ML_WORD_MMAP] = 2,       [ML_WORD_REGION] = 6,     [ML_WORD_UNREGION] = 1,
	[ML_WORD_STATE] = 2,      [ML_WORD_LOST] = 1,       [ML_WORD_EXIT] = 0,
	[ML_WORD_STAMP] = 1,      [ML_WORD_BLOCK] = 2,      [ML_WORD_ABOUT] = 1,
	[ML_WORD_ALLOCATING] = 1, [ML_WORD_FORK] = 2,       [ML_WORD_INHERIT] = 1,
};

static void take_message(struct ml_ring_reader *r, const uint64_t *w, size_t count)
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
	case ML_WORD_SHAPE: r->bad += !take_shape(r, arg, w, count); break;
	case ML_WORD_THREAD: switch_thread(r, arg); break;
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
	case ML_WORD_ABOUT: take_about(r, arg, text_of(w, end)); break;
	default: r->bad++;
	}
}

bool ml_ring_reader_feed(struct ml_ring_reader *r, const uint64_t *words, size_t count,
			 struct ml_err *err)
{
	const uint64_t *w = words, *end = words + count;

	ml_writer_background(r->writer, __atomic_load_n(&r->idle, __ATOMIC_RELAXED));
	while (w < end && !r->filter.full) {
		unsigned type = ML_WORD_TYPE(*w);

		if (ml_reference_is_pair(*w)) {
			if (!take_refs(r, &w, end, err))
				return false;
		} else if (!(*w >> 63)) {
			r->bad++;
			w++;
		} else if (type == ML_WORD_STEP || ml_word_is_brief(*w)) {
			size_t taken = take_step(r, w, end, err);

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
				take_message(r, w, payload);
			else if (!take_timed(r, w, payload, err))
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
		snprintf(r->warning, sizeof(r->warning),
			 "%u threads were not recorded: too many lived at once",
			 r->slotless);
	else if (r->unrecorded && ml_ring_reader_replaced(r))
		snprintf(r->warning, sizeof(r->warning),
			 "the process became a program that cannot be recorded: "
			 "set-user-ID or 32-bit");
	else if (r->options->only_in && !r->entered)
		snprintf(r->warning, sizeof(r->warning),
			 "%s was never entered: it may be inlined, misspelt or stripped",
			 r->options->only_in);
	else if (r->options->from_mark && !r->filter.seen && !r->filter.full)
		snprintf(r->warning, sizeof(r->warning),
			 "the mark '%s' was never reached", r->options->from_mark);
}

bool ml_ring_reader_replaced(const struct ml_ring_reader *r)
{
	return r->exec == ml_writer_time(r->writer) + 1;
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
	if (r->refs.heads.count) {
		r->uninstrumented = ml_uninstrumented(&r->objects, &r->arena);
		ml_ring_reader_meta(r, "not seen", r->uninstrumented);
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
	ml_objects_release(&r->objects);
	ml_arena_release(&r->arena);
	ml_buf_release(&r->timed);
	ml_free(r->threads);
	ml_guest_memory_release(&r->memory);
	ml_guest_phases_release(&r->phases);
	ml_reference_steps_release(&r->refs);
	ml_superblock_steps_release(&r->steps);
	ml_free(r);
}
