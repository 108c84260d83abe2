/* The references of a ring: shapes, steps of superblocks, pairs of `memlamp cc`. */
#include <string.h>

#include "lib/trace/shape.h"
#include "lib/samples/timed_ref.h"
#include "record/ring.h"
#include "record/arch/timed_load.h"
#include "record/reader/guest_shape.h"
#include "record/reader/ring_reader_parts.h"
#include "record/symbols/globals.h"
#include "record/symbols/sites.h"

enum { NUMBERS_AHEAD = 1 << 16 };

/* A brief header contains the first base, so no exit may come before it. */
static bool can_be_brief(const struct ml_shape *shape, uint32_t id)
{
	return id < ML_BRIEF_SHAPES && shape->bases &&
	       (!shape->exits || shape->exit[0].bases);
}

bool ml_ring_reader_shape(struct ml_ring_reader *r, uint32_t id, const uint64_t *w,
			  size_t count)
{
	const struct ml_shape *shape = ml_guest_shape(w, count, &r->objects, &r->arena);

	bool brief = w[2] >> 24 & 1;
	if (!shape || id > ml_superblock_steps_known(&r->steps)->count + NUMBERS_AHEAD ||
	    (brief && !can_be_brief(shape, id)))
		return false;
	uint32_t entry = ml_sites_resolve(&r->objects, w[0]);
	const uint32_t *call = ml_guest_shape_calls(w, shape, &r->objects, &r->arena);
	struct ml_superblock *k = ml_superblock_steps_add(&r->steps, id, shape, call,
							  brief);
	ml_guest_code_shape(&r->code, id,
			    ml_writer_shapes(r->writer)->path[k->path].shape,
			    ml_writer_control(r->writer));
	k->returns = (w[2] >> 16 & 0xff) == ML_END_RETURN;
	k->place = (uint8_t)ml_only_in_place(&r->only_in, w[0], entry);
	return true;
}

static bool on_stack(const struct ml_ring_reader *r, uint64_t addr)
{
	return addr >= r->thread->stack_low && addr < r->thread->stack_high;
}

/* Is this one more round of a loop in which the thread waits? */
static bool spins(struct ml_ring_reader *r, const struct ml_superblock *k,
		  const uint64_t *value, size_t slots, const bool *made)
{
	uint64_t step = k->path + ((uint64_t)slots << 32);
	bool writes = false;

	for (size_t i = 0; i < slots; i++) {
		const struct ml_slot *s = &k->shape->slot[i];
		uint64_t at = (s->base == ML_NO_BASE ? 0 : value[s->base]) + s->offset;

		if (!made[i])
			continue;
		step = (step ^ at) * 0x9e3779b97f4a7c15u;
		writes |= ml_what_kind(s->what) == ML_WRITE && !on_stack(r, at);
	}
	return ml_spin_step(&r->thread->spin, step, writes);
}

/* Does the thread run the function of --only-in, itself or for its parent? */
static bool is_inside(const struct ml_ring_reader *r)
{
	const struct ml_only_in_thread *t = &r->thread->only_in;

	return !r->options->only_in || t->inside ||
	       (t->born_inside && r->threads[t->parent].only_in.inside);
}

/* Keeps only references of code that was inlined from the function of --only-in. Returns
 * how many are left out. */
static size_t leave_out(struct ml_ring_reader *r, const struct ml_superblock *k,
			bool *keep, size_t slots)
{
	size_t count = 0;

	for (size_t i = 0; i < slots; i++)
		if (keep[i] && !ml_only_in_site(&r->only_in, k->shape->slot[i].site)) {
			keep[i] = false;
			count++;
		} else if (keep[i]) {
			r->only_in.entered = true;
		}
	return count;
}

/* Writes the references of a step that the filter keeps. */
static bool filter_step(struct ml_ring_reader *r, const struct ml_superblock *k,
			const uint64_t *value, uint32_t back, struct ml_err *err)
{
	struct ml_filter *f = &r->filter;
	bool keep[ML_SLOTS_MAX], made[ML_SLOTS_MAX];
	size_t slots = back ? k->exit[k->exits - back].slots : k->shape->slots;
	size_t count = 0, left = 0;

	for (size_t i = 0; i < slots; i++) {
		const struct ml_slot *s = &k->shape->slot[i];
		uint64_t base = s->base == ML_NO_BASE ? 0 : value[s->base];

		made[i] = keep[i] = !s->maybe || base;
		if (keep[i] && r->options->no_stack && on_stack(r, base + s->offset)) {
			keep[i] = false;
			left++;
		}
		count += keep[i];
	}
	size_t outside = is_inside(r) ? 0 : leave_out(r, k, keep, slots);
	if (!ml_filter_is_active(f, outside < count || !r->options->only_in)) {
		ml_filter_skip(f, count + left, ML_GAP_SKIPPED);
		return true;
	}
	if (outside)
		ml_filter_skip(f, outside, ML_GAP_SKIPPED);
	count -= outside;
	left += outside;
	if (r->options->no_spin && spins(r, k, value, slots, made)) {
		f->spin += count + left;
		return true;
	}
	f->stack += left - outside;
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
	uint32_t number = ml_writer_shapes(r->writer)->path[k->path].shape;
	return ml_partial_steps_write(&r->partial, k->shape, number, r->caller, value,
				      keep, slots, err);
}

/* Follows the function of --only-in before a step. */
static void follow_function(struct ml_ring_reader *r, const struct ml_superblock *k,
			    uint64_t sp)
{
	struct ml_only_in_thread *t = &r->thread->only_in;

	ml_only_in_leave(&r->only_in, t, sp);
	ml_only_in_enter(&r->only_in, t, (enum ml_only_in_place)k->place, sp);
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
size_t ml_ring_reader_step(struct ml_ring_reader *r, const uint64_t *w,
			   const uint64_t *end, struct ml_err *err)
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
	uint32_t call = k->call[k->exits - back];
	ml_superblock_stepped(k, base, back, sp, c);
	ml_superblock_values(k, w, bases, value);
	if (!filter_step(r, k, value, back, err))
		return 0;
	if (r->options->only_in && call && ml_only_in_site(&r->only_in, call))
		ml_only_in_call(&r->only_in, &r->thread->only_in, sp);
	return (size_t)(base - w) + bases;
}

/* A function was entered or is about to return (ML_REF_ENTRY, ML_REF_RETURN). */
static void take_call(struct ml_ring_reader *r, const struct ml_reference_place *h,
		      uint64_t sp)
{
	uint64_t ip = (h->word & (((uint64_t)1 << ML_REF_SHIFT) - 1)) - 1;
	struct ml_only_in_thread *t = &r->thread->only_in;

	if (!r->options->only_in)
		return;
	if (h->call == ML_REF_RETURN) {
		ml_only_in_return(&r->only_in, t, sp);
		return;
	}
	ml_only_in_leave(&r->only_in, t, sp);
	t->depth++;
	ml_only_in_enter(&r->only_in, t, ml_only_in_place(&r->only_in, ip, h->site), sp);
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
								       h->number) };
		if (!filter_step(r, &k, w + 1, 0, err))
			return false;
	}
	*at = w;
	return true;
}

bool ml_ring_reader_refs(struct ml_ring_reader *r, const uint64_t **at,
			 const uint64_t *end, struct ml_err *err)
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

bool ml_ring_reader_timed_ref(struct ml_ring_reader *r, const uint64_t *w, size_t count,
			      struct ml_err *err)
{
	const uint64_t *at = w + 1;
	uint64_t before = ml_writer_time(r->writer);

	if (count < 5 || !ml_reference_is_pair(w[1])) {
		r->bad++;
		return true;
	}
	if (!ml_ring_reader_refs(r, &at, at + 2, err))
		return false;
	if (ml_writer_time(r->writer) != before + 1)
		return true; /* the filter has left it out */
	struct ml_timed_ref t = { w[3], w[4], (uint32_t)w[5] & ML_TIMED_CPU_MASK,
				  (uint32_t)(w[5] >> 32) & ML_TIMED_CPU_MASK };
	ml_buf_put(&r->timed, &t, sizeof(t));
	return true;
}
