#include "lib/trace/fuse.h"

#include <string.h>

#include "lib/trace/chunk.h"

enum {
	JUDGE = 256, /* uses after which a track is judged */
	TRIES = 8,   /* tracks that a head may have, one after the other */
	LEAST = 2,   /* parts that a track must join on the average */
	NEW = 0xffff,
};

/* How a base of a part follows from those before it. */
struct link {
	uint16_t from; /* base of the joined shape; NEW: it is one itself */
	int32_t delta;
};

struct ml_track {
	uint32_t path; /* of its first exit; path + k has k + 1 parts */
	uint32_t parts;
	uint32_t used, matched; /* since the last judgement: times, and parts in all */
	struct part {
		uint32_t path;
		uint16_t bases;
		uint16_t link; /* of its first base */
	} part[ML_FUSE_PARTS];
	struct link link[]; /* one for each base of each part */
};

void ml_fuse_init(struct ml_fuse *f, struct ml_shapes *shapes)
{
	*f = (struct ml_fuse){ .shapes = shapes };
}

void ml_fuse_release(struct ml_fuse *f)
{
	ml_free(f->heads);
	ml_arena_release(&f->arena);
}

/* What is known of the registers while a track is put together. */
struct known {
	uint32_t changed; /* mask: no longer as at the start */
	uint32_t derived; /* mask: holds base + delta */
	uint16_t base[ML_REGS];
	int64_t delta[ML_REGS];
};

struct join {
	struct ml_shape shape;
	struct ml_slot slot[ML_FUSE_SLOTS];
	struct ml_base base[ML_FUSE_SLOTS];
	struct ml_exit exit[ML_FUSE_PARTS];
	struct ml_effect effect[ML_FUSE_PARTS][ML_REGS];
	struct link link[ML_FUSE_SLOTS];
	size_t links;
	struct known known;
};

static bool fits(int64_t v)
{
	return v == (int32_t)v;
}

/* A base of the next part: does it follow from one that the join has? */
static void join_base(struct join *j, struct ml_base b, uint16_t *now, int64_t *offset)
{
	struct known *k = &j->known;
	struct link link = { NEW, 0 };

	*offset = 0;
	if (b.reg != ML_NO_REG && k->derived >> b.reg & 1 &&
	    fits(k->delta[b.reg] + b.delta)) {
		link = (struct link){ k->base[b.reg],
				      (int32_t)(k->delta[b.reg] + b.delta) };
		*now = link.from;
		*offset = link.delta;
	} else {
		*now = j->shape.bases++;
		j->base[*now] = b;
		/* state stays that of the part's own base: it is the same code */
		if (b.reg != ML_NO_REG && k->changed >> b.reg & 1)
			j->base[*now].reg = ML_NO_REG;
	}
	if (b.reg != ML_NO_REG) {
		k->base[b.reg] = *now;
		k->delta[b.reg] = *offset - b.delta;
		k->derived |= 1u << b.reg;
	}
	j->link[j->links++] = link;
}

/* What the registers hold behind the part. */
static void join_effects(struct join *j, const struct ml_path *path, const uint16_t *now,
			 const int64_t *offset)
{
	struct known *k = &j->known;

	k->changed |= path->clobber;
	k->derived &= ~path->clobber;
	for (unsigned i = 0; i < path->effects; i++) {
		struct ml_effect e = path->effect[i];

		k->changed |= 1u << e.reg;
		k->derived |= 1u << e.reg;
		k->base[e.reg] = now[e.base];
		k->delta[e.reg] = offset[e.base] + e.delta;
	}
}

/* Adds one path to the join. */
static void join_part(struct join *j, const struct ml_shape *shape,
		      const struct ml_path *path)
{
	uint16_t now[ML_FUSE_SLOTS];
	int64_t offset[ML_FUSE_SLOTS];

	for (unsigned i = 0; i < path->bases; i++)
		join_base(j, shape->base[i], &now[i], &offset[i]);
	for (unsigned i = 0; i < path->slots; i++) {
		struct ml_slot s = shape->slot[i];

		if (s.base != ML_NO_BASE) {
			s.offset += (uint64_t)offset[s.base];
			s.base = now[s.base];
		}
		j->slot[j->shape.slots++] = s;
	}
	join_effects(j, path, now, offset);

	struct ml_exit *e = &j->exit[j->shape.exits];
	struct ml_effect *effect = j->effect[j->shape.exits++];
	*e = (struct ml_exit){ .slots = j->shape.slots,
			       .bases = j->shape.bases,
			       .clobber = (uint16_t)j->known.changed,
			       .effect = effect };
	for (uint8_t r = 0; r < ML_REGS; r++)
		if (j->known.changed & j->known.derived & 1u << r &&
		    fits(j->known.delta[r]))
			effect[e->effects++] = (struct ml_effect){
				r, j->known.base[r], (int32_t)j->known.delta[r]
			};
}

/* How many of the steps can be joined. */
static size_t joinable(const struct ml_fuse *f, const struct ml_step *steps, size_t count)
{
	const struct ml_path *first = &f->shapes->path[steps[0].path];
	size_t n = 0, slots = 0;

	for (; n < count && n < ML_FUSE_PARTS; n++) {
		const struct ml_path *p = &f->shapes->path[steps[n].path];

		slots += p->slots;
		if (p->maybe || p->user != first->user || slots > ML_FUSE_SLOTS ||
		    steps[n].caller != steps[0].caller)
			break;
	}
	return n;
}

static struct ml_track *make_track(struct ml_fuse *f, const struct ml_step *steps,
				   size_t parts)
{
	struct join *j = ml_resize(NULL, sizeof(*j));
	struct ml_track *t;

	memset(j, 0, sizeof(*j));
	j->shape.user = f->shapes->path[steps[0].path].user;
	for (size_t i = 0; i < parts; i++) {
		const struct ml_path *p = &f->shapes->path[steps[i].path];

		join_part(j, &f->shapes->at[p->shape], p);
	}
	t = ml_arena_alloc(&f->arena, sizeof(*t) + j->links * sizeof(t->link[0]));
	memcpy(t->link, j->link, j->links * sizeof(t->link[0]));
	t->parts = (uint32_t)parts;
	uint16_t link = 0;
	for (size_t i = 0; i < parts; i++) {
		uint16_t bases = f->shapes->path[steps[i].path].bases;

		t->part[i] = (struct part){ steps[i].path, bases, link };
		link = (uint16_t)(link + bases);
	}
	/* the last exit is the end of the whole shape */
	struct ml_exit end = j->exit[--j->shape.exits];
	j->shape.clobber = end.clobber;
	j->shape.effects = end.effects;
	j->shape.effect = end.effect;
	j->shape.slot = j->slot;
	j->shape.base = j->base;
	j->shape.exit = j->exit;
	uint32_t number = ml_shapes_add(f->shapes, &j->shape);
	t->path = f->shapes->at[number].path;
	ml_free(j);
	f->tracks++;
	return t;
}

/*
 * How many parts of the track the steps go along; the values of the joined bases go to
 * out. The first part always fits.
 */
static inline size_t follow(const struct ml_track *t, const struct ml_step *steps,
			    size_t count, uint64_t *out)
{
	size_t most = t->parts < count ? t->parts : count, bases = 0, n = 0;

	for (; n < most; n++) {
		const struct part *part = &t->part[n];
		const struct link *link = &t->link[part->link];
		const uint64_t *value = steps[n].value;
		size_t now = bases;

		if (steps[n].path != part->path || steps[n].caller != steps[0].caller)
			break;
		for (unsigned i = 0; i < part->bases; i++) {
			if (link[i].from == NEW)
				out[now++] = value[i];
			else if (value[i] !=
				 out[link[i].from] + (uint64_t)(int64_t)link[i].delta)
				return n;
		}
		bases = now;
	}
	return n;
}

/* A track that is mostly left early gives way to another, a few times; then to none. */
static void judge(struct ml_fuse_head *head)
{
	struct ml_track *t = head->track;

	if (t->matched < (uint64_t)t->used * LEAST) {
		head->track = NULL;
		head->count = 0;
	}
	t->used = t->matched = 0;
}

static void heat(struct ml_fuse *f, struct ml_fuse_head *head,
		 const struct ml_step *steps, size_t count)
{
	if (++head->count < ML_FUSE_HOT || head->tries >= TRIES ||
	    f->tracks >= ML_FUSE_TRACKS || count < ML_FUSE_PARTS)
		return;
	size_t parts = joinable(f, steps, count);
	head->tries++;
	head->count = 0;
	if (parts < 2)
		return;
	head->track = make_track(f, steps, parts);
}

/* References of a step of which some may not have happened. */
static uint64_t happened(const struct ml_shape *shape, unsigned slots,
			 const uint64_t *value)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < slots; i++)
		n += !shape->slot[i].maybe || value[shape->slot[i].base];
	return n;
}

/* A step as it is. */
static inline void append(const struct ml_fuse *f, const struct ml_step *step,
			  struct ml_steps *out)
{
	const struct ml_path *path = &f->shapes->path[step->path];

	out->at[out->count++] = (struct ml_told){ step->path, step->caller };
	for (unsigned i = 0; i < path->bases; i++)
		out->value[out->values++] = step->value[i];
	out->refs += __builtin_expect(path->maybe, 0)
			     ? happened(&f->shapes->at[path->shape], path->slots,
					step->value)
			     : path->slots;
}

size_t ml_fuse_steps(struct ml_fuse *f, const struct ml_step *steps, size_t count,
		     struct ml_steps *out)
{
	size_t i = 0;

	f->heads = ml_grow(f->heads, &f->head_cap, f->shapes->paths, sizeof(*f->heads));
	while (i < count && !ml_steps_full(out)) {
		struct ml_fuse_head *head = &f->heads[steps[i].path];
		struct ml_track *t = head->track;
		size_t parts = 1;

		if (__builtin_expect(t != NULL, 1)) {
			parts = follow(t, steps + i, count - i, out->value + out->values);
			t->matched += (uint32_t)parts;
			if (__builtin_expect(++t->used >= JUDGE, 0))
				judge(head);
		} else if (head->tries < TRIES) {
			heat(f, head, steps + i, count - i);
		}
		if (parts > 1) {
			uint32_t number = t->path + (uint32_t)parts - 1;
			const struct ml_path *path = &f->shapes->path[number];

			out->at[out->count++] = (struct ml_told){ number,
								  steps[i].caller };
			out->values += path->bases;
			out->refs += path->slots;
		} else {
			append(f, &steps[i], out);
		}
		i += parts;
	}
	return i;
}
