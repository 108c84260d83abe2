#include "lib/query/trace/open/used_bytes.h"

#include "lib/base/arena.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/player.h"
#include "lib/query/trace/open/walk.h"
#include "lib/trace/regions/region_lookup.h"

/* Bytes of a line that are one stretch of a region. */
struct part {
	uint32_t region;
	uint32_t first, bytes; /* within the line */
	uint64_t offset;
};

/* A line in the level, with the regions of its bytes at the time when it came in. */
struct line {
	uint64_t addr; /* ML_NO_LINE: none */
	bool old;      /* the line was in the cache before the window */
	struct part *parts;
	size_t count, cap;
};

struct level {
	const struct ml_used_bytes *u;
	struct ml_open_sim *s;
	const struct ml_level_spec *spec;
	bool *wanted; /* by region */
	uint32_t regions;
	/*
	 * By instance and set, one entry more than ways: the observer may hear of the
	 * evicted line after it heard of the miss.
	 */
	struct line *lines;
	size_t each;
	struct line late; /* a line that no reference asked for: its regions are found
			     when it leaves */
	struct ml_region_lookup *space;
	uint64_t time; /* the time that the lookup has reached */
	const struct ml_walk_events *now;
};

static struct line *set_of(const struct level *x, unsigned core, uint32_t set)
{
	size_t instance = core / x->spec->share;

	return x->lines + (instance * x->spec->sets + set) * x->each;
}

static struct line *find(const struct level *x, struct line *set, uint64_t addr)
{
	for (size_t i = 0; i < x->each; i++)
		if (set[i].addr == addr)
			return &set[i];
	return NULL;
}

static void add_part(struct line *l, struct part p)
{
	l->parts = ml_grow(l->parts, &l->cap, l->count + 1, sizeof(*l->parts));
	l->parts[l->count++] = p;
}

/* The address of a region that is one block. */
static bool fixed(const struct level *x, uint32_t region, uint64_t *base, uint64_t *bytes)
{
	*bytes = ml_open_trace_extent(x->s->trace, region);
	return *bytes && ml_open_trace_base(x->s->trace, region, base);
}

/*
 * May a line that a reference to another region brought in hold bytes of a wanted region?
 */
static bool may_touch(const struct level *x, uint64_t addr, uint32_t size)
{
	for (size_t i = 0; i < x->u->count; i++) {
		uint64_t base, bytes;

		if (!fixed(x, x->u->regions[i], &base, &bytes) ||
		    (addr + size > base && addr < base + bytes))
			return true;
	}
	return false;
}

/*
 * Finds the regions that the bytes of a line belong to. A stack belongs to the function
 * that uses it, so a line of a stack belongs to the region that asked for it.
 */
static void take_parts(struct level *x, struct line *l, uint64_t addr, uint32_t owner)
{
	const struct ml_open_trace *t = x->s->trace;
	uint32_t size = x->spec->line;
	uint64_t base, bytes;

	l->addr = addr;
	l->old = false;
	l->count = 0;
	if (owner < x->regions && x->wanted[owner] && fixed(x, owner, &base, &bytes) &&
	    (ml_region_lookup_region(x->space, owner)->kind == ML_REGION_STACK ||
	     (addr >= base && addr - base + size <= bytes))) {
		add_part(l, (struct part){ owner, 0, size, addr - base });
		return;
	}
	if (!(owner < x->regions && x->wanted[owner]) && !may_touch(x, addr, size))
		return;
	for (uint32_t at = 0; at < size;) {
		struct ml_ref ref = { .time = x->time, .addr = addr + at };
		struct ml_place p = ml_region_lookup_find(x->space, &ref);
		uint64_t all = ml_region_lookup_size(x->space, &p), left = size - at;

		/* without a size: up to the next word, where something else may begin */
		if (all > p.offset && all - p.offset < left)
			left = all - p.offset;
		else if (!all)
			left = 8 - (addr + at) % 8;
		left = left < size - at ? left : size - at;
		if (p.region < x->regions && x->wanted[p.region])
			add_part(l, (struct part){
					    p.region, at, (uint32_t)left,
					    ml_open_trace_offset(t, p.block, p.offset) });
		at += (uint32_t)left;
	}
}

static void begin(void *arg, const struct ml_engine *engine)
{
	struct level *x = arg;
	uint32_t ways = x->spec->ways;
	struct ml_cached_way *slots = ml_resize(NULL, ways * sizeof(*slots));

	for (uint32_t core = 0; core < x->s->simulation.profile->machine.cores;
	     core += x->spec->share)
		for (uint32_t set = 0; set < x->spec->sets; set++) {
			struct line *to = set_of(x, core, set);

			ml_engine_set(engine, x->u->level, core, set, slots);
			for (uint32_t k = 0; k < ways; k++) {
				to[k].addr = slots[k].line;
				to[k].old = true;
			}
		}
	ml_free(slots);
}

static void now(void *arg, const struct ml_walk_events *w)
{
	struct level *x = arg;

	x->now = w;
	if (x->u->at)
		x->u->at(x->u->arg, w->e.position);
}

/* Times must not decrease. The times of interleaved threads decrease a little. */
static void go_to(struct level *x, size_t access)
{
	uint64_t time = x->now->e.time ? x->now->e.time[access]
				       : x->now->e.refs->time + access;

	x->time = time > x->time ? time : x->time;
}

static void on_miss(void *arg, const struct ml_miss *m)
{
	struct level *x = arg;

	if (m->level != x->u->level ||
	    (x->spec->no_allocate && m->kind == ML_ACCESS_WRITE) ||
	    x->spec->inclusion == ML_EXCLUSIVE)
		return;
	struct line *set = set_of(x, m->core, m->set), *l = find(x, set, m->line);
	if (!l)
		l = find(x, set, ML_NO_LINE);
	if (!l) /* this cannot happen; if it did, the counts would be inexact and nothing
		   worse */
		return;
	go_to(x, m->access);
	take_parts(x, l, m->line, m->owner);
}

/* Divides a part into runs of used and of unused bytes. */
static void tell_part(const struct level *x, const struct part *p, uint64_t used)
{
	uint32_t unit = x->spec->line > 64 ? x->spec->line / 64 : 1;
	uint32_t end = p->first + p->bytes;

	for (uint32_t at = p->first, next; at < end; at = next) {
		bool is = used >> at / unit & 1;
		uint64_t others = (is ? ~used : used) >> at / unit;

		next = others ? (at / unit + (uint32_t)__builtin_ctzll(others)) * unit
			      : end;
		next = next < end ? next : end;
		x->u->fn(x->u->arg, p->region, p->offset + (at - p->first), next - at,
			 is);
	}
}

static void on_leave(void *arg, const struct ml_leave *l)
{
	struct level *x = arg;

	if (l->level != x->u->level)
		return;
	struct line *line = find(x, set_of(x, l->core, l->set), l->line);
	if (!line) {
		line = &x->late; /* the line was prefetched, or came from the inner level
				  */
		take_parts(x, line, l->line, l->owner);
	}
	if (!line->old)
		for (size_t i = 0; i < line->count; i++)
			tell_part(x, &line->parts[i], l->read | l->written);
	line->addr = ML_NO_LINE;
	line->old = false;
}

static void make_room(struct level *x)
{
	const struct ml_used_bytes *u = x->u;
	size_t count = x->s->simulation.profile->machine.cores / x->spec->share *
		       x->spec->sets;

	x->each = (size_t)x->spec->ways + 1;
	x->lines = ml_grow(NULL, &(size_t){ 0 }, count * x->each, sizeof(*x->lines));
	for (size_t i = 0; i < count * x->each; i++)
		x->lines[i].addr = ML_NO_LINE;
	for (size_t i = 0; i < u->count; i++)
		x->regions = u->regions[i] >= x->regions ? u->regions[i] + 1 : x->regions;
	x->wanted = ml_grow(NULL, &(size_t){ 0 }, (size_t)x->regions + 1,
			    sizeof(*x->wanted));
	for (size_t i = 0; i < u->count; i++)
		x->wanted[u->regions[i]] = true;
}

bool ml_used_bytes_run(const struct ml_used_bytes *u, struct ml_open_sim *s,
		       const struct ml_work *work, struct ml_err *err)
{
	struct level x = { .u = u, .s = s };
	struct ml_player_watch watch = { .arg = &x, .begin = begin, .now = now };

	if (!u->level || u->level > s->simulation.profile->machine.levels)
		return ml_fail(err, ML_USAGE, "the machine has levels 1 to %u, not %u",
			       s->simulation.profile->machine.levels, u->level);
	for (size_t i = 0; i < u->count; i++)
		if (u->regions[i] >= ml_region_lookup_regions(s->trace->summary.space))
			return ml_fail(err, ML_USAGE, "there is no region %u",
				       u->regions[i]);
	x.spec = &s->simulation.profile->machine.level[u->level - 1];
	x.space = ml_open_trace_lookup_take(s->trace, u->from, err);
	if (!x.space)
		return false;
	make_room(&x);
	watch.observer =
		(struct ml_observer){ .arg = &x, .miss = on_miss, .leave = on_leave };
	bool ok = ml_player_watch(s, work, u->from, u->to, &watch, err);
	for (size_t i = 0; i < s->simulation.profile->machine.cores / x.spec->share *
				       x.spec->sets * x.each;
	     i++)
		ml_free(x.lines[i].parts);
	ml_free(x.late.parts);
	ml_free(x.lines);
	ml_free(x.wanted);
	ml_open_trace_lookup_give(s->trace, x.space, x.time);
	return ok;
}
