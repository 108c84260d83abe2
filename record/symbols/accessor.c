#include "record/symbols/accessor.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

#include "record/symbols/code.h"
#include "record/source/fortran_statement.h"
#include "record/symbols/objects.h"
#include "record/source/source_code.h"

enum {
	LINES_MAX = 24,     /* of an accessor, with its checks */
	STATEMENTS_MAX = 2, /* of its body; a block in braces is one */
	ENDS_MAX = 4,       /* semicolons in all */
	NESTING_MAX = 64,
};

#define SEVERAL UINT64_MAX

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A word that makes code run again, or much of it. */
static bool is_loop(const char *word, size_t size)
{
	static const char *const loops[] = {
		"for", "while", "do", "switch", "goto", "asm"
	};

	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++)
		if (strlen(loops[i]) == size && !memcmp(word, loops[i], size))
			return true;
	return false;
}

bool ml_accessor_is_short(const char *text, size_t size)
{
	const char *end = text + size, *p = text;
	int depth = 0, statements = 0, ends = 0;

	while (p < end && *p != '{' && *p != ';')
		p++;
	if (p == end || *p == ';')
		return false;
	for (; p < end; p++) {
		if (is_word(*p)) {
			const char *word = p;

			while (p + 1 < end && is_word(p[1]))
				p++;
			if (is_loop(word, (size_t)(p - word) + 1))
				return false;
		}
		depth += *p == '{';
		ends += *p == ';';
		statements += (depth == 1 && *p == ';') || (depth == 2 && *p == '}');
		if (*p == '}' && --depth == 0)
			return statements && statements <= STATEMENTS_MAX &&
			       ends <= ENDS_MAX;
	}
	return false;
}

static bool is_short(struct ml_objects *o, const char *path, uint32_t line)
{
	struct ml_arena a = { 0 };
	struct ml_source_code c;
	bool found = ml_source_code_read(&c, &a, &o->sources, path, line,
					 line + LINES_MAX) &&
		     ml_accessor_is_short(c.text, c.size);

	ml_arena_release(&a);
	return found;
}

static uint64_t key_of(const Dwarf_Die *die)
{
	return (uint64_t)(uintptr_t)die->addr;
}

static uint64_t number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &attr) && !dwarf_formudata(&attr, &value)
		       ? value
		       : 0;
}

/* Notes from where the functions inlined in a scope are called. */
static void note_calls(struct ml_map *calls, Dwarf_Die *scope, int depth)
{
	Dwarf_Die die, origin;
	Dwarf_Attribute attr;

	if (depth > NESTING_MAX || dwarf_child(scope, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine &&
		    dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		    dwarf_formref_die(&attr, &origin)) {
			uint64_t place = number(&die, DW_AT_call_file) << 32 |
					 number(&die, DW_AT_call_line);
			bool is_new;
			uint64_t *known = ml_map_add(calls, key_of(&origin), &is_new);

			*known = is_new || *known == place ? place : SEVERAL;
		}
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
		    tag == DW_TAG_subprogram || tag == DW_TAG_namespace)
			note_calls(calls, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Do several lines of the unit call the function? */
static bool is_called_often(struct ml_objects *o, Dwarf_Die *unit, Dwarf_Die *origin)
{
	bool is_new;

	ml_map_add(&o->accessors.units, key_of(unit), &is_new);
	if (is_new)
		note_calls(&o->accessors.calls, unit, 0);
	const uint64_t *place = ml_map_find(&o->accessors.calls, key_of(origin));
	return place && *place == SEVERAL;
}

/* The file that was compiled, by its last part: paths of one file may differ. */
static bool is_main_file(Dwarf_Die *unit, const char *path)
{
	const char *main = dwarf_diename(unit), *slash = strrchr(path, '/');
	const char *last = main ? strrchr(main, '/') : NULL;

	return main && !strcmp(last ? last + 1 : main, slash ? slash + 1 : path);
}

static bool is_accessor(struct ml_objects *o, struct ml_object *b, uint64_t vaddr,
			uint32_t frame)
{
	Dwarf_Die origin, unit;
	int line;

	if (!ml_code_inlined(b, vaddr, frame, &origin) || !ml_code_unit(b, vaddr, &unit))
		return false;
	bool is_new;
	uint64_t *known = ml_map_add(&o->accessors.known, key_of(&origin), &is_new);
	if (!is_new)
		return *known == 2;
	*known = 1;
	const char *path = ml_tables_text(o->tables,
					  ml_code_declared(o->tables, b, &origin));
	if (!*path || ml_fortran_is(path) || dwarf_decl_line(&origin, &line) ||
	    line <= 0 || !is_short(o, path, (uint32_t)line) ||
	    (is_main_file(&unit, path) && !is_called_often(o, &unit, &origin)))
		return false;
	*ml_map_add(&o->accessors.known, key_of(&origin), NULL) = 2;
	return true;
}

uint32_t ml_accessor_frames(struct ml_objects *o, struct ml_object *b, uint64_t vaddr,
			    const struct ml_frame *frames, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i + 1 < count; i++) {
		const struct ml_frame *caller = &frames[i + 1];

		if (!ml_tables_is_own_source(ml_tables_text(o->tables, frames[i].file)))
			continue;
		/* what an algorithm of the library calls is no accessor of its data */
		if (!caller->line ||
		    !ml_tables_is_own_source(ml_tables_text(o->tables, caller->file)) ||
		    !is_accessor(o, b, vaddr, i))
			break;
		found = i + 1;
	}
	return found;
}
