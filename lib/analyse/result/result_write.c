/* Writes a result: a pass that collects blocks, and the file that they go to. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/result/checkpoint.h"
#include "lib/analyse/passes/interleave.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/passes/surcharge.h"
#include "lib/analyse/result/result_parts.h"
#include "lib/analyse/result/result_writer.h"
#include "lib/base/map.h"
#include "lib/base/newfile.h"
#include "lib/trace/format.h"
#include "lib/trace/trace.h"

enum {
	PACK = 3, /* level of zstd; blocks are small once they are encoded */
	BIN = 1 << ML_RESULT_BIN_BITS,
};

/*
 * Counters, by site or by region, of the block that is being collected. Each id has two
 * rows of eight counters by serving level, used in turn: references of one instruction or
 * to one array often follow each other, and with one row each would wait for the counter
 * that the one before it has just stored. Counter 0 of the first row tells whether the id
 * has occurred.
 */
struct tally {
	uint32_t *row;
	size_t cap;    /* counters in all rows */
	uint32_t *ids; /* ids that have occurred */
	size_t count, id_cap;
};

enum { ROW = 8, ROWS = 2 * ROW };

/* Bins of one resolution that have not been written yet. */
struct bins {
	struct ml_result_bin *bin; /* [ML_RESULT_BINS]; the last one is being filled */
	size_t count;              /* full bins */
	uint64_t first;            /* position of the first bin */
	unsigned parts;            /* bins of the next finer resolution in the last bin */
};

struct ml_result_writer {
	struct ml_newfile file;
	bool open; /* the file must be closed or abandoned */
	unsigned levels;

	uint64_t position; /* references so far */
	uint64_t from;     /* start of the window, as a time */
	struct ml_machine machine;
	bool charged; /* references to it can cost more than their serving levels */
	uint16_t *outcome;
	int32_t *
		beyond; /* cycles of each beyond its serving level; all 0 unless charged */
	size_t held;    /* outcomes in the block */
	int64_t more[ML_BATCH]; /* the same of a batch */
	struct tally sites, regions;
	uint32_t site[ML_BATCH];
	struct ml_result_rows alike; /* rows of the part that is being collected */
	struct ml_buf parts; /* rows of the earlier parts of this block, as bytes */
	unsigned part_count;
	struct bins series[ML_RESULT_RESOLUTIONS];
	struct ml_checkpoints checkpoints;
	struct ml_buf state; /* that will be a checkpoint... */
	uint64_t state_at;   /* ...of this position; 0: there is none */
	struct ml_result_turns turns;
	bool interleaved;

	struct ml_buf index;
	uint64_t blocks;
	uint16_t *number; /* for ml_result_put_outcomes */
	struct ml_buf raw, out;
	struct ml_packer packer;
	struct ml_arena arena;
};

static bool write_out(struct ml_result_writer *w, struct ml_err *err)
{
	bool ok = ml_newfile_write(&w->file, w->out.data, w->out.size, err);

	w->out.size = 0;
	return ok;
}

/* Writes the payload in w->out, which begins behind room for the header. */
static bool write_payload(struct ml_result_writer *w, unsigned type, uint64_t position,
			  uint64_t count, struct ml_err *err)
{
	ml_format_end_block(&w->out, 0, type, position, count);
	ml_buf_varint(&w->index, type);
	ml_buf_varint(&w->index, w->file.bytes);
	ml_buf_varint(&w->index, position);
	ml_buf_varint(&w->index, count);
	w->blocks++;
	return write_out(w, err);
}

static void start_payload(struct ml_result_writer *w)
{
	w->out.size = 0;
	ml_format_begin_block(&w->out);
}

/* Writes w->raw as a block. */
static bool write_block(struct ml_result_writer *w, unsigned type, uint64_t position,
			uint64_t count, struct ml_err *err)
{
	start_payload(w);
	ml_buf_varint(&w->out, w->raw.size);
	ml_pack(&w->packer, w->raw.data, w->raw.size, PACK, &w->out);
	w->raw.size = 0;
	return write_payload(w, type, position, count, err);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool write_tally(struct ml_result_writer *w, unsigned type, struct tally *t,
			uint64_t position, struct ml_err *err)
{
	size_t count = t->count;

	if (count)
		qsort(t->ids, count, sizeof(*t->ids), by_number);
	for (size_t i = 0; i < count; i++) {
		uint32_t *row = &t->row[(size_t)t->ids[i] * ROWS];

		for (unsigned s = 1; s < ROW; s++)
			row[s] += row[ROW + s];
	}
	ml_result_put_counts(&w->raw, t->row, ROWS, t->ids, count, w->levels);
	for (size_t i = 0; i < count; i++)
		memset(&t->row[(size_t)t->ids[i] * ROWS], 0, ROWS * sizeof(*t->row));
	t->count = 0;
	return write_block(w, type, position, count, err);
}

static void end_part(struct ml_result_writer *w)
{
	if (!w->alike.count)
		return;
	ml_result_rows_put(&w->alike, &w->parts);
	w->part_count++;
}

static bool write_alike(struct ml_result_writer *w, uint64_t position, struct ml_err *err)
{
	unsigned count = w->part_count;

	ml_buf_put(&w->raw, w->parts.data, w->parts.size);
	w->parts.size = 0;
	w->part_count = 0;
	return write_block(w, ML_RESULT_ALIKE, position, count, err);
}

/* What a reference pays that hits the first TLB. */
static int32_t usual_beyond(const struct ml_result_writer *w)
{
	return w->machine.tlbs && w->machine.tlb[0].cycles <= INT32_MAX
		       ? (int32_t)w->machine.tlb[0].cycles
		       : 0;
}

/* Writes the block that has been collected. */
static bool write_held(struct ml_result_writer *w, struct ml_err *err)
{
	uint64_t position = w->position - w->held;
	size_t held = w->held;

	if (!held)
		return true;
	w->held = 0;
	end_part(w);
	ml_result_put_outcomes(&w->raw, w->outcome, held, w->number);
	if (!write_block(w, ML_RESULT_OUTCOMES, position, held, err))
		return false;
	ml_result_put_beyond(&w->raw, w->beyond, held, usual_beyond(w));
	return write_block(w, ML_RESULT_BEYOND, position, held, err) &&
	       write_tally(w, ML_RESULT_SITES, &w->sites, position, err) &&
	       write_tally(w, ML_RESULT_REGIONS, &w->regions, position, err) &&
	       write_alike(w, position, err);
}

static bool write_series(struct ml_result_writer *w, unsigned resolution,
			 struct ml_err *err)
{
	struct bins *b = &w->series[resolution];
	size_t count = b->count;
	uint64_t first = b->first;

	if (!count)
		return true;
	ml_result_put_series(&w->raw, b->bin, count, w->levels);
	b->first += (uint64_t)count
		    << (ML_RESULT_BIN_BITS + ML_RESULT_STEP_BITS * resolution);
	b->count = 0;
	memset(b->bin, 0, ML_RESULT_BINS * sizeof(*b->bin));
	return write_block(w, ML_RESULT_SERIES + resolution, first, count, err);
}

/* Ends a full bin, which becomes part of a bin of the next resolution, and so on. */
static bool end_bin(struct ml_result_writer *w, unsigned resolution, struct ml_err *err)
{
	for (unsigned r = resolution; r < ML_RESULT_RESOLUTIONS; r++) {
		struct bins *b = &w->series[r];
		const uint64_t *served = b->bin[b->count].served;
		bool full = true;

		if (r + 1 < ML_RESULT_RESOLUTIONS) {
			struct bins *up = &w->series[r + 1];

			for (unsigned s = 1; s <= w->levels + 1; s++)
				up->bin[up->count].served[s] += served[s];
			up->bin[up->count].beyond += b->bin[b->count].beyond;
			full = ++up->parts == 1 << ML_RESULT_STEP_BITS;
		}
		b->parts = 0;
		if (++b->count == ML_RESULT_BINS && !write_series(w, r, err))
			return false;
		if (!full)
			break;
	}
	return true;
}

static void meet(struct tally *t, uint32_t id)
{
	t->row[(size_t)id * ROWS] = 1;
	t->ids = ml_grow(t->ids, &t->id_cap, t->count + 1, sizeof(*t->ids));
	t->ids[t->count++] = id;
}

static inline void count_one(struct tally *t, uint32_t *rows, uint32_t id,
			     uint16_t outcome, unsigned turn)
{
	uint32_t *row = rows + (size_t)id * ROWS;

	if (!row[0])
		meet(t, id);
	row[turn * ROW + ml_outcome_served(outcome)]++;
}

static void count_ids(struct tally *t, const uint32_t *id, const uint16_t *outcome,
		      size_t count)
{
	uint32_t bits = 0;
	size_t i = 0;

	for (; i < count; i++)
		bits |= id[i]; /* all ids are at most this */
	t->row = ml_grow(t->row, &t->cap, ((size_t)bits + 1) * ROWS, sizeof(*t->row));
	uint32_t *rows = t->row;
	for (i = 0; i + 2 <= count; i += 2) {
		count_one(t, rows, id[i], outcome[i], 0);
		count_one(t, rows, id[i + 1], outcome[i + 1], 1);
	}
	if (i < count)
		count_one(t, rows, id[i], outcome[i], 0);
}

/*
 * Counts the references that one level served, at most a bin of them. Not inlined: gcc
 * would exchange the loops, over all levels at once, which takes ten times as long.
 */
__attribute__((noinline)) static unsigned count_level(const uint16_t *outcome,
						      size_t count, uint16_t level)
{
	uint16_t n = 0;

	for (size_t i = 0; i < count; i++)
		n = (uint16_t)(n + ((uint16_t)(outcome[i] & 15) == level));
	return n;
}

static void count_served(const uint16_t *outcome, size_t count, unsigned levels,
			 uint64_t *served)
{
	size_t rest = count;

	for (unsigned s = levels + 1; s > 1; s--) {
		unsigned n = count_level(outcome, count, (uint16_t)s);

		served[s] += n;
		rest -= n;
	}
	served[1] += rest;
}

/* Takes references that belong to one bin, and so to one block. */
static bool take(struct ml_result_writer *w, const struct ml_events *e, size_t first,
		 size_t count, struct ml_err *err)
{
	struct bins *b = &w->series[0];

	memcpy(w->outcome + w->held, e->outcome + first, count * sizeof(*w->outcome));
	count_served(e->outcome + first, count, w->levels, b->bin[b->count].served);
	for (size_t i = 0; w->charged && i < count; i++) {
		int64_t more = w->more[first + i];

		b->bin[b->count].beyond += more;
		w->beyond[w->held + i] = (int32_t)(more > INT32_MAX   ? INT32_MAX
						   : more < INT32_MIN ? INT32_MIN
								      : more);
	}
	w->held += count;
	w->position += count;
	if (w->position % BIN == 0 && !end_bin(w, 0, err))
		return false;
	return w->held < ML_RESULT_BLOCK || write_held(w, err);
}

/* Notes the block in which these references were merged, if they were. */
static void note_turns(struct ml_result_writer *w, const struct ml_events *e)
{
	struct ml_result_turns *t = &w->turns;
	const struct ml_interleaved *block = e->merged;

	if (!block)
		return;
	w->interleaved = true;
	if (block->from == block->to ||
	    (t->count && t->at[t->count - 1].to == block->to - w->from))
		return;
	t->at = ml_grow(t->at, &t->cap, t->count + 1, sizeof(*t->at));
	t->at[t->count++] = (struct ml_result_stretch){ block->from - w->from,
							block->to - w->from,
							block->thread_count };
	t->threads = ml_grow(t->threads, &t->thread_cap, block->thread_count,
			     sizeof(*t->threads));
	memcpy(t->threads, block->threads, block->thread_count * sizeof(*t->threads));
	t->thread_count = block->thread_count;
}

/* The state becomes a checkpoint. */
static void keep_state(struct ml_result_writer *w)
{
	if (w->state_at)
		ml_checkpoints_add(&w->checkpoints, w->state_at, &w->state);
	w->state_at = 0;
}

/*
 * While a state is saved, the simulator stands still. So the work of a checkpoint is
 * done with the next batch, when the simulator runs again.
 */
static void save_state(struct ml_result_writer *w, const struct ml_events *e)
{
	if (!ml_checkpoints_due(&w->checkpoints, w->position))
		return;
	w->state.size = 0;
	ml_replay_save(e->replay, &w->state);
	w->state_at = w->position;
}

/*
 * Finds the site that each reference counts for: the caller in the user's code, if there
 * is one.
 */
static void find_sites(struct ml_result_writer *w, const struct ml_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		w->site[i] = b->caller[i] ? b->caller[i] : b->site[i];
}

/* Finds the cycles of each reference beyond those of its serving level. */
static void find_beyond(struct ml_result_writer *w, const struct ml_events *e)
{
	if (!w->charged)
		return;
	for (size_t i = 0; i < e->refs->count; i++)
		w->more[i] = ml_surcharge_base(&w->machine, e->refs->what[i],
					       e->outcome[i]);
	for (size_t i = 0; i < e->charge_count; i++) {
		const struct ml_charge *c = &e->charges[i];

		w->more[c->ref] += ml_charge_cycles(&w->machine, c, e->outcome[c->ref]);
	}
}

/* Counts references that belong to one part. */
static void count_alike(struct ml_result_writer *w, const struct ml_events *e,
			size_t first, size_t end)
{
	const struct ml_batch *b = e->refs;

	for (size_t i = first; i < end; i++) {
		struct ml_result_row row = { .site = w->site[i],
					     .region = e->region[i],
					     .thread = b->thread[i],
					     .outcome = e->outcome[i],
					     .kind = ml_what_kind(b->what[i]),
					     .beyond = w->more[i] };

		ml_result_rows_add(&w->alike, &row);
	}
}

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct ml_result_writer *w = arg;

	keep_state(w);
	note_turns(w, e);
	find_sites(w, e->refs);
	find_beyond(w, e);
	for (size_t i = 0; i < e->refs->count;) {
		/*
		 * up to the end of the part; counts are written with it and with the
		 * block
		 */
		size_t part = ML_RESULT_PART - w->held % ML_RESULT_PART;
		size_t end = e->refs->count - i;

		end = i + (end < part ? end : part);
		count_alike(w, e, i, end);
		if (end - i == part)
			end_part(w);
		count_ids(&w->sites, w->site + i, e->outcome + i, end - i);
		count_ids(&w->regions, e->region + i, e->outcome + i, end - i);
		while (i < end) {
			size_t bin = BIN - w->position % BIN;
			size_t count = end - i < bin ? end - i : bin;

			if (!take(w, e, i, count, err))
				return false;
			i += count;
		}
	}
	save_state(w, e);
	return true;
}

static uint64_t saves(void *arg)
{
	const struct ml_result_writer *w = arg;

	return w->state_at
		       ? ml_checkpoints_after(&w->checkpoints, w->state_at, w->state.size)
		       : w->checkpoints.next;
}

struct ml_pass ml_result_writer_pass(struct ml_result_writer *w)
{
	return (struct ml_pass){
		.arg = w, .batch = on_batch, .saves = saves, .charges = w->charged
	};
}

static void release(struct ml_result_writer *w)
{
	if (w->open)
		ml_newfile_abandon(&w->file);
	ml_result_rows_release(&w->alike);
	ml_buf_release(&w->parts);
	ml_free(w->sites.row);
	ml_free(w->sites.ids);
	ml_free(w->regions.row);
	ml_free(w->regions.ids);
	ml_checkpoints_release(&w->checkpoints);
	ml_free(w->turns.at);
	ml_free(w->turns.threads);
	ml_buf_release(&w->index);
	ml_buf_release(&w->raw);
	ml_buf_release(&w->state);
	ml_buf_release(&w->out);
	ml_packer_release(&w->packer);
	ml_arena_release(&w->arena);
	ml_free(w);
}

bool ml_result_writer_open(struct ml_result_writer **out, const char *path,
			   const struct ml_result_info *info, struct ml_err *err)
{
	struct ml_result_writer *w = ml_resize(NULL, sizeof(*w));
	struct ml_machine *m = &w->machine;

	*w = (struct ml_result_writer){ .from = info->from };
	w->outcome = ml_arena_alloc(&w->arena, ML_RESULT_BLOCK * sizeof(*w->outcome));
	w->beyond = ml_arena_alloc(&w->arena, ML_RESULT_BLOCK * sizeof(*w->beyond));
	w->number = ml_arena_alloc(&w->arena, ((size_t)1 << 16) * sizeof(*w->number));
	for (unsigned r = 0; r < ML_RESULT_RESOLUTIONS; r++)
		w->series[r].bin = ml_arena_alloc(
			&w->arena, ML_RESULT_BINS * sizeof(*w->series[r].bin));
	bool ok = ml_machine_parse(m, info->machine, err) &&
		  ml_newfile_open(&w->file, path, err);
	if (ok) {
		ml_checkpoints_init(&w->checkpoints, info->to - info->from, m->cores, 0,
				    0);
		w->open = true;
		w->levels = m->levels;
		w->charged = ml_surcharged(m);
		ml_result_put_header(&w->out, info->trace);
		ok = write_out(w, err);
		ml_result_put_info(&w->raw, info);
		ok = ok && write_block(w, ML_RESULT_INFO, 0, 0, err);
	}
	if (!ok) {
		release(w);
		return false;
	}
	*out = w;
	return true;
}

static bool write_checkpoints(struct ml_result_writer *w, struct ml_err *err)
{
	for (size_t i = 0; i < w->checkpoints.count; i++) {
		const struct ml_checkpoint *c = &w->checkpoints.at[i];

		start_payload(w);
		ml_buf_u8(&w->out, c->whole);
		ml_buf_put(&w->out, c->piece, c->piece_size);
		if (!write_payload(w, ML_RESULT_CHECKPOINT, c->position, c->size, err))
			return false;
	}
	return true;
}

/* Writes the bins that are not full. */
static bool write_bins(struct ml_result_writer *w, struct ml_err *err)
{
	for (unsigned r = 0; r < ML_RESULT_RESOLUTIONS; r++) {
		uint64_t width = (uint64_t)1
				 << (ML_RESULT_BIN_BITS + ML_RESULT_STEP_BITS * r);

		if (w->position % width) {
			struct bins *b = &w->series[r];

			if (r + 1 < ML_RESULT_RESOLUTIONS) {
				struct bins *up = &w->series[r + 1];

				for (unsigned s = 1; s <= w->levels + 1; s++)
					up->bin[up->count].served[s] +=
						b->bin[b->count].served[s];
				up->bin[up->count].beyond += b->bin[b->count].beyond;
			}
			b->count++;
		}
		if (!write_series(w, r, err))
			return false;
	}
	return true;
}

static bool finish(struct ml_result_writer *w, const struct ml_profile *p,
		   struct ml_err *err)
{
	keep_state(w);
	if (!write_held(w, err) || !write_bins(w, err) || !write_checkpoints(w, err))
		return false;
	if (w->interleaved) {
		ml_result_put_turns(&w->raw, &w->turns);
		if (!write_block(w, ML_RESULT_TURNS, 0, w->turns.count, err))
			return false;
	}
	ml_result_put_profile(&w->raw, p);
	if (!write_block(w, ML_RESULT_PROFILE, w->position, 0, err))
		return false;
	uint64_t at = w->file.bytes;
	ml_buf_put(&w->raw, w->index.data, w->index.size);
	if (!write_block(w, ML_RESULT_INDEX, w->position, w->blocks, err))
		return false;
	ml_result_put_trailer(&w->out, at);
	if (!write_out(w, err))
		return false;
	w->open = false;
	return ml_newfile_close(&w->file, err);
}

bool ml_result_writer_close(struct ml_result_writer *w, const struct ml_profile *p,
			    struct ml_err *err)
{
	bool ok = finish(w, p, err);

	release(w);
	return ok;
}

void ml_result_writer_abandon(struct ml_result_writer *w)
{
	release(w);
}
