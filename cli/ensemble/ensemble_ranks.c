#include "cli/ensemble/ensemble_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/analyse/ensemble/ensemble_stack.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"

/* Groups members that share a stack pass, because each costs little within its group. */
static bool shares(const struct ml_member *a, const struct ml_member *b)
{
	return a->trace == b->trace &&
	       a->parsed.level[0].line == b->parsed.level[0].line &&
	       ml_stack_fits(&a->parsed) && ml_stack_fits(&b->parsed);
}

static int least_loaded(const double *load, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (load[i] < load[best])
			best = i;
	return best;
}

const bool *ensemble_share(const struct ml_ensemble *e, const struct ml_ranks *r,
			   struct ml_arena *a)
{
	/* estimated cost of one more member in a pass, relative to a simulator */
	static const double joining = 0.1;
	size_t n = e->member_count;
	int *rank;
	double *load;
	bool *mine;

	if (r->count == 1)
		return NULL;
	rank = ml_arena_alloc(a, n * sizeof(*rank));
	load = ml_arena_alloc(a, (size_t)r->count * sizeof(*load));
	mine = ml_arena_alloc(a, n * sizeof(*mine));
	memset(load, 0, (size_t)r->count * sizeof(*load));
	for (size_t i = 0; i < n; i++) {
		double refs = (double)ml_ensemble_refs(&e->traces[e->members[i].trace]);
		size_t with = 0;

		while (with < i && !shares(&e->members[with], &e->members[i]))
			with++;
		rank[i] = with < i ? rank[with] : least_loaded(load, r->count);
		load[rank[i]] += e->members[i].done ? 0
				 : with < i         ? refs * joining
						    : refs;
		mine[i] = rank[i] == r->rank;
	}
	return mine;
}

/* Calls fn with the path of an empty file, which is deleted afterwards. */
static bool with_file(bool (*fn)(void *arg, const char *path, struct ml_err *err),
		      void *arg, struct ml_err *err)
{
	const char *folder = getenv("TMPDIR");
	struct ml_arena a = { 0 };
	char *path = ml_arena_printf(&a, "%s/memlamp.XXXXXX", folder ? folder : "/tmp");
	int fd = mkstemp(path);
	bool ok = fd >= 0 || ml_fail_errno(err, "%s", path);

	if (ok) {
		close(fd);
		ok = fn(arg, path, err);
		unlink(path);
	}
	ml_arena_release(&a);
	return ok;
}

/* Converts an ensemble to bytes and back, by way of a temporary file. */
struct image {
	struct ml_ensemble *e;
	struct ml_buf *bytes;
	const uint8_t *data;
	size_t size;
};

static bool take_bytes(void *arg, const char *path, struct ml_err *err)
{
	struct image *i = arg;
	struct ml_file_map map;

	if (!ml_ensemble_save(i->e, path, err) || !ml_file_map_open(&map, path, err))
		return false;
	ml_buf_put(i->bytes, map.data, map.size);
	ml_file_map_close(&map);
	return true;
}

static bool give_bytes(void *arg, const char *path, struct ml_err *err)
{
	struct image *i = arg;
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(i->data, 1, i->size, f) == i->size;

	if (f && fclose(f))
		ok = false;
	return ok ? ml_ensemble_open(i->e, path, err) : ml_fail_errno(err, "%s", path);
}

/* A part is a byte that tells success, then an ensemble or an error message. */
static bool put_part(struct ml_buf *part, struct ml_ensemble *e, bool ok,
		     struct ml_err *err)
{
	struct image i = { .e = e, .bytes = part };

	ml_buf_u8(part, true);
	if (ok && with_file(take_bytes, &i, err))
		return true;
	part->data[0] = false;
	part->size = 1;
	ml_buf_text(part, err->text);
	return false;
}

static bool take_part(struct ml_ensemble *e, const uint8_t *data, size_t size,
		      struct ml_err *err)
{
	struct image i = { .e = e, .data = data + 1, .size = size - 1 };

	if (data[0])
		return with_file(give_bytes, &i, err);
	return ml_fail(err, ML_STOPPED, "%.*s", (int)(size - 1), (const char *)data + 1);
}

bool ensemble_tell(struct ml_ensemble *e, struct ml_ranks *r, bool ok, struct ml_err *err)
{
	struct ml_buf part = { 0 };

	if (r->count == 1)
		return ok;
	if (!r->rank)
		ok = put_part(&part, e, ok, err);
	ml_ranks_tell(r, &part);
	if (r->rank) {
		ml_ensemble_release(e);
		ok = take_part(e, part.data, part.size, err);
		if (!ok && !part.data[0])
			err->text[0] = 0; /* rank 0 prints the error */
	}
	ml_buf_release(&part);
	return ok;
}

static bool merge_part(void *arg, int rank, const void *data, size_t size,
		       struct ml_err *err)
{
	struct ml_ensemble part;
	struct ml_err inner;

	if (!take_part(&part, data, size, &inner))
		return ml_fail(err, inner.kind, "rank %d: %s", rank, inner.text);
	bool ok = ml_ensemble_merge(arg, &part, err);
	ml_ensemble_release(&part);
	return ok;
}

bool ensemble_collect(struct ml_ensemble *e, struct ml_ranks *r, bool ok,
		      struct ml_err *err)
{
	struct ml_buf part = { 0 };
	struct ml_err other;

	if (r->count == 1)
		return ok;
	ok = put_part(&part, e, ok, err);
	if (!ml_ranks_gather(r, &part, merge_part, e, &other) && ok) {
		*err = other;
		ok = false;
	}
	ml_buf_release(&part);
	return ok;
}
