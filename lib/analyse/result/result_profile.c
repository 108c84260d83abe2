/* Info and profile: numbers and strings that are written once. */
#include <string.h>

#include "lib/analyse/result/result_parts.h"
#include "lib/base/map.h"
#include "lib/trace/format.h"

void ml_result_put_header(struct ml_buf *out, const uint8_t trace[16])
{
	size_t first = out->size;

	ml_buf_put(out, ML_RESULT_MAGIC, 8);
	ml_buf_u32(out, ML_RESULT_VERSION);
	ml_buf_u32(out, 0);
	ml_buf_put(out, trace, 16);
	for (int i = 0; i < 3; i++)
		ml_buf_u64(out, 0);
	ml_buf_u64(out, ml_hash(out->data + first, ML_RESULT_HEADER - 8));
}

void ml_result_put_trailer(struct ml_buf *out, uint64_t index_offset)
{
	size_t first = out->size;

	ml_buf_put(out, ML_RESULT_END, 8);
	ml_buf_u64(out, index_offset);
	ml_buf_u64(out, ml_hash(out->data + first, ML_RESULT_TRAILER - 8));
}

bool ml_result_get_trailer(const uint8_t *bytes, uint64_t *index_offset)
{
	struct ml_bytes in = { bytes + 8, bytes + ML_RESULT_TRAILER, false };

	*index_offset = ml_bytes_u64(&in);
	return !memcmp(bytes, ML_RESULT_END, 8) &&
	       ml_format_sum_fits(bytes, ML_RESULT_TRAILER - 8, ml_bytes_u64(&in));
}

void ml_result_put_info(struct ml_buf *out, const struct ml_result_info *info)
{
	ml_buf_varint(out, info->trace_refs);
	ml_buf_string(out, info->machine);
	ml_buf_string(out, info->version);
	ml_buf_varint(out, info->want);
	ml_buf_varint(out, info->interleave);
	ml_buf_varint(out, info->from);
	ml_buf_varint(out, info->to);
	ml_buf_string(out, info->cores);
}

static const char *get_string(struct ml_bytes *in, struct ml_arena *a)
{
	uint64_t size = ml_bytes_varint(in);
	const uint8_t *text = ml_bytes_take(in, size);

	return text ? ml_arena_copy(a, text, size) : "";
}

bool ml_result_get_info(struct ml_bytes *in, struct ml_result_info *info,
			struct ml_arena *a, struct ml_err *err)
{
	info->trace_refs = ml_bytes_varint(in);
	info->machine = get_string(in, a);
	info->version = get_string(in, a);
	info->want = (unsigned)ml_bytes_varint(in);
	info->interleave = ml_bytes_varint(in);
	info->from = ml_bytes_varint(in);
	info->to = ml_bytes_varint(in);
	info->cores = get_string(in, a);
	if (in->bad || in->at != in->end)
		return ml_fail(err, ML_FORMAT,
			       "the description of the simulation is invalid");
	return true;
}

/*
 * One walk over the profile serves both directions, so that writing and reading cannot
 * disagree: each step writes a field to `out` or reads it from `in`.
 */
struct walk {
	struct ml_buf *out;
	struct ml_bytes *in;
	bool older; /* format version 3: neither surcharges nor bytes that pass a level by
		     */
	bool no_moves; /* format version 4: neither lines given nor lines taken */
};

static void number(struct walk *w, uint64_t *v)
{
	if (w->out)
		ml_buf_varint(w->out, *v);
	else
		*v = ml_bytes_varint(w->in);
}

static void numbers(struct walk *w, uint64_t *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		number(w, &v[i]);
}

static void small(struct walk *w, uint32_t *v)
{
	uint64_t wide = *v;

	number(w, &wide);
	if (wide > UINT32_MAX)
		w->in->bad = true;
	*v = (uint32_t)wide;
}

static void whether(struct walk *w, bool *v)
{
	uint32_t wide = *v;

	small(w, &wide);
	*v = wide;
}

/*
 * Writes or reads the number of elements of an array, which take at least `min` bytes
 * each. Reading allocates the array.
 */
static void *array(struct walk *w, void *at, size_t *count, size_t *cap, size_t elem,
		   size_t min)
{
	uint64_t wide = *count;

	number(w, &wide);
	if (w->out)
		return at;
	if (wide > (size_t)(w->in->end - w->in->at) / min) {
		w->in->bad = true;
		wide = 0;
	}
	*count = wide;
	return wide ? ml_grow(NULL, cap, wide, elem) : NULL;
}

#define ARRAY(w, at, count, cap, min) \
	((at) = array(w, at, &(count), &(cap), sizeof(*(at)), min))

static void level_counts(struct walk *w, struct ml_level_counts *c)
{
	numbers(w, c->asked, 3);
	numbers(w, c->missed, 3);
	numbers(w, c->cause, ML_CAUSES);
	number(w, &c->fills);
	number(w, &c->evictions);
	number(w, &c->invalidations);
	number(w, &c->write_backs);
	number(w, &c->through);
	number(w, &c->through_bytes);
	if (!w->older)
		number(w, &c->past_bytes);
	if (!w->no_moves) {
		number(w, &c->taken);
		number(w, &c->given);
	}
	number(w, &c->upgrades);
	number(w, &c->prefetched);
	number(w, &c->useful);
	number(w, &c->useless);
}

static void level(struct walk *w, struct ml_profile_level *l)
{
	size_t count = l->set ? l->sets : 0, cap = 0;

	level_counts(w, &l->counts);
	number(w, &l->bytes_in);
	number(w, &l->bytes_out);
	small(w, &l->sets);
	ARRAY(w, l->set, count, cap, 3);
	if (count && count != l->sets)
		w->in->bad = true;
	for (size_t i = 0; i < count; i++) {
		number(w, &l->set[i].missed);
		number(w, &l->set[i].conflict);
		number(w, &l->set[i].lines);
	}
}

static void surcharge(struct walk *w, struct ml_surcharge *s)
{
	if (w->older)
		return;
	numbers(w, s->pages, ML_TLBS + 1);
	number(w, &s->more);
	number(w, &s->fetches);
	number(w, &s->fetched);
	number(w, &s->transfers);
	number(w, &s->instead);
}

static void cell(struct walk *w, struct ml_profile_cell *c)
{
	small(w, &c->site);
	small(w, &c->caller);
	small(w, &c->region);
	small(w, &c->strides);
	numbers(w, c->kind, 3);
	number(w, &c->bytes);
	numbers(w, c->served, ML_SERVED);
	numbers(w, &c->cause[0][0], ML_LEVELS * ML_CAUSES);
	surcharge(w, &c->surcharge);
	number(w, &c->steps);
	for (unsigned i = 0; i < ML_STRIDES; i++) {
		struct ml_profile_stride *s = &c->stride[i];
		uint64_t sign = (uint64_t)s->bytes << 1 ^ (uint64_t)(s->bytes >> 63);

		number(w, &sign);
		s->bytes = (int64_t)(sign >> 1 ^ (0 - (sign & 1)));
		number(w, &s->count);
	}
}

static void use(struct walk *w, struct ml_profile_use *u)
{
	small(w, &u->region);
	small(w, &u->level);
	number(w, &u->lines);
	number(w, &u->bytes);
	number(w, &u->used);
	number(w, &u->read);
	number(w, &u->written);
	number(w, &u->write_first);
	number(w, &u->never_read);
	number(w, &u->in_vain);
}

static void pair(struct walk *w, struct ml_profile_pair *p)
{
	small(w, &p->level);
	small(w, &p->loser);
	small(w, &p->winner);
	number(w, &p->conflict);
	number(w, &p->capacity);
}

static void bounce(struct walk *w, struct ml_profile_bounce *b)
{
	number(w, &b->line);
	small(w, &b->region);
	small(w, &b->from);
	small(w, &b->to);
	small(w, &b->site_from);
	small(w, &b->site_to);
	number(w, &b->count);
	number(w, &b->sharing);
	number(w, &b->false_sharing);
}

static void region(struct walk *w, struct ml_profile *p, struct ml_profile_region *r)
{
	small(w, &r->kind);
	small(w, &r->func);
	small(w, &r->thread);
	small(w, &r->name);
	if (w->in && (r->kind >= ML_REGION_KINDS || r->name >= p->names_size))
		w->in->bad = true;
}

static void names(struct walk *w, struct ml_profile *p)
{
	ARRAY(w, p->names, p->names_size, p->names_cap, 1);
	if (w->out) {
		ml_buf_put(w->out, p->names, p->names_size);
		return;
	}
	const uint8_t *text = ml_bytes_take(w->in, p->names_size);
	if (text && p->names_size)
		memcpy(p->names, text, p->names_size);
	if (p->names_size && p->names[p->names_size - 1])
		w->in->bad = true;
}

static void arrays(struct walk *w, struct ml_profile *p)
{
	ARRAY(w, p->cells, p->cell_count, p->cell_cap, 9 + ML_SERVED);
	for (size_t i = 0; i < p->cell_count; i++)
		cell(w, &p->cells[i]);
	ARRAY(w, p->uses, p->use_count, p->use_cap, 10);
	for (size_t i = 0; i < p->use_count; i++)
		use(w, &p->uses[i]);
	ARRAY(w, p->pairs, p->pair_count, p->pair_cap, 5);
	for (size_t i = 0; i < p->pair_count; i++)
		pair(w, &p->pairs[i]);
	ARRAY(w, p->threads, p->thread_count, p->thread_cap, 3 + ML_SERVED);
	for (size_t i = 0; i < p->thread_count; i++) {
		small(w, &p->threads[i].thread);
		small(w, &p->threads[i].core);
		number(w, &p->threads[i].refs);
		numbers(w, p->threads[i].served, ML_SERVED);
		surcharge(w, &p->threads[i].surcharge);
	}
	ARRAY(w, p->segments, p->segment_count, p->segment_cap, 1 + ML_SERVED);
	for (size_t i = 0; i < p->segment_count; i++) {
		number(w, &p->segments[i].from);
		numbers(w, p->segments[i].served, ML_SERVED);
		surcharge(w, &p->segments[i].surcharge);
	}
	ARRAY(w, p->bounces, p->bounce_count, p->bounce_cap, 9);
	for (size_t i = 0; i < p->bounce_count; i++)
		bounce(w, &p->bounces[i]);
	number(w, &p->bounces_left_out);
	names(w, p);
	ARRAY(w, p->regions, p->region_count, p->region_cap, 4);
	for (size_t i = 0; i < p->region_count; i++)
		region(w, p, &p->regions[i]);
	number(w, &p->bin);
	ARRAY(w, p->bins, p->bin_count, p->bin_cap, ML_SERVED);
	for (size_t i = 0; i < p->bin_count; i++)
		numbers(w, p->bins[i].served, ML_SERVED);
}

/*
 * The machine that was simulated, which may have fewer cores than the requested one. Its
 * text lacks the name of the preset, if it was one.
 */
static bool machine(struct walk *w, struct ml_machine *m, struct ml_err *err)
{
	struct ml_buf text = { 0 };
	struct ml_arena a = { 0 };

	if (w->out) {
		ml_machine_print(m, &text);
		ml_buf_varint(w->out, text.size);
		ml_buf_put(w->out, text.data, text.size);
		ml_buf_string(w->out, m->name);
		ml_buf_release(&text);
		return true;
	}
	const char *canonical = get_string(w->in, &a), *name = get_string(w->in, &a);
	bool ok = ml_machine_parse(m, canonical, err);
	if (ok && strlen(name) < sizeof(m->name)) {
		memset(m->name, 0, sizeof(m->name));
		memcpy(m->name, name, strlen(name));
	}
	ml_arena_release(&a);
	return ok;
}

static void profile(struct walk *w, struct ml_profile *p)
{
	uint64_t cycles;

	small(w, &p->want);
	whether(w, &p->interleaved);
	number(w, &p->interleave);
	number(w, &p->from);
	number(w, &p->to);
	number(w, &p->refs);
	numbers(w, p->kind, 3);
	numbers(w, p->served, ML_SERVED);
	number(w, &p->gaps);
	number(w, &p->missing);
	surcharge(w, &p->surcharge);
	memcpy(&cycles, &p->cycles, sizeof(cycles));
	number(w, &cycles);
	memcpy(&p->cycles, &cycles, sizeof(cycles));
	for (unsigned i = 0; i <= ML_LEVELS; i++)
		level(w, &p->level[i]);
	for (unsigned i = 0; i < ML_TLBS; i++)
		level_counts(w, &p->tlb[i]);
	arrays(w, p);
}

void ml_result_put_profile(struct ml_buf *out, const struct ml_profile *p)
{
	struct walk w = { .out = out };
	struct ml_profile copy = *p; /* the walk takes a profile that it could fill */

	machine(&w, &copy.machine, NULL);
	profile(&w, &copy);
}

bool ml_result_get_profile(struct ml_bytes *in, uint32_t version, struct ml_profile *p,
			   struct ml_err *err)
{
	struct walk w = { .in = in, .older = version < 4, .no_moves = version < 5 };

	if (!machine(&w, &p->machine, err))
		return false;
	profile(&w, p);
	if (in->bad || in->at != in->end)
		return ml_fail(err, ML_FORMAT, "the profile has the wrong size");
	return true;
}
