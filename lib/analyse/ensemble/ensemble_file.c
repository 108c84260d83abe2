/* The file of an ensemble (.mle): docs/format.md is the contract. */
#include <math.h>
#include <string.h>

#include "lib/analyse/ensemble/ensemble_parts.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/base/map.h"
#include "lib/base/newfile.h"
#include "lib/base/pack.h"
#include "lib/trace/format.h"

#define MAGIC "mlensemb"

enum {
	HEADER = 64, /* bytes */
	PACK = 3,    /* level of zstd */
	UNPACKED_MAX = 1 << 28,
	STATE_PIECE = 1 << 26, /* bytes of a state in one block */
	CHOICES_MAX = 64,
};

/* Blocks have the headers of trace files (lib/trace/format.h). */
enum type { TRACE = 1, MEMBER, SERIES, STATE, STATE_MORE, END, BEYOND, CHOICES };

/* ---- writing ---- */

struct writer {
	struct ml_newfile file;
	struct ml_buf raw, out;
	struct ml_packer packer;
};

/* Writes w->raw as a block. */
static bool write_block(struct writer *w, enum type type, uint64_t time, uint64_t count,
			struct ml_err *err)
{
	w->out.size = 0;
	ml_format_begin_block(&w->out);
	ml_buf_varint(&w->out, w->raw.size);
	ml_buf_reserve(&w->raw, 1);
	ml_pack(&w->packer, w->raw.data, w->raw.size, PACK, &w->out);
	w->raw.size = 0;
	ml_format_end_block(&w->out, 0, type, time, count);
	return ml_newfile_write(&w->file, w->out.data, w->out.size, err);
}

static bool write_header(struct writer *w, struct ml_err *err)
{
	struct ml_buf *out = &w->out;

	ml_buf_put(out, MAGIC, 8);
	ml_buf_u32(out, ML_ENSEMBLE_VERSION);
	ml_buf_u32(out, 0);
	for (int i = 0; i < 5; i++)
		ml_buf_u64(out, 0);
	ml_buf_u64(out, ml_hash(out->data, HEADER - 8));
	return ml_newfile_write(&w->file, out->data, out->size, err);
}

static bool write_trace(struct writer *w, const struct ml_ensemble_trace *t,
			struct ml_err *err)
{
	ml_buf_string(&w->raw, t->path);
	ml_buf_string(&w->raw, t->label);
	ml_buf_put(&w->raw, t->id, sizeof(t->id));
	ml_buf_varint(&w->raw, t->from);
	ml_buf_varint(&w->raw, t->to);
	ml_buf_varint(&w->raw, t->bits);
	ml_buf_varint(&w->raw, t->milestone_count);
	for (size_t i = 0; i < t->milestone_count; i++) {
		const struct ml_milestones *m = &t->milestones[i];
		uint64_t last = 0;

		ml_buf_string(&w->raw, m->name);
		ml_buf_varint(&w->raw, m->count);
		for (size_t k = 0; k < m->count; k++) {
			ml_buf_varint(&w->raw, m->at[k] - last);
			last = m->at[k];
		}
	}
	return write_block(w, TRACE, 0, 0, err);
}

static bool write_series(struct writer *w, const struct ml_ensemble *e, size_t member,
			 struct ml_err *err)
{
	const struct ml_member *m = &e->members[member];
	size_t bins = e->traces[m->trace].bins;

	/* those of the first level are the rest */
	for (unsigned s = 2; s <= m->parsed.levels + 1; s++) {
		uint32_t last = 0;

		for (size_t i = 0; i < bins; i++) {
			ml_buf_zigzag(&w->raw, (int64_t)m->served[s][i] - last);
			last = m->served[s][i];
		}
	}
	return write_block(w, SERIES, member, bins, err);
}

static bool write_beyond(struct writer *w, const struct ml_ensemble *e, size_t member,
			 struct ml_err *err)
{
	const struct ml_member *m = &e->members[member];
	size_t bins = e->traces[m->trace].bins;
	int64_t last = 0;

	for (size_t i = 0; i < bins; i++) {
		ml_buf_zigzag(&w->raw, m->beyond[i] - last);
		last = m->beyond[i];
	}
	return write_block(w, BEYOND, member, bins, err);
}

static bool write_member(struct writer *w, const struct ml_ensemble *e, size_t member,
			 struct ml_err *err)
{
	const struct ml_member *m = &e->members[member];

	ml_buf_varint(&w->raw, m->trace);
	ml_buf_string(&w->raw, m->machine);
	ml_buf_string(&w->raw, m->label);
	ml_buf_varint(&w->raw, m->param_count);
	for (size_t i = 0; i < m->param_count; i++) {
		const struct ml_parameter *p = &m->params[i];
		bool is_number = !isnan(p->number);
		uint64_t bits;

		memcpy(&bits, &p->number, sizeof(bits));
		ml_buf_string(&w->raw, p->name);
		ml_buf_string(&w->raw, p->value);
		ml_buf_u8(&w->raw, is_number);
		if (is_number) /* NAN has many bit patterns, and equal ensembles must give
				  equal files */
			ml_buf_u64(&w->raw, bits);
	}
	return write_block(w, MEMBER, member, 0, err) &&
	       (!m->done || write_series(w, e, member, err)) &&
	       (!m->done || !m->beyond || write_beyond(w, e, member, err));
}

static bool write_state(struct writer *w, const struct ml_ensemble_state *s,
			struct ml_err *err)
{
	ml_buf_varint(&w->raw, s->trace);
	bool ok = write_block(w, STATE, s->position, s->size, err);
	for (size_t done = 0; ok && done < s->size;) {
		size_t n = s->size - done < STATE_PIECE ? s->size - done : STATE_PIECE;

		ml_buf_put(&w->raw, (const uint8_t *)s->data + done, n);
		ok = write_block(w, STATE_MORE, done, n, err);
		done += n;
	}
	return ok;
}

static bool write_choices(struct writer *w, const struct ml_ensemble *e,
			  struct ml_err *err)
{
	for (size_t i = 0; i < e->choice_count; i++) {
		ml_buf_string(&w->raw, e->choices[i].name);
		ml_buf_string(&w->raw, e->choices[i].value);
	}
	return write_block(w, CHOICES, 0, e->choice_count, err);
}

static bool write_all(struct writer *w, const struct ml_ensemble *e, struct ml_err *err)
{
	if (!write_header(w, err))
		return false;
	for (size_t i = 0; i < e->trace_count; i++)
		if (!write_trace(w, &e->traces[i], err))
			return false;
	for (size_t i = 0; i < e->member_count; i++)
		if (!write_member(w, e, i, err))
			return false;
	for (size_t i = 0; i < e->state_count; i++)
		if (!write_state(w, &e->states[i], err))
			return false;
	if (e->choice_count && !write_choices(w, e, err))
		return false;
	ml_buf_varint(&w->raw, e->trace_count);
	ml_buf_varint(&w->raw, e->member_count);
	ml_buf_varint(&w->raw, e->state_count);
	return write_block(w, END, 0, 0, err);
}

bool ml_ensemble_save(const struct ml_ensemble *e, const char *path, struct ml_err *err)
{
	struct writer w = { 0 };

	if (!ml_newfile_open(&w.file, path, err))
		return false;
	bool ok = write_all(&w, e, err);
	if (ok)
		ok = ml_newfile_close(&w.file, err);
	else
		ml_newfile_abandon(&w.file);
	ml_buf_release(&w.raw);
	ml_buf_release(&w.out);
	ml_packer_release(&w.packer);
	return ok;
}

/* ---- reading ---- */

struct reader {
	struct ml_ensemble *e;
	const char *path;
	struct ml_file_map map;
	uint64_t offset; /* offset of the block */
	struct ml_buf raw, state;
	uint64_t state_size; /* size that the last STATE block announced */
	struct ml_unpacker unpacker;
	bool ended;
};

static bool damaged(const struct reader *r, const char *why, struct ml_err *err)
{
	return ml_fail(err, ML_FORMAT, "%s: byte %llu: %s", r->path,
		       (unsigned long long)r->offset, why);
}

/* Reads a string without 0 bytes; "" if it is bad. */
static const char *get_string(struct reader *r, struct ml_bytes *in)
{
	uint64_t size = ml_bytes_varint(in);
	const uint8_t *at = size <= (uint64_t)(in->end - in->at) ? ml_bytes_take(in, size)
								 : NULL;

	if (!at || memchr(at, 0, size)) {
		in->bad = true;
		return "";
	}
	return ml_arena_copy(&r->e->arena, at, size);
}

static void get_milestones(struct reader *r, struct ml_ensemble_trace *t,
			   struct ml_bytes *in)
{
	const char *name = get_string(r, in);
	uint64_t count = ml_bytes_varint(in), at = 0;

	if (in->bad ||
	    count > (uint64_t)(in->end - in->at)) { /* each takes at least a byte */
		in->bad = true;
		return;
	}
	struct ml_milestones *m = ml_ensemble_new_milestones(r->e, t, name);
	if (!m) {
		in->bad = true;
		return;
	}
	m->at = ml_grow(NULL, &m->cap, count, sizeof(*m->at));
	for (; m->count < count && !in->bad; m->count++) {
		uint64_t step = ml_bytes_varint(in);

		in->bad |= step > ml_ensemble_refs(t) - at;
		m->at[m->count] = at += step;
	}
}

static bool take_trace(struct reader *r, struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble_trace *t = ml_ensemble_new_trace(r->e);

	t->path = get_string(r, in);
	t->label = get_string(r, in);
	const uint8_t *id = ml_bytes_take(in, sizeof(t->id));
	if (id)
		memcpy(t->id, id, sizeof(t->id));
	t->from = ml_bytes_varint(in);
	t->to = ml_bytes_varint(in);
	uint64_t bits = ml_bytes_varint(in);
	if (in->bad || t->from > t->to || bits > 31)
		return damaged(r, "not a trace of an ensemble", err);
	uint64_t refs = ml_ensemble_refs(t);
	t->bits = (unsigned)bits;
	t->bins = refs ? (size_t)((refs - 1) >> bits) + 1 : 0;
	for (uint64_t n = ml_bytes_varint(in); n && !in->bad; n--)
		get_milestones(r, t, in);
	return !in->bad || damaged(r, "not the milestones of a trace", err);
}

static bool take_member(struct reader *r, const struct ml_block_header *h,
			struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;
	uint64_t trace = ml_bytes_varint(in);
	const char *machine = get_string(r, in), *label = get_string(r, in);
	struct ml_machine parsed;
	struct ml_err why;

	if (in->bad || trace >= e->trace_count || h->time != e->member_count)
		return damaged(r, "not a member of an ensemble", err);
	if (!ml_machine_parse(&parsed, machine, &why))
		return damaged(r, why.text, err);
	struct ml_member *m = ml_ensemble_new_member(e, (uint32_t)trace, machine,
						     &parsed);
	m->label = label;
	for (uint64_t n = ml_bytes_varint(in); n && !in->bad; n--) {
		const char *name = get_string(r, in), *value = get_string(r, in);
		double number = NAN;

		if (ml_bytes_u8(in)) {
			uint64_t bits = ml_bytes_u64(in);

			memcpy(&number, &bits, sizeof(number));
		}
		if (!in->bad)
			ml_ensemble_add_param(e, m, name, value, number);
	}
	return !in->bad || damaged(r, "not the parameters of a member", err);
}

static bool take_series(struct reader *r, const struct ml_block_header *h,
			struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;
	struct ml_member *m = e->member_count ? &e->members[e->member_count - 1] : NULL;

	if (!m || h->time != e->member_count - 1 || m->done)
		return damaged(r, "a series belongs to no member", err);
	const struct ml_ensemble_trace *t = &e->traces[m->trace];
	/* each takes at least a byte, so no memory is allocated for missing ones */
	if ((uint64_t)(in->end - in->at) / m->parsed.levels < t->bins ||
	    h->count != t->bins)
		return damaged(r, "a series has the wrong length", err);
	ml_ensemble_make_series(e, m);
	for (size_t i = 0; i < t->bins; i++)
		m->served[1][i] = (uint32_t)ml_ensemble_bin_refs(t, i);
	for (unsigned s = 2; s <= m->parsed.levels + 1; s++) {
		uint64_t v = 0;

		for (size_t i = 0; i < t->bins; i++) {
			v += (uint64_t)ml_bytes_zigzag(in);
			if (in->bad || v > m->served[1][i])
				return damaged(r, "a series has more than all references",
					       err);
			m->served[s][i] = (uint32_t)v;
			m->served[1][i] -= (uint32_t)v;
		}
	}
	ml_ensemble_finish(e, m);
	return true;
}

/* Behind the series of the member; files of memlamp 0.2.0 have none. */
static bool take_beyond(struct reader *r, const struct ml_block_header *h,
			struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;
	struct ml_member *m = e->member_count ? &e->members[e->member_count - 1] : NULL;
	uint64_t v = 0;

	if (!m || h->time != e->member_count - 1 || !m->done || !m->beyond)
		return damaged(r, "cycles belong to no member", err);
	if (h->count != e->traces[m->trace].bins)
		return damaged(r, "a series has the wrong length", err);
	for (size_t i = 0; i < h->count; i++) {
		v += (uint64_t)ml_bytes_zigzag(in);
		m->beyond[i] = (int64_t)v;
	}
	if (in->bad)
		return damaged(r, "a series has the wrong length", err);
	ml_ensemble_finish(e, m);
	return true;
}

/* Checks that the last state has all of its bytes. */
static bool end_state(struct reader *r, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;

	if (e->state_count && !e->states[e->state_count - 1].data) {
		struct ml_ensemble_state *s = &e->states[e->state_count - 1];

		if (r->state.size != r->state_size)
			return damaged(r, "a state is incomplete", err);
		s->size = r->state.size;
		ml_buf_reserve(&r->state, 1);
		s->data = r->state.data;
		r->state = (struct ml_buf){ 0 };
	}
	return true;
}

static bool take_state(struct reader *r, const struct ml_block_header *h,
		       struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;
	uint64_t trace = ml_bytes_varint(in);

	if (!end_state(r, err))
		return false;
	if (in->bad || trace >= e->trace_count ||
	    h->time > ml_ensemble_refs(&e->traces[trace]))
		return damaged(r, "a state belongs to no trace", err);
	e->states = ml_grow(e->states, &e->state_cap, e->state_count + 1,
			    sizeof(*e->states));
	e->states[e->state_count++] = (struct ml_ensemble_state){
		.trace = (uint32_t)trace, .position = h->time
	};
	r->state_size = h->count;
	return true;
}

static bool take_more(struct reader *r, const struct ml_block_header *h,
		      struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;

	if (!e->state_count || e->states[e->state_count - 1].data ||
	    h->time != r->state.size)
		return damaged(r, "a piece belongs to no state", err);
	ml_buf_put(&r->state, in->at, (size_t)(in->end - in->at));
	return true;
}

static bool take_choices(struct reader *r, const struct ml_block_header *h,
			 struct ml_bytes *in, struct ml_err *err)
{
	in->bad |= h->count > CHOICES_MAX;
	for (uint64_t n = h->count; n && !in->bad; n--) {
		const char *name = get_string(r, in), *value = get_string(r, in);

		if (!in->bad)
			ml_ensemble_choose(r->e, name, value);
	}
	return !in->bad || damaged(r, "not the choices of an ensemble", err);
}

static bool take_end(struct reader *r, struct ml_bytes *in, struct ml_err *err)
{
	struct ml_ensemble *e = r->e;
	uint64_t traces = ml_bytes_varint(in), members = ml_bytes_varint(in);
	uint64_t states = ml_bytes_varint(in);

	r->ended = true;
	if (in->bad || traces != e->trace_count || members != e->member_count ||
	    states != e->state_count)
		return damaged(r, "the end does not match the ensemble", err);
	return end_state(r, err);
}

static bool take_block(struct reader *r, const struct ml_block_header *h,
		       struct ml_bytes *in, struct ml_err *err)
{
	switch (h->type) {
	case TRACE: return take_trace(r, in, err);
	case MEMBER: return take_member(r, h, in, err);
	case SERIES: return take_series(r, h, in, err);
	case BEYOND: return take_beyond(r, h, in, err);
	case STATE: return take_state(r, h, in, err);
	case STATE_MORE: return take_more(r, h, in, err);
	case CHOICES: return take_choices(r, h, in, err);
	case END: return take_end(r, in, err);
	default: return true; /* a block type of a later memlamp */
	}
}

/* Unpacks the block at r->offset into r->raw. */
static bool unpack(struct reader *r, struct ml_block_header *h, struct ml_bytes *in,
		   struct ml_err *err)
{
	uint64_t left = r->map.size - r->offset;
	const uint8_t *at = r->map.data + r->offset;
	struct ml_err why;

	if (left < ML_FORMAT_BLOCK_HEADER || !ml_format_get_block(at, h))
		return damaged(r, "not a block", err);
	at += ML_FORMAT_BLOCK_HEADER;
	if (h->size > left - ML_FORMAT_BLOCK_HEADER)
		return damaged(r, "the block is cut off", err);
	if (!ml_format_sum_fits(at, h->size, h->sum))
		return damaged(r, "the block's checksum is wrong", err);
	struct ml_bytes packed = { at, at + h->size, false };
	uint64_t size = ml_bytes_varint(&packed);
	if (packed.bad || size > UNPACKED_MAX)
		return damaged(r, "the block is too large", err);
	r->raw.size = 0;
	ml_buf_reserve(&r->raw, size + 1);
	if (!ml_unpack(&r->unpacker, packed.at, (size_t)(packed.end - packed.at),
		       r->raw.data, size, &why))
		return damaged(r, why.text, err);
	*in = (struct ml_bytes){ r->raw.data, r->raw.data + size, false };
	return true;
}

static bool read_all(struct reader *r, struct ml_err *err)
{
	struct ml_bytes header = { r->map.data, r->map.data + HEADER, false };
	struct ml_block_header h;
	struct ml_bytes in;

	if (r->map.size < HEADER || memcmp(r->map.data, MAGIC, 8))
		return ml_fail(err, ML_FORMAT, "%s: not an ensemble", r->path);
	ml_bytes_take(&header, 8);
	uint32_t version = ml_bytes_u32(&header);
	/* before the checksum: a later version may have another header */
	if (version != ML_ENSEMBLE_VERSION)
		return ml_fail(
			err, ML_FORMAT,
			"%s: format version %u is %s than this memlamp, which reads "
			"version %d",
			r->path, version,
			version > ML_ENSEMBLE_VERSION ? "newer" : "older",
			ML_ENSEMBLE_VERSION);
	header.at = r->map.data + HEADER - 8;
	if (!ml_format_sum_fits(r->map.data, HEADER - 8, ml_bytes_u64(&header)))
		return damaged(r, "the header's checksum is wrong", err);
	for (r->offset = HEADER; !r->ended;
	     r->offset += ML_FORMAT_BLOCK_HEADER + h.size) {
		if (r->offset == r->map.size)
			return damaged(r, "the file is cut off", err);
		if (!unpack(r, &h, &in, err) || !take_block(r, &h, &in, err))
			return false;
	}
	return r->offset == r->map.size ||
	       damaged(r, "there are bytes behind the end", err);
}

bool ml_ensemble_open(struct ml_ensemble *e, const char *path, struct ml_err *err)
{
	struct reader r = { .e = e, .path = path };

	ml_ensemble_init(e);
	if (!ml_file_map_open(&r.map, path, err))
		return false;
	bool ok = read_all(&r, err);
	ml_file_map_close(&r.map);
	ml_buf_release(&r.raw);
	ml_buf_release(&r.state);
	ml_unpacker_release(&r.unpacker);
	if (!ok)
		ml_ensemble_release(e);
	return ok;
}

bool ml_ensemble_is(const char *path)
{
	return ml_file_begins_with(path, MAGIC, 8);
}
