#include "record/symbols/parallel_region.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "record/symbols/object.h"

static const char gcc_mark[] = "._omp_fn.", clang_mark[] = ".omp_outlined";

static uint32_t declared_line(Dwarf_Die *die)
{
	int line = 0;

	return !dwarf_decl_line(die, &line) && line > 0 ? (uint32_t)line : 0;
}

/* Where the function begins: a function with rarely used parts has ranges, of which the
 * first is meant. */
static bool entry_of(Dwarf_Die *func, Dwarf_Addr *pc)
{
	Dwarf_Addr base, high;

	return !dwarf_entrypc(func, pc) || dwarf_ranges(func, 0, &base, pc, &high) > 0;
}

static Dwarf_Line *row_at(Dwarf_Die *func)
{
	Dwarf_Die unit;
	Dwarf_Addr pc;

	return entry_of(func, &pc) && dwarf_diecu(func, &unit, NULL, NULL)
		       ? dwarf_getsrc_die(&unit, pc)
		       : NULL;
}

/*
 * The first line of the function in the file of its owner: inlined code may come first.
 * An owner that is always inlined has no code of its own; the lines are then those of the
 * first file.
 */
static uint32_t first_line(Dwarf_Die *func, Dwarf_Die *owner)
{
	Dwarf_Line *row = row_at(func), *of_owner = row_at(owner);
	const char *file = of_owner || row
				   ? dwarf_linesrc(of_owner ? of_owner : row, NULL, NULL)
				   : NULL;
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t count, i = 0;

	if (!row || !file || !dwarf_diecu(func, &unit, NULL, NULL) ||
	    dwarf_getsrclines(&unit, &lines, &count))
		return 0;
	while (i < count && dwarf_onesrcline(lines, i) != row)
		i++;
	for (; i < count; i++) {
		const char *here;
		Dwarf_Addr pc;
		int line;

		row = dwarf_onesrcline(lines, i);
		here = dwarf_linesrc(row, NULL, NULL);
		if (dwarf_lineaddr(row, &pc) || dwarf_haspc(func, pc) <= 0)
			return 0;
		if (here && !strcmp(here, file) && !dwarf_lineno(row, &line) && line > 0)
			return (uint32_t)line;
	}
	return 0;
}

/* gcc puts the function inside of the one that it was cut from, which may be such a
 * function itself (a task in a parallel region). */
static bool parent_of(Dwarf_Die *func, Dwarf_Die *parent)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes_die(func, &scopes);
	bool found = false;

	for (int i = 1; i < count && !found; i++) {
		const char *name = dwarf_diename(&scopes[i]);

		found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram &&
			!(name && strstr(name, gcc_mark));
		if (found)
			*parent = scopes[i];
	}
	free(scopes); /* libdw's malloc */
	return found;
}

bool ml_parallel_region_any(struct ml_object *b)
{
	ml_object_func(b, 0); /* reads the symbols */
	for (size_t i = 0; i < b->funcs.count; i++)
		if (strstr(b->funcs.at[i].name, gcc_mark))
			return true;
	return false;
}

/*
 * clang puts it beside: the function of the unit that is declared nearest before the
 * line, and the outlined function, whose line is that of the pragma. Code for debuggers
 * (_debug__) is declared at the loop behind the pragma.
 */
static void find_nearest(struct ml_parallel_region *p, Dwarf_Die *func)
{
	Dwarf_Die unit, die;
	uint32_t line = declared_line(func), best = 0;

	if (!line || !dwarf_diecu(func, &unit, NULL, NULL) || dwarf_child(&unit, &die))
		return;
	do {
		uint32_t at = declared_line(&die);
		const char *name = dwarf_diename(&die);

		if (dwarf_tag(&die) != DW_TAG_subprogram || !name || !at || at > line)
			continue;
		if (strstr(name, clang_mark)) {
			if (!strstr(name, "_debug__") && at > p->line)
				p->line = at;
		} else if (at > best && !dwarf_hasattr(&die, DW_AT_declaration)) {
			best = at;
			p->owner = die;
			p->owned = true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	if (p->line < best) /* of an earlier function */
		p->line = line;
}

bool ml_parallel_region_find(struct ml_parallel_region *p, Dwarf_Die *func,
			     const char *name)
{
	const char *mark = strstr(name, gcc_mark);

	*p = (struct ml_parallel_region){ .symbol = name };
	if (mark) {
		p->owned = parent_of(func, &p->owner);
		p->line = p->owned ? first_line(func, &p->owner) : 0;
	} else if ((mark = strstr(name, clang_mark))) {
		find_nearest(p, func);
	}
	p->symbol_size = mark ? (size_t)(mark - name) : 0;
	return mark;
}
