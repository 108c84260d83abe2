#include "lib/analyse/passes/replay_parts.h"

#include <string.h>

#include "lib/analyse/passes/future.h"
#include "lib/base/buf.h"
#include "lib/base/pool.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/tables.h"

/* In our own recordings the order of threads is that of a scheduler, which differs from
 * run to run. Other traces come as they are. */
static bool is_scheduled(const struct ml_trace *t)
{
	const char *back_end = ml_tables_meta_find(&t->tables, "back end");

	return back_end && (!strcmp(back_end, "valgrind") || !strcmp(back_end, "cc"));
}

static bool choose_order(struct ml_replay *r, struct ml_err *err)
{
	struct ml_replay_options *o = &r->o;

	if (o->interleave == ML_INTERLEAVE_AUTO)
		o->interleave = o->machine.cores > 1 && is_scheduled(r->trace) &&
						ml_thread_count(&r->trace->tables) > 1
					? ML_INTERLEAVE
					: 0;
	if (o->interleave && ml_future_needed(&o->machine))
		return ml_fail(err, ML_USAGE,
			       "opt and pes know the future of the recorded order only: "
			       "simulate them without interleaving threads");
	return true;
}

static bool place_threads(struct ml_replay *r, struct ml_err *err)
{
	uint32_t cores = r->o.machine.cores;

	if (cores < 2)
		return true;
	uint16_t *core_of = ml_arena_alloc(&r->arena,
					   ML_THREAD_NUMBERS * sizeof(*core_of));
	memset(core_of, 0xff, ML_THREAD_NUMBERS * sizeof(*core_of)); /* ML_NO_CORE */
	for (size_t i = 0; i < r->o.core_count; i++) {
		struct ml_replay_core c = r->o.cores[i];

		if (c.core >= cores)
			return ml_fail(err, ML_USAGE,
				       "thread %u cannot run on core %u: the machine has "
				       "cores 0 to %u",
				       c.thread, c.core, cores - 1);
		core_of[c.thread] = c.core;
	}
	ml_thread_cores_init(&r->cores, core_of, cores, &r->trace->tables);
	return true;
}

static bool simulate(struct ml_replay *r, const struct ml_batch *b, const uint64_t *time,
		     const uint32_t *cell, struct ml_err *err);

static bool take_merged(void *arg, const struct ml_batch *b, const uint64_t *time,
			const uint32_t *cell, struct ml_err *err)
{
	return simulate(arg, b, time, cell, err);
}

static bool open_engine(struct ml_replay *r, struct ml_err *err)
{
	struct ml_replay_options *o = &r->o;
	struct ml_engine_job job = {
		.want = o->want,
		/* a thread may be placed on any core */
		.threads = o->core_count ? 0 : ml_thread_count(&r->trace->tables),
		.slow = o->slow,
	};

	r->bounces = ml_machine_alone(&o->machine, job.threads).cores > 1;
	r->engine = ml_engine_open(&o->machine, &job, err);
	if (!r->engine)
		return false;
	if (ml_future_needed(&o->machine) &&
	    (!ml_future_open(&r->future, r->trace, o, err) ||
	     !ml_future_attach(r->future, r->engine, err)))
		return false;
	if (o->from)
		ml_engine_gap(r->engine);
	return true;
}

bool ml_replay_open(struct ml_replay **replay, struct ml_trace *t,
		    const struct ml_replay_options *o, struct ml_err *err)
{
	struct ml_replay *r = ml_resize(NULL, sizeof(*r));

	*r = (struct ml_replay){ .trace = t, .o = *o };
	r->slots = ml_arena_alloc(&r->arena, SLOTS * sizeof(*r->slots));
	if (!r->o.to || r->o.to > t->count)
		r->o.to = t->count;
	if (r->o.from > r->o.to)
		r->o.from = r->o.to;
	r->lookup = ml_region_lookup_open(t, err);
	if (!r->lookup || !choose_order(r, err) || !place_threads(r, err) ||
	    !open_engine(r, err)) {
		ml_replay_close(r);
		return false;
	}
	while (r->next_gap < t->tables.gaps.count &&
	       t->tables.gaps.at[r->next_gap].time < r->o.from)
		r->next_gap++;
	*replay = r;
	return true;
}

void ml_replay_close(struct ml_replay *r)
{
	if (r->interleave)
		ml_interleave_close(r->interleave);
	for (unsigned i = 0; i < SLOTS && r->slots; i++) {
		if (r->engine)
			ml_engine_carry_close(r->engine, r->slots[i].carry);
		ml_free(r->slots[i].block);
		ml_free(r->slots[i].offset);
		ml_free(r->slots[i].along);
		ml_free(r->slots[i].charges);
	}
	ml_engine_close(r->engine);
	if (r->future)
		ml_future_close(r->future);
	if (r->lookup)
		ml_region_lookup_close(r->lookup);
	ml_arena_release(&r->arena);
	ml_free(r);
}

static struct ml_accesses accesses_of(const struct ml_replay *r,
				      const struct ml_replay_slot *s)
{
	return (struct ml_accesses){
		.count = s->refs.count,
		.addr = s->refs.addr,
		.what = s->refs.what,
		.site = s->refs.site,
		.owner = r->regions ? s->region : NULL,
		.core = r->cores.core ? s->core : NULL,
	};
}

static bool run_engine(struct ml_replay *r, unsigned stage, struct ml_replay_slot *s,
		       struct ml_err *err)
{
	struct ml_accesses a = accesses_of(r, s);

	return ml_engine_stage(r->engine, stage, &a, s->carry, s->outcome, err);
}

static struct ml_events events_of(struct ml_replay *r, const struct ml_replay_slot *s)
{
	return (struct ml_events){
		.replay = r,
		.position = s->position,
		.refs = &s->refs,
		.time = s->time,
		.merged = r->interleave ? &s->merged : NULL,
		.cell = s->cell,
		.cells = s->cells,
		.region = r->regions ? s->region : NULL,
		.block = s->block,
		.offset = s->offset,
		.along = s->along,
		.core = r->cores.core ? s->core : NULL,
		.outcome = s->outcome,
		.charges = s->charges,
		.charge_count = s->charge_count,
	};
}

/* The stage of a pass among those of passes. */
static unsigned stage_of(const struct ml_pass *p)
{
	return p->miss || p->leave || p->bounce || p->page ? 0 : 1 + p->stage;
}

/* Shows a piece to the passes of a stage. */
static bool show(const struct ml_replay *r, const struct ml_events *e, unsigned stage,
		 struct ml_err *err)
{
	for (size_t i = 0; i < r->pass_count; i++) {
		const struct ml_pass *p = &r->passes[i];

		if (p->batch && stage_of(p) == stage && !p->batch(p->arg, e, err))
			return false;
	}
	return true;
}

/* The first stage of passes: they hear of the events of a piece before they see it. */
static bool end_and_show(struct ml_replay *r, struct ml_replay_slot *s,
			 struct ml_err *err)
{
	s->charge_count = s->moved = 0;
	r->charged = s;
	r->now = events_of(r, s);
	if (!run_engine(r, r->stages, s, err))
		return false;
	r->now = events_of(r, s);
	if (!show(r, &r->now, 0, err))
		return false;
	/* here, because a caller may look at what the first passes have so far */
	if (s->ends_batch)
		ml_work_progress(r->o.work, r->o.doing ? r->o.doing : "simulating",
				 s->position + s->refs.count, r->count);
	return true;
}

/* A stage of passes with a piece. */
static bool run_passes(struct ml_replay *r, unsigned stage, struct ml_replay_slot *s,
		       struct ml_err *err)
{
	if (!stage)
		return end_and_show(r, s, err);
	struct ml_events e = events_of(r, s);

	return show(r, &e, stage, err);
}

static void run_stage(void *arg, unsigned stage, unsigned slot)
{
	struct ml_replay *r = arg;
	struct ml_replay_slot *s = &r->slots[slot];

	if (stage < r->stages) {
		struct ml_err none; /* only the last stage may fail */

		run_engine(r, stage, s, &none);
		return;
	}
	stage -= r->stages;
	if (!s->failed && !r->failed[stage])
		r->failed[stage] = !run_passes(r, stage, s, &r->err[stage]);
	s->failed |= r->failed[stage];
}

/* Whether a pass has failed; all stages are done. */
static bool has_failed(const struct ml_replay *r, struct ml_err *err)
{
	for (unsigned i = 0; i < r->pass_stages; i++)
		if (r->failed[i]) {
			*err = r->err[i];
			return true;
		}
	return false;
}

static void find_saves(struct ml_replay *r)
{
	r->save_at = UINT64_MAX;
	for (size_t i = 0; i < r->pass_count; i++) {
		uint64_t at = r->passes[i].saves ? r->passes[i].saves(r->passes[i].arg)
						 : UINT64_MAX;

		r->save_at = at < r->save_at ? at : r->save_at;
	}
}

/* Waits until all pieces went through all stages. */
static bool catch_up(struct ml_replay *r, struct ml_err *err)
{
	if (!r->relay)
		return true;
	ml_relay_wait(r->relay);
	return !has_failed(r, err);
}

static void find_places(const struct ml_replay *r, struct ml_replay_slot *s)
{
	size_t known = r->trace->tables.regions.count;

	if (!s->block) {
		s->block = ml_resize(NULL, ML_BATCH * sizeof(*s->block));
		s->offset = ml_resize(NULL, ML_BATCH * sizeof(*s->offset));
		s->along = r->o.along ? ml_resize(NULL, r->o.along) : NULL;
	}
	ml_region_lookup_places(r->lookup, &s->refs, s->region, s->block, s->offset);
	for (size_t i = 0; r->o.same && i < s->refs.count; i++)
		if (s->region[i] < known)
			s->region[i] = r->o.same[s->region[i]];
}

/* Hands a piece to the stages, or goes through them. */
static bool run_piece(struct ml_replay *r, struct ml_replay_slot *s, struct ml_err *err)
{
	struct ml_batch *b = &s->refs;

	s->position = r->done;
	s->failed = false;
	s->cells = ml_region_lookup_cell_count(r->lookup);
	if (r->regions && !r->o.places)
		ml_region_lookup_cell_regions(r->lookup, s->cell, b->count, s->region);
	for (size_t i = 0; r->cores.core && i < b->count; i++)
		s->core[i] = ml_thread_cores_find(&r->cores, b->thread[i]);
	if (!s->carry)
		s->carry = ml_engine_carry_open(r->engine);
	r->done += b->count;
	if (!r->relay) {
		for (unsigned i = 0; i < r->stages; i++)
			run_engine(r, i, s, err);
		for (unsigned i = 0; i < r->pass_stages; i++)
			if (!run_passes(r, i, s, err))
				return false;
	} else {
		ml_relay_pass(r->relay);
	}
	if (r->done >= r->save_at) {
		if (!catch_up(r, err))
			return false;
		find_saves(r);
	}
	return true;
}

/*
 * Simulates references in the order in which the machine sees them. cell is NULL if the
 * cells are still to be found.
 */
static bool simulate(struct ml_replay *r, const struct ml_batch *b, const uint64_t *time,
		     const uint32_t *cell, struct ml_err *err)
{
	size_t best = ml_engine_piece(r->engine);
	size_t most = best && best < ML_BATCH ? best : ML_BATCH;

	for (size_t i = 0, n; i < b->count; i += n) {
		struct ml_replay_slot *s =
			&r->slots[r->relay ? ml_relay_slot(r->relay) : 0];

		n = b->count - i < most ? b->count - i : most;
		/* states are saved at the same positions, however batches are cut */
		if (r->save_at > r->done && r->save_at - r->done < n)
			n = (size_t)(r->save_at - r->done);
		s->refs = (struct ml_batch){ time ? b->time : b->time + i,
					     n,
					     b->addr + i,
					     b->site + i,
					     b->caller + i,
					     b->thread + i,
					     b->what + i };
		s->time = time ? time + i : NULL;
		if (r->interleave)
			ml_interleave_block(r->interleave, &s->merged);
		s->ends_batch = i + n == b->count;
		s->cell = cell ? cell + i : s->own_cell;
		if (r->o.places)
			find_places(r, s);
		else if (!cell)
			ml_region_lookup_cells(r->lookup, &s->refs, s->own_cell);
		if (!run_piece(r, s, err))
			return false;
	}
	return ml_work_goes_on(r->o.work, err);
}

/* Passes on the gaps before `time`. */
static bool pass_gaps(struct ml_replay *r, uint64_t time, struct ml_err *err)
{
	const struct ml_tables *t = &r->trace->tables;

	for (; r->next_gap < t->gaps.count && t->gaps.at[r->next_gap].time <= time;
	     r->next_gap++) {
		if (r->interleave && !ml_interleave_flush(r->interleave, err))
			return false;
		if (!catch_up(r, err))
			return false;
		ml_engine_gap(r->engine);
		for (size_t i = 0; i < r->pass_count; i++)
			if (r->passes[i].gap)
				r->passes[i].gap(r->passes[i].arg,
						 &t->gaps.at[r->next_gap]);
	}
	return true;
}

static bool take_recorded(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct ml_replay *r = arg;

	if (!b->count)
		return true;
	if (r->stop)
		return !has_failed(r, err);
	if (!pass_gaps(r, b->time, err))
		return false;
	if (!r->interleave)
		return simulate(r, b, NULL, NULL, err);
	ml_region_lookup_cells(r->lookup, b, r->cell);
	return ml_interleave_add(r->interleave, b, r->cell, err);
}

/* The columns of the batches so far become invalid. */
static void release_batches(void *arg)
{
	struct ml_replay *r = arg;
	struct ml_err ignored;

	if (!r->relay)
		return;
	ml_relay_wait(r->relay);
	r->stop = has_failed(r, &ignored);
}

static void begin(struct ml_replay *r, const struct ml_pass *passes, size_t count)
{
	r->passes = passes;
	r->pass_count = count;
	r->regions = r->o.want;
	r->pass_stages = 2;
	for (size_t i = 0; i < count; i++)
		if (stage_of(&passes[i]) >= r->pass_stages)
			r->pass_stages = stage_of(&passes[i]) + 1;
	/* decoding and one stage keep two processors busy if nothing is explained or merged */
	bool few = !r->o.want && r->pass_stages == 2 && !r->o.interleave;
	bool alone = ml_cpus() < (few ? 3 : 2);
	for (size_t i = 0; i < count; i++) {
		r->regions |= (passes[i].batch && !passes[i].no_region) ||
			      (passes[i].bounce && r->bounces);
		alone |= passes[i].needs_lookup;
	}
	ml_replay_observe(r);
	find_saves(r);
	/* pieces under way are of as many batches at most */
	if (r->o.interleave)
		r->interleave = ml_interleave_open(&r->trace->tables, r->o.interleave,
						   ML_INTERLEAVE_BLOCK, alone ? 0 : SLOTS,
						   take_merged, r);
	if (alone)
		return;
	r->relay = ml_arena_alloc(&r->arena, sizeof(*r->relay));
	ml_relay_init(r->relay, SLOTS, r->stages + r->pass_stages, ml_cpus() - 1,
		      run_stage, r);
}

static bool end(struct ml_replay *r, bool ok, struct ml_err *err)
{
	struct ml_err late;

	/* references before damaged blocks count */
	if (r->interleave && (ok || err->kind == ML_FORMAT) && !r->stop &&
	    !ml_interleave_flush(r->interleave, &late) && ok) {
		*err = late;
		ok = false;
	}
	if (r->relay) {
		ml_relay_release(r->relay);
		r->relay = NULL;
		if (ok)
			ok = !has_failed(r, err);
	}
	/* the lines that leave now belong to no batch */
	r->now = (struct ml_events){ .replay = r, .position = r->done };
	r->charged = NULL;
	ml_engine_flush(r->engine);
	return ok;
}

bool ml_replay_run(struct ml_replay *r, const struct ml_pass *passes, size_t count,
		   struct ml_err *err)
{
	struct ml_replay_part all = { r->o.from, r->o.to };
	const struct ml_replay_part *parts = r->o.parts ? r->o.parts : &all;
	size_t part_count = r->o.parts ? r->o.part_count : 1;
	unsigned cpus = ml_cpus(), ahead = cpus > 1 ? cpus < 4 ? cpus - 1 : 3 : 0;
	bool ok = true;

	for (size_t i = 0; i < part_count; i++)
		r->count += parts[i].to - parts[i].from;
	begin(r, passes, count);
	for (size_t i = 0; ok && i < part_count; i++) {
		uint64_t refs = parts[i].to - parts[i].from;

		ok = ml_trace_each_kept(r->trace, parts[i].from, parts[i].to,
					refs < SHORT ? 0 : ahead, take_recorded,
					release_batches, r, err);
	}
	return end(r, ok, err);
}

bool ml_replay_run_batches(struct ml_replay *r, const struct ml_pass *passes,
			   size_t count, const struct ml_batch *batches,
			   size_t batch_count, struct ml_err *err)
{
	bool ok = true;

	begin(r, passes, count);
	for (size_t i = 0; ok && i < batch_count; i++)
		ok = take_recorded(r, &batches[i], err);
	return end(r, ok, err);
}

const struct ml_machine *ml_replay_machine(const struct ml_replay *r)
{
	return &r->o.machine;
}

struct ml_trace *ml_replay_trace(const struct ml_replay *r)
{
	return r->trace;
}

struct ml_region_lookup *ml_replay_lookup(const struct ml_replay *r)
{
	return r->lookup;
}

void ml_replay_counts(const struct ml_replay *r, unsigned level,
		      struct ml_level_counts *c)
{
	ml_engine_counts(r->engine, level, c);
}

void ml_replay_tlb_counts(const struct ml_replay *r, unsigned tlb,
			  struct ml_level_counts *c)
{
	ml_engine_tlb_counts(r->engine, tlb, c);
}

void ml_replay_save(const struct ml_replay *r, struct ml_buf *out)
{
	ml_engine_save(r->engine, out);
}

uint64_t ml_replay_interleave(const struct ml_replay *r)
{
	return r->o.interleave;
}

unsigned ml_replay_want(const struct ml_replay *r)
{
	return r->o.want;
}

uint64_t ml_replay_from(const struct ml_replay *r)
{
	return r->o.from;
}

uint64_t ml_replay_to(const struct ml_replay *r)
{
	return r->o.to;
}
