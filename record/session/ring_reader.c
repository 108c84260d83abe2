#include "record/session/ring_reader.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
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
#include "record/symbols/objects.h"
#include "record/ring.h"
#include "record/symbols/sites.h"
#include "record/session/thin.h"

enum { STACK_REACH = 8 << 20, NUMBERS_AHEAD = 1 << 16 };

struct thread {
	struct ml_callers callers;
	uint64_t stack_low, stack_high;
	struct ml_guest_making making;
	uint64_t inside_sp; /* stack pointer at the entry of --only-in's function */
	bool inside;
};

struct ml_ring_reader {
	struct ml_writer *writer;
	struct ml_tables *tables; /* the writer's */
	const struct ml_record_options *options;
	struct ml_objects objects;
	struct ml_filter filter;
	struct ml_thin thin;
	struct ml_arena arena;
	struct ml_superblock_steps steps;
	struct thread *threads; /* by number */
	size_t thread_cap;
	struct thread *thread; /* the running one */
	uint32_t thread_number;
	uint32_t caller; /* of the steps that come: the user's site, while a library works
			  */
	bool mapped;     /* new mappings since the last step */
	bool entered;    /* --only-in's function was seen */
	bool limit_noted;
	uint64_t exec;   /* time + 1 of the last exec, 0: none */
	bool unrecorded; /* it started a program that is not recorded */
	struct ml_guest_memory blocks;
	struct ml_guest_phases phases;
	struct ml_fork_state *heritage; /* or NULL */
	bool quiet;                     /* atomic: the machine has nothing else to do */
	struct ml_reference_steps refs;
	bool exited;
	const char *command; /* as the process told it */
	const char *unseen;
	struct ml_ring_reader_count count; /* for other threads: atomics */
	uint64_t bad;                      /* words that made no sense */
	char warning[200];
};

static struct thread *thread_of(struct ml_ring_reader *d, uint32_t number)
{
	d->threads = ml_grow(d->threads, &d->thread_cap, number + 1u,
			     sizeof(*d->threads));
	return &d->threads[number];
}

static void switch_thread(struct ml_ring_reader *d, uint32_t number)
{
	/* a batch carries 16 bits; who has more threads shares the last number */
	d->thread_number = number < UINT16_MAX ? number : UINT16_MAX;
	d->thread = thread_of(d, d->thread_number);
	ml_writer_thread(d->writer, (uint16_t)d->thread_number);
	d->caller = d->thread->callers.user ? 0 : ml_callers_site(&d->thread->callers);
}

struct ml_ring_reader *ml_ring_reader_open(const char *path,
					   const struct ml_record_options *options,
					   struct ml_err *err)
{
	struct ml_writer *writer;

	if (!ml_writer_open(&writer, path, err))
		return NULL;
	struct ml_ring_reader *d = ml_resize(NULL, sizeof(*d));
	*d = (struct ml_ring_reader){ .writer = writer, .options = options };
	d->tables = ml_writer_tables(writer);
	ml_objects_init(&d->objects, d->tables);
	ml_filter_init(&d->filter, options);
	ml_thin_init(&d->thin, writer);
	ml_guest_memory_init(&d->blocks, &d->objects, writer);
	ml_superblock_steps_init(&d->steps, writer);
	ml_reference_steps_init(&d->refs, &d->objects, writer);
	switch_thread(d, 1);
	return d;
}

void ml_ring_reader_fork_state(struct ml_ring_reader *d, struct ml_fork_state *heritage)
{
	d->heritage = heritage;
}

void ml_ring_reader_hurry(struct ml_ring_reader *d)
{
	ml_writer_hurry(d->writer);
}

void ml_ring_reader_idle(struct ml_ring_reader *d, bool quiet)
{
	__atomic_store_n(&d->quiet, quiet, __ATOMIC_RELAXED);
}

void ml_ring_reader_meta(struct ml_ring_reader *d, const char *key, const char *value)
{
	ml_tables_meta(d->tables, key, value);
}

const char *ml_ring_reader_command(const struct ml_ring_reader *d)
{
	return d->command;
}

const char *ml_ring_reader_uninstrumented(const struct ml_ring_reader *d)
{
	return d->unseen;
}

bool ml_ring_reader_exited(const struct ml_ring_reader *d)
{
	return d->exited;
}

bool ml_ring_reader_full(const struct ml_ring_reader *d)
{
	return d->filter.full;
}

struct ml_ring_reader_count ml_ring_reader_count(const struct ml_ring_reader *d)
{
	return (struct ml_ring_reader_count){
		__atomic_load_n(&d->count.refs, __ATOMIC_RELAXED),
		__atomic_load_n(&d->count.bytes, __ATOMIC_RELAXED),
	};
}

const char *ml_ring_reader_warning(const struct ml_ring_reader *d)
{
	return d->warning[0] ? d->warning : NULL;
}

/* Is ip the first instruction of the function that --only-in names? */
static bool is_entry(struct ml_ring_reader *d, uint64_t ip, uint32_t site)
{
	const struct ml_range *r = ml_objects_find(&d->objects, ip);
	uint64_t vaddr;

	if (!r || !ml_object_open(r->image->object) || !ml_object_vaddr(r, ip, &vaddr))
		return false;
	const struct ml_symbol *s = ml_object_func(r->image->object, vaddr);
	if (!s || s->low != vaddr)
		return false;
	const struct ml_site *x = &d->tables->sites.at[site];
	/* the outermost frame is the function itself, the others are inlined into it */
	const struct ml_frame *f = &d->tables->frames.at[x->frame + x->frames - 1];
	return !strcmp(s->name, d->options->only_in) ||
	       !strcmp(ml_tables_text(d->tables, f->func), d->options->only_in);
}

/* Only if its first base is there whatever exit it is left by. */
static bool can_be_brief(const struct ml_shape *shape, uint32_t id)
{
	return id < ML_BRIEF_SHAPES && shape->bases &&
	       (!shape->exits || shape->exit[0].bases);
}

static bool take_shape(struct ml_ring_reader *d, uint32_t id, const uint64_t *w,
		       size_t count)
{
	const struct ml_shape *shape = ml_guest_shape(w, count, &d->objects, &d->arena);

	bool brief = w[2] >> 24 & 1;
	if (!shape || id > ml_superblock_steps_known(&d->steps)->count + NUMBERS_AHEAD ||
	    (brief && !can_be_brief(shape, id)))
		return false;
	uint32_t entry = ml_sites_resolve(&d->objects, w[0]);
	size_t call = w[2] >> 32;
	struct ml_superblock *k = ml_superblock_steps_add(&d->steps, id, shape, brief);
	k->returns = (w[2] >> 16 & 0xff) == ML_END_RETURN;
	if (call && call <= shape->slots && shape->user)
		k->call = shape->slot[call - 1].site;
	k->entry = d->options->only_in && is_entry(d, w[0], entry);
	return true;
}

static bool on_stack(const struct ml_ring_reader *d, uint64_t addr)
{
	return addr >= d->thread->stack_low && addr < d->thread->stack_high;
}

/* A step of which perhaps not all is kept. */
static bool filter_step(struct ml_ring_reader *d, const struct ml_superblock *k,
			const uint64_t *value, uint32_t back, struct ml_err *err)
{
	struct ml_filter *f = &d->filter;
	bool keep[ML_SLOTS_MAX];
	size_t slots = back ? k->exit[k->exits - back].slots : k->shape->slots;
	size_t count = 0, left = 0;

	for (size_t i = 0; i < slots; i++) {
		const struct ml_slot *s = &k->shape->slot[i];
		uint64_t base = s->base == ML_NO_BASE ? 0 : value[s->base];

		keep[i] = !s->maybe || base;
		if (keep[i] && d->options->no_stack && on_stack(d, base + s->offset)) {
			keep[i] = false;
			left++;
		}
		count += keep[i];
	}
	if (!ml_filter_open(f, d->thread->inside)) {
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
		/* a gap in the middle of a step is told at its end, one at its start
		 * before it */
		bool kept = false;

		for (size_t i = 0; i < slots; i++)
			if (keep[i]) {
				keep[i] = ml_filter_one(f);
				kept |= keep[i];
				gap += !kept;
			}
	}
	if (gap) {
		ml_writer_gap(d->writer, gap, f->reason);
		f->gap -= gap;
	}
	if (verdict == ML_FILTER_ALL && !left) {
		struct ml_step step = { k->path - back, d->caller, value };

		return ml_writer_steps(d->writer, &step, 1, err);
	}
	return ml_thin_step(&d->thin, k->shape, k->number, d->caller, value, keep, slots,
			    err);
}

/* The function of --only-in: entered, or left when the stack pointer rises above its
 * frame. */
static void follow_function(struct ml_ring_reader *d, const struct ml_superblock *k,
			    uint64_t sp)
{
	struct thread *t = d->thread;

	if (t->inside && sp > t->inside_sp)
		t->inside = false;
	if (k->entry && !t->inside) {
		t->inside = d->entered = true;
		t->inside_sp = sp;
	}
}

/* Can up to so many references be kept without asking for each? */
static bool is_beaten(struct ml_ring_reader *d, uint64_t most)
{
	struct ml_filter *f = &d->filter;

	if (ml_filter_sure(f) < most)
		return false;
	if (f->gap)
		ml_writer_gap(d->writer, f->gap, f->reason);
	f->gap = 0;
	return true;
}

/* Crossings between the user's code and libraries. */
static void cross(struct ml_ring_reader *d, bool user, uint64_t sp)
{
	ml_callers_cross(&d->thread->callers, user, sp);
	d->caller = user ? 0 : ml_callers_site(&d->thread->callers);
}

/* One step at w, whatever it needs; returns how many words it takes, 0 on failure to
 * write. */
static size_t take_step(struct ml_ring_reader *d, const uint64_t *w, const uint64_t *end,
			struct ml_err *err)
{
	const struct ml_superblock *k =
		ml_superblocks_find(ml_superblock_steps_known(&d->steps), *w);
	uint64_t value[ML_SLOTS_MAX];

	if (!k) {
		d->bad++;
		return 1;
	}
	const uint64_t *base = ml_superblock_bases(k, w);
	size_t room = (size_t)(end - base), bases;
	uint32_t back = ml_superblock_left_at(k, base, room, &bases);
	if (bases > room) {
		d->bad++;
		return (size_t)(end - w);
	}
	if (d->mapped) {
		ml_globals_update(&d->objects);
		d->mapped = false;
	}
	struct ml_callers *c = &d->thread->callers;
	uint64_t sp = ml_superblock_sp_before(k, base, bases, c->sp);
	if ((k->where == ML_SUPERBLOCK_USER) != c->user)
		cross(d, k->where == ML_SUPERBLOCK_USER, sp);
	if (is_beaten(d, (uint64_t)(end - w) *
				 ml_superblock_steps_known(&d->steps)->slots_max)) {
		/* the beaten track from here on, with this step */
		const uint64_t *at = w;
		uint64_t before = ml_writer_time(d->writer);

		if (!ml_superblock_steps_take(&d->steps, c, d->caller, &at, end, err))
			return 0;
		ml_filter_kept(&d->filter, ml_writer_time(d->writer) - before);
		return (size_t)(at - w);
	}
	follow_function(d, k, sp);
	ml_superblock_stepped(k, base, back, sp, c);
	ml_superblock_values(k, w, bases, value);
	return filter_step(d, k, value, back, err) ? (size_t)(base - w) + bases : 0;
}

/* Is it the function of --only-in that the site lies in? */
static bool is_within(struct ml_ring_reader *d, const struct ml_reference_place *h)
{
	uint64_t ip = (h->word & (((uint64_t)1 << ML_REF_SHIFT) - 1)) - 1, vaddr;
	const struct ml_site *x = &d->tables->sites.at[h->site];
	const struct ml_frame *f = &d->tables->frames.at[x->frame + x->frames - 1];

	if (!strcmp(ml_tables_text(d->tables, f->func), d->options->only_in))
		return true;
	const struct ml_range *r = ml_objects_find(&d->objects, ip);
	if (!r || !ml_object_open(r->image->object) || !ml_object_vaddr(r, ip, &vaddr))
		return false;
	const struct ml_symbol *s = ml_object_func(r->image->object, vaddr);
	return s && !strcmp(s->name, d->options->only_in);
}

/* A function of a guest that tells references one by one was entered or is left. */
static void take_call(struct ml_ring_reader *d, const struct ml_reference_place *h,
		      uint64_t sp)
{
	struct thread *t = d->thread;

	if (!d->options->only_in)
		return;
	if (t->inside &&
	    (h->call == ML_REF_RETURN ? sp >= t->inside_sp : sp > t->inside_sp))
		t->inside = false;
	if (h->call == ML_REF_ENTRY && !t->inside && is_within(d, h)) {
		t->inside = d->entered = true;
		t->inside_sp = sp;
	}
}

/* References one by one, of which perhaps not all are kept. */
static bool filter_refs(struct ml_ring_reader *d, const uint64_t **at,
			const uint64_t *end, struct ml_err *err)
{
	const uint64_t *w = *at;

	for (; end - w >= 2 && ml_reference_is_pair(*w) && !d->filter.full; w += 2) {
		const struct ml_reference_place *h =
			ml_reference_places_find(&d->refs.places, *w);

		if (h->call) {
			take_call(d, h, w[1]);
			continue;
		}
		struct ml_superblock k = { .path = h->path,
					   .bases = 1,
					   .shape = ml_writer_shape_at(d->writer,
								       h->number),
					   .number = h->number };
		if (!filter_step(d, &k, w + 1, 0, err))
			return false;
	}
	*at = w;
	return true;
}

static bool take_refs(struct ml_ring_reader *d, const uint64_t **at, const uint64_t *end,
		      struct ml_err *err)
{
	if (end - *at < 2) {
		d->bad++;
		*at = end;
		return true;
	}
	if (d->mapped) {
		ml_globals_update(&d->objects);
		d->mapped = false;
	}
	/* two words each, and at most two references */
	if (!is_beaten(d, (uint64_t)(end - *at)))
		return filter_refs(d, at, end, err);
	uint64_t before = ml_writer_time(d->writer);
	bool ok = ml_reference_steps_take(&d->refs, at, end, err);
	ml_filter_kept(&d->filter, ml_writer_time(d->writer) - before);
	return ok;
}

void ml_ring_reader_thread(struct ml_ring_reader *d, uint32_t number)
{
	if (number != d->thread_number)
		switch_thread(d, number);
}

static const char *text_of(const uint64_t *w, const uint64_t *end)
{
	const char *text = (const char *)w;

	return w < end && memchr(text, 0, (size_t)(end - w) * 8) ? text : "";
}

static void take_map(struct ml_ring_reader *d, uint32_t arg, const uint64_t *w,
		     const uint64_t *end)
{
	static const enum ml_mapping_kind kinds[] = {
		[ML_MAP_FILE] = ML_MAPPING_FILE,   [ML_MAP_ANON] = ML_MAPPING_ANON,
		[ML_MAP_BRK] = ML_MAPPING_HEAP,    [ML_MAP_STACK] = ML_MAPPING_STACK,
		[ML_MAP_OTHER] = ML_MAPPING_OTHER,
	};
	uint32_t kind = arg & 0xff;
	struct ml_mapping m = {
		.time = ml_writer_time(d->writer),
		.low = w[0],
		.high = w[1],
		.offset = w[2],
		.kind = kind <= ML_MAP_OTHER ? kinds[kind] : ML_MAPPING_OTHER,
		.prot = (uint8_t)(arg >> 8),
	};
	const char *path = text_of(w + 3, end);

	m.path = ml_tables_name(d->tables, path);
	*ML_ADD(d->tables->mappings) = m;
	ml_guest_unmap(&d->blocks, m.low, m.high);
	ml_objects_map(&d->objects, m.low, m.high, m.offset, m.prot, m.kind, path);
	if (m.prot & 4)
		ml_reference_steps_forget(&d->refs);
	d->mapped = true;
}

static void take_unmap(struct ml_ring_reader *d, const uint64_t *w)
{
	*ML_ADD(d->tables->mappings) = (struct ml_mapping){
		.time = ml_writer_time(d->writer),
		.low = w[0],
		.high = w[1],
		.kind = ML_MAPPING_NONE,
	};
	ml_objects_unmap(&d->objects, w[0], w[1]);
	ml_guest_unmap(&d->blocks, w[0], w[1]);
}

static void take_thread(struct ml_ring_reader *d, uint32_t number, const uint64_t *w)
{
	if (number > UINT16_MAX)
		return; /* shares the last number, see switch_thread */
	struct thread *t = thread_of(d, number);

	d->thread = thread_of(d, d->thread_number); /* the list may have moved */
	t->stack_low = w[1];
	t->stack_high = w[2];
	if (number == 1 && t->stack_high > STACK_REACH)
		t->stack_low = t->stack_high - STACK_REACH;
	*ML_ADD(d->tables->threads) = (struct ml_thread){
		.id = (uint16_t)number,
		.parent = (uint16_t)w[0],
		.from = ml_writer_time(d->writer),
		.until = ML_FOREVER,
		.stack_low = w[1],
		.stack_high = w[2],
	};
}

/* A changed entry of a thread: the last one counts. */
static struct ml_thread *thread_again(struct ml_ring_reader *d, uint32_t number)
{
	for (size_t i = d->tables->threads.count; i-- > 0;)
		if (d->tables->threads.at[i].id == number) {
			struct ml_thread copy = d->tables->threads.at[i];
			struct ml_thread *again = ML_ADD(d->tables->threads);

			*again = copy;
			return again;
		}
	return NULL;
}

/* A block with its stack. */
static void take_block(struct ml_ring_reader *d, bool mapped, const uint64_t *w,
		       size_t count)
{
	uint32_t stack = ml_guest_stack_of(&d->blocks, w + 2, count - 2);

	if (mapped)
		ml_guest_mmap(&d->blocks, stack, w[0], w[1]);
	else
		ml_guest_alloc(&d->blocks, &d->thread->making, stack, w[0], w[1]);
}

static void take_mark(struct ml_ring_reader *d, uint32_t number, const char *name)
{
	enum ml_mark_kind kind = number < 3 ? (enum ml_mark_kind)number : ML_MARK_POINT;

	ml_filter_mark(&d->filter, name, kind);
	ml_writer_mark(d->writer, kind, name);
	ml_guest_phases_mark(&d->phases, d->thread_number,
			     ml_tables_name(d->tables, name), kind);
}

static void take_state(struct ml_ring_reader *d, int64_t value, const char *name)
{
	ml_writer_state(d->writer, name, value);
	ml_guest_phases_state(&d->phases, d->thread_number,
			      ml_tables_name(d->tables, name), value);
}

static void take_about(struct ml_ring_reader *d, uint32_t what, const char *text)
{
	if (what == 0)
		d->command = ml_arena_strdup(&d->arena, text);
	ml_ring_reader_meta(d, what == 0 ? "command" : "cwd", text);
}

static void take_message(struct ml_ring_reader *d, const uint64_t *w, size_t count);

/* A child goes on as its parent was when it forked. */
static void tell_kept(const struct ml_ring_reader *d, struct ml_buf *out)
{
	const struct ml_filter *f = &d->filter;
	uint32_t keep = (f->recording ? ML_KEEP_RECORDING : 0u) |
			(f->marked ? ML_KEEP_MARKED : 0u) |
			(d->thread->inside ? ML_KEEP_INSIDE : 0u);

	ml_fork_state_put(out, ML_WORD_KEEP, keep, &d->thread->inside_sp, 1, NULL);
}

static void take_kept(struct ml_ring_reader *d, uint32_t keep, uint64_t sp)
{
	if (!(keep & ML_KEEP_RECORDING))
		ml_filter_record(&d->filter, false);
	d->filter.marked = keep & ML_KEEP_MARKED;
	d->thread->inside = keep & ML_KEEP_INSIDE;
	d->entered |= d->thread->inside;
	d->thread->inside_sp = sp;
}

/* The parent leaves what it knows, the child takes it. */
static void take_fork(struct ml_ring_reader *d, bool child, struct ml_fork fork)
{
	struct ml_buf words = { 0 };

	if (!d->heritage)
		return;
	if (!child) {
		tell_kept(d, &words);
		ml_guest_memory_tell(&d->blocks, d->thread_number, &words);
		ml_guest_phases_tell(&d->phases, d->thread_number, d->tables, &words);
		ml_fork_state_leave(d->heritage, fork, &words);
	} else if (ml_fork_state_take(d->heritage, fork, &words)) {
		const uint64_t *w = (const uint64_t *)(const void *)words.data;
		const uint64_t *end = w + words.size / sizeof(*w);

		for (; w < end; w += 1 + ML_WORD_COUNT(*w))
			take_message(d, w, ML_WORD_COUNT(*w));
	}
	ml_buf_release(&words);
}

/* Words that each message needs at least. */
static const uint8_t least[] = {
	[ML_WORD_SHAPE] = 3, [ML_WORD_THREAD_NEW] = 3, [ML_WORD_MAP] = 3,
	[ML_WORD_UNMAP] = 2, [ML_WORD_ALLOC] = 2,      [ML_WORD_FREE] = 1,
	[ML_WORD_MMAP] = 2,  [ML_WORD_REGION] = 6,     [ML_WORD_UNREGION] = 1,
	[ML_WORD_STATE] = 2, [ML_WORD_LOST] = 1,       [ML_WORD_EXIT] = 0,
	[ML_WORD_STAMP] = 1, [ML_WORD_BLOCK] = 2,      [ML_WORD_ABOUT] = 1,
	[ML_WORD_MAKE] = 1,  [ML_WORD_FORK] = 2,       [ML_WORD_KEEP] = 1,
};

static void take_message(struct ml_ring_reader *d, const uint64_t *w, size_t count)
{
	unsigned type = ML_WORD_TYPE(*w);
	uint32_t arg = ML_WORD_ARG(*w);
	const uint64_t *end = ++w + count;
	struct ml_thread *t;
	char status[16];

	if (type >= sizeof(least) || count < least[type]) {
		d->bad++;
		return;
	}
	switch (type) {
	case ML_WORD_SHAPE: d->bad += !take_shape(d, arg, w, count); break;
	case ML_WORD_THREAD: switch_thread(d, arg); break;
	case ML_WORD_THREAD_NEW: take_thread(d, arg, w); break;
	case ML_WORD_THREAD_END:
		t = thread_again(d, arg);
		if (t)
			t->until = ml_writer_time(d->writer);
		break;
	case ML_WORD_THREAD_NAME:
		t = thread_again(d, arg);
		if (t)
			t->name = ml_tables_name(d->tables, text_of(w, end));
		break;
	case ML_WORD_MAP: take_map(d, arg, w, end); break;
	case ML_WORD_UNMAP: take_unmap(d, w); break;
	case ML_WORD_STACK: ml_guest_stack(&d->blocks, arg, w, count); break;
	case ML_WORD_ALLOC:
		ml_guest_alloc(&d->blocks, &d->thread->making, arg, w[0], w[1]);
		break;
	case ML_WORD_MAKE:
		ml_guest_make(&d->blocks, &d->thread->making, arg, w[0]);
		break;
	case ML_WORD_MMAP: ml_guest_mmap(&d->blocks, arg, w[0], w[1]); break;
	case ML_WORD_FREE: ml_guest_free(&d->blocks, w[0]); break;
	case ML_WORD_REGION:
		ml_guest_region(&d->blocks, arg, w, text_of(w + 5, end));
		break;
	case ML_WORD_UNREGION: ml_guest_unregion(&d->blocks, w[0]); break;
	case ML_WORD_MARK: take_mark(d, arg, text_of(w, end)); break;
	case ML_WORD_STATE: take_state(d, (int64_t)w[0], text_of(w + 1, end)); break;
	case ML_WORD_RECORD: ml_filter_record(&d->filter, arg); break;
	case ML_WORD_LOST: ml_writer_gap(d->writer, w[0], ML_GAP_FAULT); break;
	case ML_WORD_EXEC:
		d->exec = ml_writer_time(d->writer) + 1;
		d->unrecorded = arg;
		break;
	case ML_WORD_EXIT:
		snprintf(status, sizeof(status), "%u", arg);
		ml_ring_reader_meta(d, "exit status", status);
		d->exited = true;
		break;
	case ML_WORD_STAMP: break; /* whoever feeds us has seen to it */
	case ML_WORD_BLOCK: take_block(d, arg, w, count); break;
	case ML_WORD_FORK: take_fork(d, arg, (struct ml_fork){ w[0], w[1] }); break;
	case ML_WORD_KEEP: take_kept(d, arg, w[0]); break;
	case ML_WORD_ABOUT: take_about(d, arg, text_of(w, end)); break;
	default: d->bad++;
	}
}

bool ml_ring_reader_feed(struct ml_ring_reader *d, const uint64_t *words, size_t count,
			 struct ml_err *err)
{
	const uint64_t *w = words, *end = words + count;

	ml_writer_quiet(d->writer, __atomic_load_n(&d->quiet, __ATOMIC_RELAXED));
	while (w < end && !d->filter.full) {
		unsigned type = ML_WORD_TYPE(*w);

		if (ml_reference_is_pair(*w)) {
			if (!take_refs(d, &w, end, err))
				return false;
		} else if (!(*w >> 63)) {
			d->bad++;
			w++;
		} else if (type == ML_WORD_STEP || ml_word_is_brief(*w)) {
			size_t taken = take_step(d, w, end, err);

			if (!taken)
				return false;
			w += taken;
		} else {
			size_t payload = ML_WORD_COUNT(*w);

			if (payload >= (size_t)(end - w)) {
				d->bad++;
				break;
			}
			take_message(d, w, payload);
			w += 1 + payload;
		}
	}
	if (d->filter.full && !d->limit_noted) {
		ml_writer_gap(d->writer, 0, ML_GAP_LIMIT);
		d->limit_noted = true;
	}
	__atomic_store_n(&d->count.refs, ml_writer_time(d->writer), __ATOMIC_RELAXED);
	__atomic_store_n(&d->count.bytes, ml_writer_bytes(d->writer), __ATOMIC_RELAXED);
	return true;
}

static bool keep_source(void *arg, const char *path, const char *text, size_t size,
			struct ml_err *err)
{
	struct ml_ring_reader *d = arg;

	(void)err;
	ml_writer_source(d->writer, path, text, size);
	return true;
}

static void warn(struct ml_ring_reader *d)
{
	if (d->bad)
		snprintf(d->warning, sizeof(d->warning),
			 "%llu words of the recorder made no sense and were left out",
			 (unsigned long long)d->bad);
	else if (d->unrecorded && ml_ring_reader_replaced(d))
		snprintf(d->warning, sizeof(d->warning),
			 "the process became a program that cannot be recorded: "
			 "set-user-ID or 32-bit");
	else if (d->options->only_in && !d->entered)
		snprintf(d->warning, sizeof(d->warning),
			 "%s was never entered: it may be inlined, misspelt or stripped",
			 d->options->only_in);
	else if (d->options->from_mark && !d->filter.seen && !d->filter.full)
		snprintf(d->warning, sizeof(d->warning), "the mark '%s' never came",
			 d->options->from_mark);
}

bool ml_ring_reader_replaced(const struct ml_ring_reader *d)
{
	return d->exec == ml_writer_time(d->writer) + 1;
}

bool ml_ring_reader_finish(struct ml_ring_reader *d, bool cut, struct ml_err *err)
{
	char number[24];
	bool ok = true;

	warn(d);
	if (d->filter.gap)
		ml_writer_gap(d->writer, d->filter.gap, d->filter.reason);
	if (d->bad)
		ml_writer_gap(d->writer, 0, ML_GAP_LOST);
	if (d->options->no_stack) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)d->filter.stack);
		ml_ring_reader_meta(d, "stack references left out", number);
	}
	if (d->refs.heads.count) {
		d->unseen = ml_uninstrumented(&d->objects, &d->arena);
		ml_ring_reader_meta(d, "not seen", d->unseen);
	}
	ml_ring_reader_meta(d, "ended",
			    cut              ? "killed"
			    : d->filter.full ? "limit"
					     : "whole");
	ml_globals_update(&d->objects);
	if (!d->options->no_source)
		ok = ml_sources_each(&d->objects.sources, d->tables, keep_source, d, err);
	if (ok)
		ok = ml_writer_close(d->writer, err);
	else
		ml_writer_abandon(d->writer);
	d->writer = NULL;
	return ok;
}

void ml_ring_reader_release(struct ml_ring_reader *d)
{
	if (d->writer)
		ml_writer_abandon(d->writer);
	ml_thin_release(&d->thin);
	ml_objects_release(&d->objects);
	ml_arena_release(&d->arena);
	ml_free(d->threads);
	ml_guest_memory_release(&d->blocks);
	ml_guest_phases_release(&d->phases);
	ml_reference_steps_release(&d->refs);
	ml_superblock_steps_release(&d->steps);
	ml_free(d);
}
