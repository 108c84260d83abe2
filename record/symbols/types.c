#include "record/symbols/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "record/symbols/code.h"
#include "record/symbols/demangle.h"

enum { DIMS_MAX = 16, FIELDS_MAX = 256, NESTING_MAX = 4, CHAIN_MAX = 64 };

bool ml_types_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) &&
	       dwarf_formref_die(&attr, type);
}

bool ml_types_peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	Dwarf_Die t = *type;

	for (int i = 0; i < CHAIN_MAX; i++) {
		switch (dwarf_tag(&t)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!ml_types_of(&t, &t))
				return false;
			break;
		default: *bare = t; return true;
		}
	}
	return false;
}

uint64_t ml_types_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static int language(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0;
}

static bool is_fortran(int lang)
{
	return lang == DW_LANG_Fortran77 || lang == DW_LANG_Fortran90 ||
	       lang == DW_LANG_Fortran95 || lang == DW_LANG_Fortran03 ||
	       lang == DW_LANG_Fortran08;
}

static bool is_c(int lang)
{
	return lang == DW_LANG_C89 || lang == DW_LANG_C || lang == DW_LANG_C99 ||
	       lang == DW_LANG_C11;
}

static bool is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static const char *name_of(Dwarf_Die *type, struct ml_arena *a, int depth)
{
	const char *name = dwarf_diename(type), *word = NULL, *inner = "void";
	int tag = dwarf_tag(type), size;
	Dwarf_Die t;

	switch (tag) {
	case DW_TAG_structure_type: word = "struct"; break;
	case DW_TAG_class_type: word = "class"; break;
	case DW_TAG_union_type: word = "union"; break;
	case DW_TAG_enumeration_type: word = "enum"; break;
	default: break;
	}
	if (word && !name)
		return word;
	if (word && is_c(language(type)))
		return ml_arena_printf(a, "%s %s", word, name);
	if (name) {
		char *tidy = ml_arena_strdup(a, name);

		ml_demangle_tidy(tidy);
		return tidy;
	}
	if (depth < CHAIN_MAX && ml_types_of(type, &t))
		inner = name_of(&t, a, depth + 1);
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_ptr_to_member_type:
		return ml_arena_printf(a, "%s%s*", inner,
				       inner[strlen(inner) - 1] == '*' ? "" : " ");
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return ml_arena_printf(a, "%s &", inner);
	case DW_TAG_const_type:
		return depth ? ml_arena_printf(a, "const %s", inner) : inner;
	case DW_TAG_array_type: return ml_arena_printf(a, "%s[]", inner);
	case DW_TAG_subroutine_type: return "function";
	case DW_TAG_string_type: /* of Fortran */
		size = dwarf_bytesize(type);
		return size > 0 ? ml_arena_printf(a, "character(len=%d)", size)
				: "character(len=*)";
	default: return inner;
	}
}

static bool constant(Dwarf_Die *die, unsigned attribute, int64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	Dwarf_Sword signed_word;

	if (!dwarf_attr_integrate(die, attribute, &attr))
		return false;
	if (dwarf_whatform(&attr) == DW_FORM_sdata &&
	    !dwarf_formsdata(&attr, &signed_word)) {
		*value = signed_word;
		return true;
	}
	if (dwarf_formudata(&attr, &word))
		return false;
	*value = (int64_t)word;
	return true;
}

struct dims {
	uint64_t dim[DIMS_MAX];
	int64_t low[DIMS_MAX]; /* lower bounds */
	size_t count;
	bool column_major; /* of Fortran */
};

/* Elements of a dimension, 0 if unknown, and its lower bound. */
static uint64_t extent(Dwarf_Die *range, bool fortran, int64_t *from)
{
	int64_t count, low = fortran ? 1 : 0, high;
	Dwarf_Die type;

	*from = low;

	if (dwarf_tag(range) == DW_TAG_enumeration_type)
		return 0;
	if (constant(range, DW_AT_count, &count))
		return count > 0 ? (uint64_t)count : 0;
	constant(range, DW_AT_lower_bound, &low);
	*from = low;
	if (!constant(range, DW_AT_upper_bound, &high))
		return 0;
	/* "int a[0]" has the upper bound -1, whose width depends on the compiler. */
	if (ml_types_of(range, &type) && ml_types_size(&type) == 4) {
		high = (int32_t)high;
		*from = low = (int32_t)low;
	}
	return high >= low ? (uint64_t)(high - low) + 1 : 0;
}

/* An array that lives elsewhere: the variable is a descriptor with its address. */
static bool is_descriptor(Dwarf_Die *array)
{
	return dwarf_hasattr(array, DW_AT_data_location);
}

/* The array inside std::array, its only member. */
static bool inner_array(Dwarf_Die *type, Dwarf_Die *array)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die member;

	if (!is_record(dwarf_tag(type)) || !name || strncmp(name, "array<", 6) != 0)
		return false;
	return (ml_types_member(type, "_M_elems", &member) ||
		ml_types_member(type, "__elems_", &member)) &&
	       ml_types_of(&member, array);
}

/* Reverses dim[from], ... dim[to - 1] and the lower bounds. */
static void reverse(struct dims *d, size_t from, size_t to)
{
	for (; from + 1 < to; from++, to--) {
		uint64_t dim = d->dim[from];
		int64_t low = d->low[from];

		d->dim[from] = d->dim[to - 1];
		d->low[from] = d->low[to - 1];
		d->dim[to - 1] = dim;
		d->low[to - 1] = low;
	}
}

static void read_dims(Dwarf_Die *array, struct dims *d)
{
	bool fortran = is_fortran(language(array));
	size_t have = d->count;
	Dwarf_Die die;

	if (dwarf_child(array, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_subrange_type && d->count < DIMS_MAX) {
			d->dim[d->count] = extent(&die, fortran, &d->low[d->count]);
			d->count++;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	d->column_major |= fortran;
	if (fortran)
		reverse(d, have, d->count);
}

static void set_dims(struct ml_region *r, struct dims *d, uint64_t size)
{
	uint64_t inner = r->elem, *dim = d->dim;
	size_t count = d->count;

	for (size_t i = 1; i < count; i++)
		if (!dim[i] || __builtin_mul_overflow(inner, dim[i], &inner))
			return;
	if (count && !dim[0] && inner)
		dim[0] = size / inner;
	if (!count || !dim[0])
		return;
	/* More dimensions than a region can have: the slowest ones are merged. */
	while (count > ML_DIMS) {
		dim[1] *= dim[0];
		memmove(dim, dim + 1, --count * sizeof(*dim));
		memmove(d->low, d->low + 1, count * sizeof(*d->low));
	}
	r->dims = (uint32_t)count;
	memcpy(r->dim, dim, count * sizeof(*dim));
	r->column_major = d->column_major;
	if (d->column_major)
		memcpy(r->low, d->low, count * sizeof(*d->low));
}

struct fields {
	struct ml_tables *tables;
	struct ml_arena arena;
	struct ml_field field[FIELDS_MAX];
	uint32_t count;
};

/* "i|f" for union { int i; float f; }. */
static const char *union_name(Dwarf_Die *type, struct ml_arena *a)
{
	const char *name = NULL;
	Dwarf_Die die;

	if (!dwarf_child(type, &die))
		do {
			const char *member = dwarf_diename(&die);

			if (dwarf_tag(&die) == DW_TAG_member && member)
				name = name ? ml_arena_printf(a, "%s|%s", name, member)
					    : member;
		} while ((!name || strlen(name) < 40) &&
			 dwarf_siblingof(&die, &die) == 0);
	return name ? name : "union";
}

/* std::string and similar types are one value to their user, without fields. */
static bool is_opaque(Dwarf_Die *type)
{
	Dwarf_Die die, base;

	if (dwarf_child(type, &die))
		return true;
	do {
		const char *name = dwarf_diename(&die);
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inheritance && ml_types_of(&die, &base))
			name = dwarf_diename(&base);
		else if (tag != DW_TAG_member)
			continue;
		return name && name[0] == '_' && strncmp(name, "_vptr", 5) != 0;
	} while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

static void add_fields(struct fields *f, Dwarf_Die *record, const char *prefix,
		       uint64_t base, int depth);

static void add_field(struct fields *f, Dwarf_Die *die, const char *prefix, uint64_t base,
		      int depth)
{
	int64_t at = 0, bits = 0, bit_at = 0;
	const char *name = dwarf_diename(die);
	Dwarf_Die type, bare;

	/* Static members are declared here and live elsewhere. */
	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration) ||
	    !ml_types_of(die, &type) || !ml_types_peel(&type, &bare))
		return;
	bool placed = constant(die, DW_AT_data_member_location, &at);
	bool narrow = constant(die, DW_AT_bit_size, &bits) && bits > 0;
	if (narrow && !placed && constant(die, DW_AT_data_bit_offset, &bit_at)) {
		at = bit_at / 8;
		bits += bit_at % 8;
	}
	uint64_t offset = base + (uint64_t)at;
	int tag = dwarf_tag(&bare);
	const char *full = ml_arena_printf(&f->arena, "%s%s", prefix, name ? name : "");
	if (is_record(tag) && depth < NESTING_MAX && (!name || !is_opaque(&bare))) {
		add_fields(f, &bare,
			   name ? ml_arena_printf(&f->arena, "%s.", full) : prefix,
			   offset, depth + 1);
		return;
	}
	if (!name)
		full = ml_arena_printf(&f->arena, "%s%s", prefix,
				       union_name(&bare, &f->arena));
	f->field[f->count++] = (struct ml_field){
		ml_tables_name(f->tables, full),
		ml_tables_name(f->tables, name_of(&type, &f->arena, 0)),
		offset,
		narrow ? ((uint64_t)bits + 7) / 8 : ml_types_size(&type),
	};
}

static void add_fields(struct fields *f, Dwarf_Die *record, const char *prefix,
		       uint64_t base, int depth)
{
	Dwarf_Die die, type, bare;
	int64_t at;

	if (depth > NESTING_MAX || dwarf_child(record, &die))
		return;
	do {
		if (f->count == FIELDS_MAX)
			return;
		if (dwarf_tag(&die) == DW_TAG_member)
			add_field(f, &die, prefix, base, depth);
		else if (dwarf_tag(&die) == DW_TAG_inheritance &&
			 constant(&die, DW_AT_data_member_location, &at) &&
			 ml_types_of(&die, &type) && ml_types_peel(&type, &bare))
			add_fields(f, &bare, prefix, base + (uint64_t)at, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int by_offset(const void *a, const void *b)
{
	const struct ml_field *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* Many variables have the same struct: its fields are in the tables once. */
static void set_fields(struct ml_objects *o, struct ml_object *b, Dwarf_Die *record,
		       struct ml_region *r)
{
	bool is_new;
	uint64_t *known = ml_map_add(&b->types, (uint64_t)(uintptr_t)record->addr,
				     &is_new);

	if (is_new) {
		struct fields f = { .tables = o->tables };

		add_fields(&f, record, "", 0, 0);
		qsort(f.field, f.count, sizeof(*f.field), by_offset);
		*known = (uint64_t)o->tables->fields.count << 16 | f.count;
		for (uint32_t i = 0; i < f.count; i++)
			*ML_ADD(o->tables->fields) = f.field[i];
		ml_arena_release(&f.arena);
	}
	r->fields = (uint32_t)(*known & 0xffff);
	r->field = r->fields ? (uint32_t)(*known >> 16) : 0;
}

bool ml_types_is_record(Dwarf_Die *type)
{
	Dwarf_Die bare;

	return ml_types_peel(type, &bare) && is_record(dwarf_tag(&bare));
}

void ml_types_shape(struct ml_objects *o, struct ml_object *b, Dwarf_Die *type,
		    uint64_t size, struct ml_region *r)
{
	Dwarf_Die t = *type, bare, array;
	struct dims d = { 0 };

	for (int i = 0; i < CHAIN_MAX && ml_types_peel(&t, &bare); i++) {
		if (inner_array(&bare, &array)) {
			t = array;
			continue;
		}
		if (dwarf_tag(&bare) != DW_TAG_array_type || is_descriptor(&bare))
			break;
		read_dims(&bare, &d);
		if (!ml_types_of(&bare, &t))
			return;
	}
	struct ml_arena a = { 0 };
	r->type = ml_tables_name(o->tables, name_of(&t, &a, 0));
	ml_arena_release(&a);
	r->elem = ml_types_size(&t);
	set_dims(r, &d, size);
	if (ml_types_peel(&t, &bare) && is_record(dwarf_tag(&bare)) && !is_opaque(&bare))
		set_fields(o, b, &bare, r);
}

static bool find_member(Dwarf_Die *type, const char *name, Dwarf_Die *member, int depth)
{
	Dwarf_Die bare, die, inner;

	if (depth > NESTING_MAX || !ml_types_peel(type, &bare) ||
	    dwarf_child(&bare, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *own = dwarf_diename(&die);

		if (tag == DW_TAG_member && own && strcmp(own, name) == 0) {
			*member = die;
			return true;
		}
		/* Members of bases and of nameless structs and unions count as own
		 * members. */
		if ((tag == DW_TAG_inheritance || (tag == DW_TAG_member && !own)) &&
		    ml_types_of(&die, &inner) &&
		    find_member(&inner, name, member, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool ml_types_member(Dwarf_Die *type, const char *name, Dwarf_Die *member)
{
	return find_member(type, name, member, 0);
}

bool ml_types_argument(Dwarf_Die *type, Dwarf_Die *argument)
{
	Dwarf_Die bare, die;

	if (!ml_types_peel(type, &bare) || dwarf_child(&bare, &die))
		return false;
	do
		if (dwarf_tag(&die) == DW_TAG_template_type_parameter)
			return ml_types_of(&die, argument);
	while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool find_named(Dwarf_Die *unit, const char *name, bool tagged, Dwarf_Die *type)
{
	Dwarf_Die bare;

	if (dwarf_child(unit, type))
		return false;
	do {
		int tag = dwarf_tag(type);
		const char *own = dwarf_diename(type);

		if ((is_record(tag) || tag == DW_TAG_union_type ||
		     (tag == DW_TAG_typedef && !tagged)) &&
		    own && !strcmp(own, name) && ml_types_peel(type, &bare) &&
		    (is_record(dwarf_tag(&bare)) ||
		     dwarf_tag(&bare) == DW_TAG_union_type) &&
		    ml_types_size(&bare))
			return true;
	} while (dwarf_siblingof(type, type) == 0);
	return false;
}

bool ml_types_named(struct ml_object *b, uint64_t vaddr, const char *name,
		    Dwarf_Die *type)
{
	Dwarf *dwarf = ml_object_dwarf(b);
	Dwarf_Die unit, split;
	Dwarf_CU *cu = NULL;
	const char *tag = strchr(name, ' ');
	uint8_t kind;

	for (const char *p; (p = strstr(name, "::"));)
		name = p + 2;
	if (!strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6))
		name = tag + 1;
	if (!dwarf || !*name)
		return false;
	if (ml_code_unit(b, vaddr, &unit) && find_named(&unit, name, tag, type))
		return true;
	/* A name is sought once in all units, which may be thousands. */
	bool is_new;
	uint64_t *known = ml_map_add(&b->named, ml_hash(name, strlen(name)) ^ !tag,
				     &is_new);
	while (is_new && !*known &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &unit, &split) == 0)
		if (find_named(kind == DW_UT_skeleton && split.addr ? &split : &unit,
			       name, tag, type)) {
			Dwarf_Die *kept = ml_arena_alloc(&b->arena, sizeof(*kept));

			*kept = *type;
			*known = (uint64_t)(uintptr_t)kept;
		}
	if (*known)
		*type = *(const Dwarf_Die *)(uintptr_t)*known;
	return *known;
}
