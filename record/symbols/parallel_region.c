#include "record/symbols/parallel_region.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const char gcc_mark[] = "._omp_fn.", clang_mark[] = ".omp_outlined";

static uint32_t declared_line(Dwarf_Die *die)
{
	int line = 0;

	return !dwarf_decl_line(die, &line) && line > 0 ? (uint32_t)line : 0;
}

static Dwarf_Line *row_at(Dwarf_Die *func)
{
	Dwarf_Die unit;
	Dwarf_Addr pc;

	return dwarf_entrypc(func, &pc) || !dwarf_diecu(func, &unit, NULL, NULL)
		       ? NULL
		       : dwarf_getsrc_die(&unit, pc);
}

/* The first line of the function in the file of its owner: inlined code may come first.
 */
static uint32_t first_line(Dwarf_Die *func, Dwarf_Die *owner)
{
	Dwarf_Line *row = row_at(func), *of_owner = row_at(owner);
	const char *file = of_owner ? dwarf_linesrc(of_owner, NULL, NULL) : NULL;
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

/* gcc puts the function inside of the one that it was cut from. */
static bool parent_of(Dwarf_Die *func, Dwarf_Die *parent)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes_die(func, &scopes);
	bool found = count > 1 && dwarf_tag(&scopes[1]) == DW_TAG_subprogram;

	if (found)
		*parent = scopes[1];
	free(scopes); /* libdw's malloc */
	return found;
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
