#include "record/symbols/variable.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "record/symbols/code.h"
#include "record/symbols/objects.h"
#include "record/symbols/types.h"

enum { NESTING_MAX = 256 };

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

static bool is_pointer(Dwarf_Die *type)
{
	Dwarf_Die bare;

	return ml_types_peel(type, &bare) && dwarf_tag(&bare) == DW_TAG_pointer_type;
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

static size_t holders(Dwarf_Die *type, int depth);

/* Is it a pointer, or a structure that has one? */
static bool can_hold(Dwarf_Die *type, int depth)
{
	return is_pointer(type) || (is_record(type) && holders(type, depth + 1));
}

/* How many members of a structure and of its bases can hold memory. */
static size_t holders(Dwarf_Die *type, int depth)
{
	Dwarf_Die bare, die, of;
	size_t count = 0;

	if (depth > 4 || !ml_types_peel(type, &bare) || dwarf_child(&bare, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_member && !dwarf_hasattr(&die, DW_AT_external) &&
		    ml_types_of(&die, &of))
			count += can_hold(&of, depth);
		if (tag == DW_TAG_inheritance && ml_types_of(&die, &of))
			count += holders(&of, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
	return count;
}

/* Scopes around an address that belong to one frame, from the innermost block to the
 * function, and those around the function's declaration. */
struct scopes {
	Dwarf_Die *all, *outer; /* libdw's malloc */
	Dwarf_Die *own;
	int owns, outers;
};

/* A variable of the function. Compilers drop variables that they optimised away from the
 * inlined copy, but not from its origin, outer[0]. */
static bool find_local(const struct scopes *s, const char *name, Dwarf_Die *die)
{
	return dwarf_getscopevar(s->own, s->owns, name, 0, NULL, 0, 0, die) >= 0 ||
	       (s->outers &&
		dwarf_getscopevar(s->outer, 1, name, 0, NULL, 0, 0, die) >= 0);
}

static bool imported(Dwarf_Die *die, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, DW_AT_import, &attr) && dwarf_formref_die(&attr, to);
}

static bool is_called(Dwarf_Die *die, const char *name)
{
	const char *own = dwarf_diename(die);

	return own && strcmp(own, name) == 0;
}

/* A variable of a module of Fortran that a scope uses: "use m", "use m, only: x". */
static bool find_used(Dwarf_Die *scope, const char *name, Dwarf_Die *found)
{
	Dwarf_Die die, module;

	if (dwarf_child(scope, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_imported_declaration && imported(&die, found) &&
		    is_called(dwarf_diename(&die) ? &die : found, name))
			return true;
		if (tag != DW_TAG_imported_module || !imported(&die, &module) ||
		    dwarf_child(&module, found))
			continue;
		do
			if (dwarf_tag(found) == DW_TAG_variable && is_called(found, name))
				return true;
		while (dwarf_siblingof(found, found) == 0);
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool start(struct ml_variable *v, const struct scopes *s, const char *name)
{
	Dwarf_Die die;
	int line;

	if (find_local(s, name, &die)) {
		v->local = v->of_function = !dwarf_hasattr(&die, DW_AT_external);
		v->parameter = dwarf_tag(&die) == DW_TAG_formal_parameter;
		if (!dwarf_decl_line(&die, &line) && line > 0)
			v->line = (uint32_t)line;
		return ml_types_of(&die, &v->type);
	}
	/* A bare name in a method may be a member of its class. */
	Dwarf_Die owner;
	if (find_local(s, "this", &die) && ml_types_of(&die, &v->type)) {
		owner = v->type;
		if (enter(&v->type, name)) {
			v->member = true;
			v->alone = follow(&owner) && holders(&owner, 0) == 1;
			return true;
		}
	}
	bool found = dwarf_getscopevar(s->outer, s->outers, name, 0, NULL, 0, 0, &die) >=
		     0;
	for (int i = 0; !found && i < s->outers; i++)
		found = find_used(&s->outer[i], name, &die);
	return found && ml_types_of(&die, &v->type);
}

static bool resolve(struct ml_variable *v, const struct scopes *scopes,
		    const char *lvalue)
{
	char name[64];
	const char *p = lvalue;

	for (const char *q; (q = strstr(p, "::"));)
		p = q + 2;
	size_t n = word(p, name);
	if (!n || !start(v, scopes, name))
		return false;
	for (p += n; *p;) {
		if (*p == '[' || *p == '(') { /* Fortran's indices are in round ones */
			int depth = 0;

			do
				depth += strchr("[(", *p) ? 1 : strchr("])", *p) ? -1 : 0;
			while (*++p && depth);
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

/* From a function or block to the block or inlined call in it that holds an address. */
static bool descend(Dwarf_Die *scope, Dwarf_Addr addr)
{
	Dwarf_Die die;

	if (dwarf_child(scope, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(&die, addr) > 0) {
			*scope = die;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/*
 * The scopes around an address, innermost first, each inside the next. dwarf_getscopes
 * does not serve: it does not enter modules of Fortran, which have no addresses, and at
 * the first inlined function it continues with the scopes of its declaration.
 */
static int scopes_at(struct ml_object *b, uint64_t vaddr, Dwarf_Die **scopes)
{
	Dwarf_Die scope;

	if (!ml_code_function(b, vaddr, &scope))
		return 0;
	for (int i = 0; i < NESTING_MAX && descend(&scope, vaddr - b->dwarf_bias);)
		i++;
	return dwarf_getscopes_die(&scope, scopes);
}

/* The scopes around the declaration of a function: classes, namespaces, the unit. */
static int scopes_around(Dwarf_Die *func, Dwarf_Die **scopes)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin = *func;

	if (dwarf_attr(func, DW_AT_abstract_origin, &attr) &&
	    !dwarf_formref_die(&attr, &origin))
		return 0;
	return dwarf_getscopes_die(&origin, scopes);
}

static bool is_function(Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);

	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

static bool open_scopes(struct scopes *s, struct ml_object *b, uint64_t vaddr,
			uint32_t frame)
{
	int first = 0, last;

	*s = (struct scopes){ 0 };
	int count = scopes_at(b, vaddr, &s->all);
	for (last = 0; last < count; last++)
		if (is_function(&s->all[last])) {
			if (!frame--)
				break;
			first = last + 1;
		}
	if (last >= count)
		return false;
	s->own = s->all + first;
	s->owns = last - first + 1;
	s->outers = scopes_around(&s->all[last], &s->outer);
	return true;
}

static void close_scopes(struct scopes *s)
{
	free(s->all);   /* libdw's malloc */
	free(s->outer); /* libdw's malloc */
}

static bool find(struct ml_variable *v, const struct scopes *s, const char *lvalue,
		 int deref)
{
	int line = 0;
	Dwarf_Die bare;
	bool found = resolve(v, s, lvalue);

	if (!dwarf_decl_line(&s->own[s->owns - 1], &line) && line > 0)
		v->function_line = (uint32_t)line;
	if (!found)
		return false;
	for (; deref > 0 && found; deref--) {
		found = follow(&v->type);
		v->local = false;
	}
	Dwarf_Die inner = v->type;
	v->holds = found && (is_pointer(&v->type) || follow(&inner));
	v->pointer = found && is_pointer(&v->type);
	v->number = found && ml_types_peel(&v->type, &bare) &&
		    (dwarf_tag(&bare) == DW_TAG_base_type ||
		     dwarf_tag(&bare) == DW_TAG_enumeration_type);
	v->typed = found && follow(&v->type) && ml_types_peel(&v->type, &bare);
	return true;
}

bool ml_variable_find(struct ml_variable *v, struct ml_object *b, uint64_t vaddr,
		      uint32_t frame, const char *lvalue, int deref)
{
	struct scopes s;

	*v = (struct ml_variable){ 0 };
	bool found = open_scopes(&s, b, vaddr, frame) && find(v, &s, lvalue, deref);
	close_scopes(&s);
	return found;
}

static bool is_declared(Dwarf_Die *die, uint32_t line)
{
	Dwarf_Die type;
	int at = 0;

	return dwarf_tag(die) == DW_TAG_variable && !dwarf_decl_line(die, &at) &&
	       at == (int)line && dwarf_diename(die) && ml_types_of(die, &type) &&
	       follow(&type);
}

const char *ml_variable_declared(struct ml_object *b, uint64_t vaddr, uint32_t frame,
				 uint32_t line)
{
	struct scopes s;
	const char *name = NULL;
	bool several = false;

	if (open_scopes(&s, b, vaddr, frame))
		for (int i = 0; i < s.owns; i++) {
			Dwarf_Die die;

			if (dwarf_child(&s.own[i], &die))
				continue;
			do
				if (is_declared(&die, line)) {
					several |= name != NULL;
					name = dwarf_diename(&die);
				}
			while (dwarf_siblingof(&die, &die) == 0);
		}
	close_scopes(&s);
	return several ? NULL : name;
}

static bool is_of_class(Dwarf_Die *die, const char *class, size_t size)
{
	Dwarf_Die type, bare;
	const char *name = NULL;

	if (ml_types_of(die, &type) && ml_types_peel(&type, &bare) && is_record(&bare))
		name = dwarf_diename(&bare);
	return name && strlen(name) == size && !strncmp(name, class, size);
}

const char *ml_variable_member(struct ml_object *b, uint64_t vaddr, uint32_t frame,
			       const char *class, size_t class_size, size_t *count)
{
	struct scopes s;
	Dwarf_Die die, type, bare;
	const char *name = NULL;

	*count = 0;
	if (open_scopes(&s, b, vaddr, frame) && find_local(&s, "this", &die) &&
	    ml_types_of(&die, &type) && follow(&type) && ml_types_peel(&type, &bare) &&
	    !dwarf_child(&bare, &die))
		do
			if (dwarf_tag(&die) == DW_TAG_member &&
			    !dwarf_hasattr(&die, DW_AT_external) &&
			    is_of_class(&die, class, class_size)) {
				++*count;
				name = dwarf_diename(&die);
			}
		while (dwarf_siblingof(&die, &die) == 0);
	close_scopes(&s);
	return *count == 1 ? name : NULL;
}
