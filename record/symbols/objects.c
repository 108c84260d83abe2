#include "record/symbols/objects.h"

#include <string.h>

#include "lib/base/search.h"
#include "record/symbols/code.h"

void ml_objects_init(struct ml_objects *o, struct ml_tables *tables)
{
	*o = (struct ml_objects){ .tables = tables };
}

void ml_objects_release(struct ml_objects *o)
{
	for (size_t i = 0; i < o->objects; i++) {
		ml_code_release(o->object[i]);
		ml_object_release(o->object[i]);
	}
	for (size_t i = 0; i < o->images; i++)
		ml_map_release(&o->image[i]->sites);
	ml_free(o->object);
	ml_free(o->latest);
	ml_free(o->image);
	ml_free(o->range);
	ml_map_release(&o->outside);
	ml_map_release(&o->called);
	ml_map_release(&o->plain);
	ml_macros_release(&o->macros);
	ml_map_release(&o->order);
	ml_map_release(&o->accessors.known);
	ml_map_release(&o->accessors.calls);
	ml_map_release(&o->accessors.units);
	ml_map_release(&o->image_of);
	ml_names_release(&o->paths);
	ml_sources_release(&o->sources);
	ml_arena_release(&o->arena);
	*o = (struct ml_objects){ 0 };
}

/* The first range that ends above addr. */
static size_t range_at(const struct ml_objects *o, uint64_t addr)
{
	return ml_search_above(o->range, o->ranges, sizeof(*o->range),
			       offsetof(struct ml_range, high), addr);
}

static void insert(struct ml_objects *o, size_t i, struct ml_range r)
{
	o->range = ml_grow(o->range, &o->range_cap, o->ranges + 1, sizeof(*o->range));
	memmove(&o->range[i + 1], &o->range[i], (o->ranges - i) * sizeof(*o->range));
	o->range[i] = r;
	o->ranges++;
}

void ml_objects_unmap(struct ml_objects *o, uint64_t low, uint64_t high)
{
	if (low >= high)
		return;
	size_t i = range_at(o, low);
	if (i < o->ranges && o->range[i].low < low) {
		struct ml_range rest = o->range[i];

		o->range[i].high = low;
		i++;
		if (rest.high > high) {
			rest.offset += high - rest.low;
			rest.low = high;
			insert(o, i, rest);
			return;
		}
	}
	size_t end = i;
	while (end < o->ranges && o->range[end].high <= high)
		end++;
	if (end < o->ranges && o->range[end].low < high) {
		o->range[end].offset += high - o->range[end].low;
		o->range[end].low = high;
	}
	if (end < o->ranges)
		memmove(&o->range[i], &o->range[end],
			(o->ranges - end) * sizeof(*o->range));
	o->ranges -= end - i;
}

static struct ml_object *object_of(struct ml_objects *o, const char *path)
{
	uint32_t n = ml_names_add(&o->paths, path);

	o->latest = ml_grow(o->latest, &o->latest_cap, (size_t)n + 1, sizeof(*o->latest));
	if (o->latest[n] && !ml_object_is_stale(o->latest[n]))
		return o->latest[n];

	struct ml_object *b = ml_arena_alloc(&o->arena, sizeof(*b));
	ml_object_init(b, ml_arena_strdup(&o->arena, path));
	o->object = ml_grow(o->object, &o->object_cap, o->objects + 1,
			    sizeof(*o->object));
	o->object[o->objects++] = b;
	return o->latest[n] = b;
}

static struct ml_image *image_of(struct ml_objects *o, struct ml_object *b,
				 uint64_t start)
{
	/* A 64-bit hash identifies the pair: programs may map files a million times. */
	uint64_t pair[2] = { (uint64_t)(uintptr_t)b, start };
	bool is_new;
	uint64_t *index = ml_map_add(&o->image_of, ml_hash(pair, sizeof(pair)), &is_new);

	if (!is_new)
		return o->image[*index];
	struct ml_image *m = ml_arena_alloc(&o->arena, sizeof(*m));
	m->object = b;
	m->start = start;
	*index = o->images;
	o->image = ml_grow(o->image, &o->image_cap, o->images + 1, sizeof(*o->image));
	return o->image[o->images++] = m;
}

void ml_objects_map(struct ml_objects *o, uint64_t low, uint64_t high, uint64_t offset,
		    uint8_t prot, enum ml_mapping_kind kind, const char *path)
{
	bool has_path = path && *path;

	ml_objects_unmap(o, low, high);
	/* Executable memory that the kernel itself maps is the vdso, named or not. */
	if (kind == ML_MAPPING_OTHER && !has_path && prot & 4)
		path = "[vdso]";
	else if (!has_path || (kind != ML_MAPPING_FILE && kind != ML_MAPPING_OTHER))
		return;
	if (low >= high)
		return;
	struct ml_object *b = object_of(o, path);
	struct ml_image *m = image_of(o, b, low - offset);
	if (prot & 4) {
		m->code = true;
		if (!o->program && kind == ML_MAPPING_FILE && !b->foreign) {
			o->program = b;
			b->user = true;
		}
	}
	insert(o, range_at(o, low), (struct ml_range){ low, high, offset, m, prot });
}

const struct ml_range *ml_objects_find(struct ml_objects *o, uint64_t addr)
{
	size_t i = o->last;

	if (i >= o->ranges || addr < o->range[i].low || addr >= o->range[i].high)
		i = range_at(o, addr);
	if (i >= o->ranges || addr < o->range[i].low)
		return NULL;
	o->last = i;
	return &o->range[i];
}

/*
 * Neighbouring segments may share a page of the file, so an offset may lie in
 * two of them; the segment with the protection of the range is the right one.
 */
bool ml_objects_vaddr(const struct ml_range *r, uint64_t addr, uint64_t *vaddr)
{
	struct ml_object *b = r->image->object;
	uint64_t offset = addr - r->low + r->offset;
	const struct ml_segment *best = NULL;
	int score = -1;

	if (!ml_object_open(b))
		return false;
	for (size_t i = 0; i < b->segments; i++) {
		const struct ml_segment *s = &b->segment[i];
		/* Pages are mapped whole, with the bytes before a segment in its page. */
		uint64_t first = s->offset & ~(uint64_t)4095;
		uint64_t end = (s->offset + s->filesz + 4095) & ~(uint64_t)4095;

		if (offset < first || offset >= end)
			continue;
		bool inside = offset >= s->offset && offset - s->offset < s->filesz;
		bool alike = (s->prot & 4) == (r->prot & 4);
		if (inside + 2 * alike > score) {
			score = inside + 2 * alike;
			best = s;
		}
	}
	if (!best)
		return false;
	*vaddr = offset - best->offset + best->vaddr;
	return true;
}
