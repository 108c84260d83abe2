#include "record/symbols/member_arrays.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "record/symbols/types.h"

enum { NESTING_MAX = 4 };

struct finding {
	struct ml_member_array *found;
	size_t count;
};

static uint64_t offset_of(Dwarf_Die *member)
{
	Dwarf_Attribute attr;
	Dwarf_Word at;

	return dwarf_attr(member, DW_AT_data_member_location, &attr) &&
			       !dwarf_formudata(&attr, &at)
		       ? at
		       : 0;
}

static void find_in(struct finding *f, Dwarf_Die *record, const char *prefix,
		    uint64_t base, int depth);

/* Of a union: the largest member that is a structure. */
static void find_in_union(struct finding *f, Dwarf_Die *type, const char *prefix,
			  uint64_t base, int depth)
{
	Dwarf_Die die, of, bare, best;
	uint64_t max = 0;

	if (dwarf_child(type, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_member && ml_types_of(&die, &of) &&
		    ml_types_peel(&of, &bare) &&
		    dwarf_tag(&bare) == DW_TAG_structure_type &&
		    ml_types_size(&bare) > max) {
			max = ml_types_size(&bare);
			best = bare;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	if (max)
		find_in(f, &best, prefix, base, depth + 1);
}

static void look_at(struct finding *f, Dwarf_Die *member, const char *prefix,
		    uint64_t base, int depth)
{
	const char *name = dwarf_diename(member);
	uint64_t at = base + offset_of(member);
	Dwarf_Die type, bare;
	char full[64];

	if (dwarf_hasattr(member, DW_AT_external) ||
	    dwarf_hasattr(member, DW_AT_declaration) || !ml_types_of(member, &type) ||
	    !ml_types_peel(&type, &bare) || f->count == ML_MEMBER_ARRAYS_MAX)
		return;
	uint64_t size = ml_types_size(&type);
	int tag = dwarf_tag(&bare), n;

	if (size < ML_MEMBER_ARRAY_SIZE)
		return;
	if (tag == DW_TAG_union_type || (!name && tag == DW_TAG_structure_type)) {
		find_in(f, &bare, prefix, at, depth + 1);
		return;
	}
	n = snprintf(full, sizeof(full), "%s%s", prefix, name ? name : "");
	if (n <= 0 || (size_t)n + 1 >= sizeof(full))
		return;
	if (tag == DW_TAG_array_type) {
		struct ml_member_array *a = &f->found[f->count++];

		*a = (struct ml_member_array){ .offset = at, .size = size, .type = type };
		memcpy(a->name, full, (size_t)n + 1);
	} else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
		full[n] = '.';
		full[n + 1] = 0;
		find_in(f, &bare, full, at, depth + 1);
	}
}

static void find_in(struct finding *f, Dwarf_Die *record, const char *prefix,
		    uint64_t base, int depth)
{
	Dwarf_Die die, type, bare;

	if (depth > NESTING_MAX)
		return;
	if (dwarf_tag(record) == DW_TAG_union_type) {
		find_in_union(f, record, prefix, base, depth);
		return;
	}
	if (dwarf_child(record, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_member)
			look_at(f, &die, prefix, base, depth);
		else if (dwarf_tag(&die) == DW_TAG_inheritance &&
			 ml_types_of(&die, &type) && ml_types_peel(&type, &bare))
			find_in(f, &bare, prefix, base + offset_of(&die), depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

size_t ml_member_arrays_find(Dwarf_Die *type,
			     struct ml_member_array found[ML_MEMBER_ARRAYS_MAX])
{
	struct finding f = { .found = found };
	Dwarf_Die bare;

	if (!ml_types_peel(type, &bare))
		return 0;
	int tag = dwarf_tag(&bare);
	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
	    tag != DW_TAG_union_type)
		return 0;
	find_in(&f, &bare, "", 0, 0);
	/* insertion: a base may stand behind the members of its heirs */
	for (size_t i = 1; i < f.count; i++)
		for (size_t k = i; k && found[k].offset < found[k - 1].offset; k--) {
			struct ml_member_array swap = found[k];

			found[k] = found[k - 1];
			found[k - 1] = swap;
		}
	return f.count;
}

/* The members of [from, to) that are no large arrays, as a structure of their own. */
static void rest(struct ml_tables *t, struct ml_region *r, uint64_t from, uint64_t to)
{
	uint32_t first = r->field, count = r->fields;

	r->field = (uint32_t)t->fields.count;
	r->fields = 0;
	for (uint32_t i = first; i < first + count; i++) {
		struct ml_field f = t->fields.at[i];

		if (f.offset < from || f.offset >= to)
			continue;
		f.offset -= from;
		*ML_ADD(t->fields) = f;
		r->fields++;
	}
	r->field = r->fields ? r->field : 0;
	r->elem = to - from;
	r->dims = 0;
}

static void add_part(struct ml_region_parts *p, struct ml_tables *t, uint64_t to,
		     const struct ml_region *r)
{
	uint64_t from = p->count ? p->at[p->count - 1].offset + p->at[p->count - 1].size
				 : 0;

	*ML_ADD(t->regions) = *r;
	p->at[p->count++] = (struct ml_region_part){ from, to - from,
						     (uint32_t)t->regions.count - 1 };
}

/* The region that was there takes the place of a part: it would be left without blocks.
 */
static void reuse(struct ml_region_parts *p, struct ml_tables *t, uint32_t region)
{
	size_t last = p->count - 1;

	t->regions.at[region] = t->regions.at[p->at[last].region];
	p->at[last].region = region;
	t->regions.count--;
}

void ml_member_arrays_divide(struct ml_region_parts *parts, struct ml_objects *o,
			     struct ml_object *b, Dwarf_Die *type, uint32_t region,
			     uint64_t size)
{
	struct ml_member_array found[ML_MEMBER_ARRAYS_MAX];
	struct ml_tables *t = o->tables;
	struct ml_region whole = t->regions.at[region];
	size_t count = ml_member_arrays_find(type, found);
	uint64_t at = 0, own = ml_types_size(type);
	struct ml_arena a = { 0 };

	*parts = (struct ml_region_parts){ .size = size };
	if (!count || size < own || size - own >= ML_MEMBER_ARRAY_SIZE)
		return;
	for (size_t i = 0; i <= count; i++) {
		struct ml_region r = whole;
		uint64_t next = i < count ? found[i].offset : size;

		if (next < at || next > size ||
		    (i < count && found[i].size > size - next))
			break;
		if (next > at) {
			rest(t, &r, at, next);
			add_part(parts, t, next, &r);
		}
		if (i == count)
			break;
		at = next + found[i].size;
		r = whole;
		r.field = r.fields = 0;
		r.name = ml_tables_name(t, ml_arena_printf(&a, "%s->%s",
							   ml_tables_text(t, whole.name),
							   found[i].name));
		ml_types_shape(o, b, &found[i].type, found[i].size, &r);
		add_part(parts, t, at, &r);
	}
	ml_arena_release(&a);
	if (parts->count)
		reuse(parts, t, region);
}
