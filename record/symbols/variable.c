#include "record/symbols/variable.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "record/symbols/code.h"
#include "record/symbols/objects.h"
#include "record/symbols/types.h"

static size_t word(const char *p, char to[64])
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	size_t kept = n < 63 ? n : 63;
	memcpy(to, p, kept);
	to[kept] = 0;
	return n;
}

/* From a pointer, reference, array or standard container to its element. */
static bool follow(Dwarf_Die *type)
{
	static const char *const holders[] = { "vector<",      "unique_ptr<",
					       "shared_ptr<",  "deque<",
					       "valarray<",    "span<",
					       "basic_string<" };
	Dwarf_Die bare;
	const char *name;

	if (!ml_types_peel(type, &bare))
		return false;
	switch (dwarf_tag(&bare)) {
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return ml_types_of(&bare, type) && follow(type);
	case DW_TAG_pointer_type:
	case DW_TAG_array_type: return ml_types_of(&bare, type);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		name = dwarf_diename(&bare);
		for (size_t i = 0; name && i < sizeof(holders) / sizeof(*holders); i++)
			if (strncmp(name, holders[i], strlen(holders[i])) == 0)
				return ml_types_argument(&bare, type);
		return false;
	default: return false;
	}
}

static bool is_record(Dwarf_Die *type)
{
	Dwarf_Die bare;

	if (!ml_types_peel(type, &bare))
		return false;
	int tag = dwarf_tag(&bare);
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

/* From a type, or the type that it points to, to the type of a member. */
static bool enter(Dwarf_Die *type, const char *name)
{
	Dwarf_Die member, inner = *type;

	for (int i = 0; i < 8 && !ml_types_member(&inner, name, &member); i++)
		if (!follow(&inner))
			return false;
	return ml_types_member(&inner, name, &member) && ml_types_of(&member, type);
}

static bool start(struct ml_variable *v, Dwarf_Die *scopes, int count, const char *name)
{
	Dwarf_Die die;
	int at = dwarf_getscopevar(scopes, count, name, 0, NULL, 0, 0, &die);

	if (at >= 0) {
		int tag = dwarf_tag(&scopes[at]);

		v->local = tag != DW_TAG_compile_unit && tag != DW_TAG_namespace &&
			   tag != DW_TAG_module && !dwarf_hasattr(&die, DW_AT_external);
		return ml_types_of(&die, &v->type);
	}
	/* A bare name in a method may be a member of its class. */
	if (dwarf_getscopevar(scopes, count, "this", 0, NULL, 0, 0, &die) < 0)
		return false;
	v->local = false;
	return ml_types_of(&die, &v->type) && enter(&v->type, name);
}

static bool resolve(struct ml_variable *v, Dwarf_Die *scopes, int count,
		    const char *lvalue)
{
	char name[64];
	const char *p = lvalue;

	for (const char *q; (q = strstr(p, "::"));)
		p = q + 2;
	size_t n = word(p, name);
	if (!n || !start(v, scopes, count, name))
		return false;
	for (p += n; *p;) {
		if (*p == '[') {
			int depth = 0;

			do
				depth += *p == '[' ? 1 : *p == ']' ? -1 : 0;
			while (*p++ && depth && *p);
			if (!follow(&v->type))
				return false;
			v->local = false;
			continue;
		}
		if (*p == '%') /* Fortran's dot */
			p++;
		else if (*p == '.')
			p++;
		else if (strncmp(p, "->", 2) == 0)
			p += 2;
		else
			return false;
		n = word(p, name);
		if (!is_record(&v->type))
			v->local = false;
		if (!n || !enter(&v->type, name))
			return false;
		p += n;
	}
	return true;
}

/*
 * The scopes around an address, innermost first, each inside the next. At the first
 * inlined function dwarf_getscopes continues with the scopes of its declaration, so it
 * serves only to find the innermost scope.
 */
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **scopes)
{
	Dwarf_Die *declared = NULL;
	int count = dwarf_getscopes(unit, addr, &declared);

	if (count > 0) {
		Dwarf_Die innermost = declared[0];

		count = dwarf_getscopes_die(&innermost, scopes);
	}
	free(declared); /* libdw's malloc */
	return count;
}

bool ml_variable_find(struct ml_variable *v, struct ml_object *b, uint64_t vaddr,
		      const char *lvalue, int deref)
{
	Dwarf_Die unit, *scopes = NULL, bare;

	*v = (struct ml_variable){ 0 };
	if (!ml_code_unit(b, vaddr, &unit))
		return false;
	int count = scopes_at(&unit, vaddr - b->dwarf_bias, &scopes);
	bool found = count > 0 && resolve(v, scopes, count, lvalue);
	free(scopes); /* libdw's malloc */
	if (!found)
		return false;
	for (; deref > 0 && found; deref--) {
		found = follow(&v->type);
		v->local = false;
	}
	v->typed = found && follow(&v->type) && ml_types_peel(&v->type, &bare);
	return true;
}
