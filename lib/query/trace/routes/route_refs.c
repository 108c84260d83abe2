#include "lib/query/trace/routes/route_refs.h"

#include <string.h>

#include "lib/analyse/passes/user_lines.h"
#include "lib/base/map.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/player.h"
#include "lib/query/trace/open/walk.h"
#include "lib/trace/regions/region_lookup.h"

enum { REFS = 4096, REFS_MAX = 65536 };

#define NO_BLOCK UINT32_MAX

static bool read_stretch(const struct ml_request *q, const struct ml_open_sim *s,
			 uint64_t *from, uint64_t *count, struct ml_err *err)
{
	if (!ml_request_u64(q, "from", 0, from, err) ||
	    !ml_request_u64(q, "count", REFS, count, err))
		return false;
	if (*count > REFS_MAX)
		return ml_fail(err, ML_USAGE, "count=%llu is more than %d",
			       (unsigned long long)*count, REFS_MAX);
	if (*from > s->simulation.result.refs)
		*from = s->simulation.result.refs;
	if (*count > s->simulation.result.refs - *from)
		*count = s->simulation.result.refs - *from;
	return true;
}

/* Columns of an answer, filled batch by batch. */
struct refs {
	uint64_t *addr, *offset, *block_of;
	uint32_t *region, *block, *site, *caller;
	uint16_t *what, *thread, *outcome, *core;
	size_t count;
};

static void *room(struct ml_answer *a, size_t count, size_t size)
{
	return ml_arena_alloc(&a->arena, (count + 1) * size);
}

static bool take(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct refs *r = arg;
	const struct ml_batch *b = w->e.refs;
	size_t n = b->count, at = r->count;

	(void)err;
	memcpy(r->addr + at, b->addr, n * sizeof(*r->addr));
	memcpy(r->offset + at, w->offset, n * sizeof(*r->offset));
	memcpy(r->block_of + at, w->block, n * sizeof(*r->block_of));
	memcpy(r->region + at, w->e.region, n * sizeof(*r->region));
	memcpy(r->site + at, b->site, n * sizeof(*r->site));
	memcpy(r->caller + at, b->caller, n * sizeof(*r->caller));
	memcpy(r->what + at, b->what, n * sizeof(*r->what));
	memcpy(r->thread + at, b->thread, n * sizeof(*r->thread));
	memcpy(r->outcome + at, w->e.outcome, n * sizeof(*r->outcome));
	if (w->e.core)
		memcpy(r->core + at, w->e.core, n * sizeof(*r->core));
	r->count += n;
	return true;
}

/* The places in the source that occur; r->site becomes a number among them. */
static void put_sites(struct ml_answer *a, const struct ml_open_trace *t, struct refs *r)
{
	const struct ml_tables *tables = &t->trace.tables;
	struct ml_user_lines places;
	bool is_new;

	ml_user_lines_init(&places, tables);
	for (size_t i = 0; i < r->count; i++)
		r->site[i] = (uint32_t)ml_user_lines_line(&places, r->site[i],
							  r->caller[i], &is_new);
	ml_json_key(&a->json, "sites");
	ml_json_array(&a->json);
	for (size_t i = 0; i < places.count; i++) {
		const struct ml_user_line *p = &places.lines[i];
		uint32_t file = ml_open_trace_file(t, p->file);

		ml_json_object(&a->json);
		ml_json_key(&a->json, "file");
		if (file == UINT32_MAX)
			ml_json_null(&a->json);
		else
			ml_json_u64(&a->json, file);
		ml_answer_u64(a, "line", p->line);
		ml_answer_string(a, "func", ml_tables_text(tables, p->func));
		ml_json_key(&a->json, "own");
		ml_json_bool(&a->json, p->own);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_user_lines_release(&places);
}

/* The blocks that occur; r->block becomes a number among them. */
static void put_blocks(struct ml_answer *a, const struct ml_open_trace *t, struct refs *r)
{
	struct ml_map seen = { 0 };

	ml_json_key(&a->json, "blocks");
	ml_json_array(&a->json);
	for (size_t i = 0; i < r->count; i++) {
		bool is_new;

		r->block[i] = NO_BLOCK;
		if (r->block_of[i] == ML_NO_BLOCK)
			continue;
		uint64_t *number = ml_map_add(&seen, r->block_of[i], &is_new);
		if (is_new) {
			const struct ml_block *b = &t->trace.blocks[r->block_of[i]];

			*number = seen.count - 1;
			ml_json_object(&a->json);
			ml_answer_u64(a, "block", r->block_of[i]);
			ml_json_key(&a->json, "addr");
			ml_json_address(&a->json, b->addr);
			ml_answer_u64(a, "size", b->size);
			ml_json_end(&a->json);
		}
		r->block[i] = (uint32_t)*number;
	}
	ml_json_end(&a->json);
	ml_map_release(&seen);
}

bool ml_route_refs(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	uint64_t from, count;

	if (!s || !read_stretch(q, s, &from, &count, err))
		return false;
	struct refs r = {
		.addr = room(a, count, sizeof(*r.addr)),
		.offset = room(a, count, sizeof(*r.offset)),
		.block_of = room(a, count, sizeof(*r.block_of)),
		.region = room(a, count, sizeof(*r.region)),
		.block = room(a, count, sizeof(*r.block)),
		.site = room(a, count, sizeof(*r.site)),
		.caller = room(a, count, sizeof(*r.caller)),
		.what = room(a, count, sizeof(*r.what)),
		.thread = room(a, count, sizeof(*r.thread)),
		.outcome = room(a, count, sizeof(*r.outcome)),
		.core = room(a, count, sizeof(*r.core)),
	};
	if (!ml_walk(s, &q->work, from, from + count, ML_WALK_OUTCOMES | ML_WALK_PLACES,
		     take, &r, err))
		return false;
	ml_answer_columns(a);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "count", r.count);
	put_sites(a, s->trace, &r);
	put_blocks(a, s->trace, &r);
	ml_answer_column(a, "addr", ML_TYPE_U64, r.addr, r.count);
	ml_answer_column(a, "offset", ML_TYPE_U64, r.offset, r.count);
	ml_answer_column(a, "region", ML_TYPE_U32, r.region, r.count);
	ml_answer_column(a, "block", ML_TYPE_U32, r.block, r.count);
	ml_answer_column(a, "site", ML_TYPE_U32, r.site, r.count);
	ml_answer_column(a, "what", ML_TYPE_U16, r.what, r.count);
	ml_answer_column(a, "thread", ML_TYPE_U16, r.thread, r.count);
	ml_answer_column(a, "outcome", ML_TYPE_U16, r.outcome, r.count);
	ml_answer_column(a, "core", ML_TYPE_U16, r.core, r.count);
	return true;
}

struct moves {
	struct ml_move *at;
	size_t count, cap;
};

static void take_moves(void *arg, const struct ml_move *moves, size_t count)
{
	struct moves *m = arg;

	m->at = ml_grow(m->at, &m->cap, m->count + count, sizeof(*m->at));
	if (count)
		memcpy(m->at + m->count, moves, count * sizeof(*moves));
	m->count += count;
}

bool ml_route_moves(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct moves m = { 0 };
	uint64_t from, count;

	if (!s || !read_stretch(q, s, &from, &count, err))
		return false;
	bool ok = ml_player_moves(s, &q->work, from, from + count, take_moves, &m, err);
	if (!ok) {
		ml_free(m.at);
		return false;
	}
	uint64_t *line = room(a, m.count, sizeof(*line));
	uint32_t *access = room(a, m.count, sizeof(*access));
	uint32_t *set = room(a, m.count, sizeof(*set));
	uint32_t *way = room(a, m.count, sizeof(*way));
	uint8_t *small[5]; /* kind, from, to, core, other */
	for (size_t k = 0; k < 5; k++)
		small[k] = room(a, m.count, 1);
	for (size_t i = 0; i < m.count; i++) {
		line[i] = m.at[i].line;
		access[i] = m.at[i].access;
		set[i] = m.at[i].set;
		way[i] = m.at[i].way;
		small[0][i] = m.at[i].kind;
		small[1][i] = m.at[i].from;
		small[2][i] = m.at[i].to;
		small[3][i] = m.at[i].core;
		small[4][i] = m.at[i].other;
	}
	ml_free(m.at);
	ml_answer_columns(a);
	ml_answer_u64(a, "from", from);
	ml_answer_u64(a, "count", count);
	ml_answer_column(a, "line", ML_TYPE_U64, line, m.count);
	ml_answer_column(a, "access", ML_TYPE_U32, access, m.count);
	ml_answer_column(a, "set", ML_TYPE_U32, set, m.count);
	ml_answer_column(a, "way", ML_TYPE_U32, way, m.count);
	ml_answer_column(a, "kind", ML_TYPE_U8, small[0], m.count);
	ml_answer_column(a, "from", ML_TYPE_U8, small[1], m.count);
	ml_answer_column(a, "to", ML_TYPE_U8, small[2], m.count);
	ml_answer_column(a, "core", ML_TYPE_U8, small[3], m.count);
	ml_answer_column(a, "other", ML_TYPE_U8, small[4], m.count);
	return true;
}
