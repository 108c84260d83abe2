#include "lib/trace/control.h"

#include <string.h>

/* How the file says what a shape is. */
enum { NOT_KNOWN, JOINED, SUPERBLOCK };
/* The bits above the kind of a branch: it has a target, that is not behind it; it is of
 * the same instruction as the branch before it; there are instructions or slots since. */
enum { KIND = 7, TARGET = 8, FAR = 16, SAME = 32, MORE = 64 };

void ml_control_release(struct ml_control *c)
{
	ml_free(c->at);
	ml_free(c->shape);
	ml_map_release(&c->known);
	ml_arena_release(&c->arena);
	*c = (struct ml_control){ 0 };
}

static void *copy(struct ml_control *c, const void *from, size_t size)
{
	void *to = ml_arena_alloc(&c->arena, size);

	if (size)
		memcpy(to, from, size);
	return to;
}

static bool equal(const struct ml_control_superblock *a,
		  const struct ml_control_superblock *b)
{
	return a->entry == b->entry && a->slots == b->slots &&
	       a->branches == b->branches &&
	       !memcmp(a->branch, b->branch, a->branches * sizeof(*a->branch)) &&
	       (!a->slots ||
		!memcmp(a->before, b->before, a->slots * sizeof(*a->before)));
}

static uint64_t hash(const struct ml_control_superblock *s)
{
	return s->entry ^ s->slots ^ ml_hash(s->branch, s->branches * sizeof(*s->branch));
}

static uint32_t append(struct ml_control *c, const struct ml_control_superblock *s)
{
	struct ml_control_superblock own = *s;

	own.branch = copy(c, s->branch, s->branches * sizeof(*s->branch));
	own.before = copy(c, s->before, s->slots * sizeof(*s->before));
	c->at = ml_grow(c->at, &c->cap, c->count + 1, sizeof(*c->at));
	c->at[c->count] = own;
	return (uint32_t)c->count++;
}

uint32_t ml_control_add(struct ml_control *c, const struct ml_control_superblock *s)
{
	uint64_t *known = ml_map_add(&c->known, hash(s), NULL);

	if (!*known || !equal(&c->at[*known - 1], s))
		*known = append(c, s) + 1u;
	return (uint32_t)*known - 1;
}

static struct ml_control_shape *shape_of(struct ml_control *c, uint32_t shape)
{
	c->shape = ml_grow(c->shape, &c->shape_cap, shape + 1u, sizeof(*c->shape));
	if (shape >= c->shapes)
		c->shapes = shape + 1u;
	return &c->shape[shape];
}

void ml_control_is(struct ml_control *c, uint32_t shape, uint32_t superblock)
{
	*shape_of(c, shape) = (struct ml_control_shape){ .superblock = superblock + 1 };
}

void ml_control_joins(struct ml_control *c, const struct ml_shapes *shapes,
		      uint32_t shape, const uint32_t *part, size_t parts)
{
	for (size_t i = 0; i < parts; i++)
		if (!ml_control_of_path(c, shapes, part[i]))
			return;
	*shape_of(c, shape) = (struct ml_control_shape){
		.parts = (uint16_t)parts, .part = copy(c, part, parts * sizeof(*part))
	};
}

struct ml_control_shape ml_control_of(const struct ml_control *c, uint32_t shape)
{
	return shape < c->shapes ? c->shape[shape] : (struct ml_control_shape){ 0 };
}

const struct ml_control_superblock *ml_control_of_path(const struct ml_control *c,
						       const struct ml_shapes *shapes,
						       uint32_t path)
{
	uint32_t number = ml_control_of(c, shapes->path[path].shape).superblock;

	return number ? &c->at[number - 1] : NULL;
}

uint64_t ml_control_behind(const struct ml_control_branch *b)
{
	bool followed = b->kind == ML_CONTROL_JUMP || b->kind == ML_CONTROL_CALL;

	return followed ? b->target : b->at + b->length;
}

bool ml_control_pending(const struct ml_control *c, size_t shapes)
{
	return c->put < c->count || (c->count && c->shapes_put < shapes);
}

static void put_branch(const struct ml_control_branch *b,
		       const struct ml_control_branch *last, uint64_t from,
		       struct ml_buf *out)
{
	uint64_t behind = b->at + b->length;
	uint32_t instructions = b->instructions - (last ? last->instructions : 0);
	unsigned slots = (unsigned)b->slots - (last ? last->slots : 0u);
	bool same = last && b->at == last->at && b->length == last->length;
	bool far = b->target && b->target != behind, more = instructions || slots;

	ml_buf_u8(out, (uint8_t)(b->kind | (b->target ? TARGET : 0) | (far ? FAR : 0) |
				 (same ? SAME : 0) | (more ? MORE : 0)));
	if (!same) {
		ml_buf_varint(out, b->at - from);
		ml_buf_u8(out, b->length);
	}
	if (more) {
		ml_buf_varint(out, instructions);
		ml_buf_varint(out, slots);
	}
	if (far)
		ml_buf_zigzag(out, (int64_t)(b->target - behind));
}

static void put_superblock(const struct ml_control_superblock *s, uint64_t from,
			   struct ml_buf *out)
{
	const struct ml_control_branch *last = NULL;
	uint32_t before = 0;

	ml_buf_zigzag(out, (int64_t)(s->entry - from));
	ml_buf_varint(out, s->slots);
	ml_buf_varint(out, s->branches);
	from = s->entry;
	for (size_t i = 0; i < s->branches; i++) {
		put_branch(&s->branch[i], last, from, out);
		last = &s->branch[i];
		from = ml_control_behind(last);
	}
	for (size_t i = 0; i < s->slots; before = s->before[i++])
		ml_buf_varint(out, s->before[i] - before);
}

static uint64_t entry_before(const struct ml_control *c, size_t i)
{
	return i ? c->at[i - 1].entry : 0;
}

/* `next` is the superblock that is expected: that behind the last one. */
static void put_shape(const struct ml_control_shape *s, uint32_t *next,
		      struct ml_buf *out)
{
	uint32_t last = 0;

	if (s->superblock) {
		int64_t off = (int64_t)s->superblock - 1 - *next;

		ml_buf_varint(out,
			      SUPERBLOCK + ((uint64_t)off << 1 ^ (uint64_t)(off >> 63)));
		*next = s->superblock;
		return;
	}
	ml_buf_varint(out, s->parts ? JOINED : NOT_KNOWN);
	if (!s->parts)
		return;
	ml_buf_varint(out, s->parts);
	for (size_t i = 0; i < s->parts; last = s->part[i++])
		ml_buf_zigzag(out, (int64_t)s->part[i] - last);
}

void ml_control_put(struct ml_control *c, size_t shapes, struct ml_buf *out)
{
	uint32_t next = (uint32_t)c->put;

	ml_buf_varint(out, c->count - c->put);
	for (; c->put < c->count; c->put++)
		put_superblock(&c->at[c->put], entry_before(c, c->put), out);
	for (; c->shapes_put < shapes; c->shapes_put++) {
		struct ml_control_shape s = ml_control_of(c, (uint32_t)c->shapes_put);

		put_shape(&s, &next, out);
	}
}

/* A superblock or the parts of a shape, as they are read. */
struct raw_control {
	struct ml_control_branch branch[ML_CONTROL_BRANCHES_MAX];
	uint32_t before[ML_SLOTS_MAX];
	uint32_t part[ML_EXITS_MAX + 1];
};

static const char *get_branch(struct ml_control_branch *b, uint64_t from,
			      const struct ml_control_branch *last, struct ml_bytes *in)
{
	unsigned bits = ml_bytes_u8(in);
	uint64_t instructions = last ? last->instructions : 0;
	uint64_t slots = last ? last->slots : 0;

	if ((bits & KIND) >= ML_CONTROL_KINDS || bits >= 2 * MORE ||
	    (bits & SAME && !last))
		return "a branch is malformed";
	b->at = last ? last->at : 0;
	b->length = last ? last->length : 0;
	if (!(bits & SAME)) {
		uint64_t bytes = ml_bytes_varint(in);

		if (bytes > ML_CONTROL_BYTES_MAX)
			return "a branch lies too far";
		b->at = from + bytes;
		b->length = ml_bytes_u8(in);
	}
	if (bits & MORE) {
		instructions += ml_bytes_varint(in);
		slots += ml_bytes_varint(in);
	}
	b->kind = bits & KIND;
	b->target = bits & TARGET ? b->at + b->length : 0;
	if (bits & FAR)
		b->target += (uint64_t)ml_bytes_zigzag(in);
	b->instructions = (uint32_t)instructions;
	b->slots = (uint16_t)slots;
	if (instructions > UINT32_MAX || slots > ML_SLOTS_MAX)
		return "it has too many slots or instructions";
	return NULL;
}

static const char *get_superblock(struct ml_control_superblock *s,
				  struct raw_control *raw, uint64_t from,
				  struct ml_bytes *in)
{
	const struct ml_control_branch *last = NULL;
	const char *flaw = NULL;
	uint64_t before = 0;

	*s = (struct ml_control_superblock){ .branch = raw->branch,
					     .before = raw->before };
	s->entry = from = from + (uint64_t)ml_bytes_zigzag(in);
	uint64_t slots = ml_bytes_varint(in), branches = ml_bytes_varint(in);
	if (slots > ML_SLOTS_MAX || !branches || branches > ML_CONTROL_BRANCHES_MAX)
		return "it has too many slots or branches, or no branch";
	s->slots = (uint16_t)slots;
	s->branches = (uint16_t)branches;
	for (size_t i = 0; i < branches && !flaw; i++) {
		flaw = get_branch(&raw->branch[i], from, last, in);
		last = &raw->branch[i];
		from = ml_control_behind(last);
	}
	if (!flaw && last->slots > slots)
		return "a branch lies behind the last slot";
	for (size_t i = 0; i < slots; i++) {
		before += ml_bytes_varint(in);
		raw->before[i] = (uint32_t)before;
		if (before > UINT32_MAX)
			return "a slot lies too far";
	}
	return in->bad ? "it ends early" : flaw;
}

/* A part runs one superblock. */
static bool is_part(const struct ml_control *c, const struct ml_shapes *shapes,
		    uint32_t shape, uint64_t path)
{
	return path < shapes->paths && shapes->path[path].shape < shape &&
	       ml_control_of_path(c, shapes, (uint32_t)path);
}

static const char *get_shape(struct ml_control *c, const struct ml_shapes *shapes,
			     uint32_t shape, uint32_t *next, struct raw_control *raw,
			     struct ml_bytes *in)
{
	uint64_t kind = ml_bytes_varint(in), path = 0;

	if (kind >= SUPERBLOCK) {
		uint64_t off = kind - SUPERBLOCK;
		uint64_t number = *next + (off >> 1 ^ -(off & 1));

		if (number >= c->count)
			return "its superblock does not exist";
		*next = (uint32_t)number + 1;
		ml_control_is(c, shape, (uint32_t)number);
		return NULL;
	}
	if (kind == NOT_KNOWN)
		return NULL;
	uint64_t parts = ml_bytes_varint(in);
	if (!parts || parts > ML_EXITS_MAX + 1)
		return "it has too many parts or none";
	for (size_t i = 0; i < parts; i++) {
		path += (uint64_t)ml_bytes_zigzag(in);
		if (!is_part(c, shapes, shape, path))
			return "a part does not exist";
		raw->part[i] = (uint32_t)path;
	}
	ml_control_joins(c, shapes, shape, raw->part, parts);
	return NULL;
}

bool ml_control_get(struct ml_control *c, const struct ml_shapes *shapes,
		    struct ml_bytes *in, struct ml_err *err)
{
	struct raw_control *raw = ml_resize(NULL, sizeof(*raw));
	uint32_t next = (uint32_t)c->count;
	const char *flaw = NULL;

	for (uint64_t left = ml_bytes_varint(in); left && !flaw; left--) {
		struct ml_control_superblock s;

		flaw = get_superblock(&s, raw, entry_before(c, c->count), in);
		if (!flaw)
			append(c, &s);
	}
	while (in->at < in->end && !flaw) {
		flaw = c->shapes_put < shapes->count
			       ? get_shape(c, shapes, (uint32_t)c->shapes_put, &next, raw,
					   in)
			       : "there is no such shape";
		c->shapes_put++;
	}
	ml_free(raw);
	if (flaw || in->bad)
		return ml_fail(err, ML_FORMAT, "code of superblock %zu, shape %zu: %s",
			       c->count, c->shapes_put, flaw ? flaw : "it ends early");
	return true;
}
