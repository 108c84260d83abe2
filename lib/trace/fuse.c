#include "lib/trace/fuse.h"

#include <string.h>

#include "lib/trace/chunk.h"
#include "lib/trace/join.h"

enum {
	JUDGE = 256, /* uses after which a track is judged */
	TRIES = 8,   /* tracks that a head may have, one after the other */
	LEAST = 2,   /* parts that a track must join on the average */
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
	struct ml_link link[]; /* one for each base of each part */
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

/* How many of the steps can be joined. */
static size_t joinable(const struct ml_fuse *f, const struct ml_step *steps, size_t count,
		       uint32_t *paths)
{
	size_t n = 0;

	for (; n < count && n < ML_FUSE_PARTS && steps[n].caller == steps[0].caller; n++)
		paths[n] = steps[n].path;
	return ml_join_most(f->shapes, paths, n);
}

static struct ml_track *make_track(struct ml_fuse *f, const uint32_t *paths, size_t parts)
{
	struct ml_join *j = ml_resize(NULL, sizeof(*j));
	struct ml_track *t;

	ml_join_init(j, f->shapes->path[paths[0]].user);
	for (size_t i = 0; i < parts; i++)
		ml_join_part(j, f->shapes, paths[i], NULL, NULL, NULL);
	t = ml_arena_alloc(&f->arena, sizeof(*t) + j->links * sizeof(t->link[0]));
	memcpy(t->link, j->link, j->links * sizeof(t->link[0]));
	t->parts = (uint32_t)parts;
	uint16_t link = 0;
	for (size_t i = 0; i < parts; i++) {
		uint16_t bases = f->shapes->path[paths[i]].bases;

		t->part[i] = (struct part){ paths[i], bases, link };
		link = (uint16_t)(link + bases);
	}
	t->path = ml_join_done(j, f->shapes);
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
		const struct ml_link *link = &t->link[part->link];
		const uint64_t *value = steps[n].value;
		size_t now = bases;

		if (steps[n].path != part->path || steps[n].caller != steps[0].caller)
			break;
		for (unsigned i = 0; i < part->bases; i++) {
			if (link[i].from == ML_JOIN_NEW)
				out[now++] = value[i];
			else if (value[i] != out[link[i].from] + (uint64_t)link[i].delta)
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
	uint32_t paths[ML_FUSE_PARTS];
	size_t parts = joinable(f, steps, count, paths);
	head->tries++;
	head->count = 0;
	if (parts < 2)
		return;
	head->track = make_track(f, paths, parts);
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
			ml_steps_add(out, f->shapes, &steps[i]);
		}
		i += parts;
	}
	return i;
}
