#include "record/symbols/globals.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <string.h>

#include "record/symbols/code.h"
#include "record/symbols/demangle.h"
#include "record/symbols/member_arrays.h"
#include "record/symbols/objects.h"
#include "record/symbols/types.h"

struct adding {
	struct ml_objects *o;
	struct ml_object *b;
	uint64_t bias;      /* run-time address = file address + bias */
	struct ml_map seen; /* file addresses of variables */
	struct ml_arena arena;
};

static struct ml_region *add_region(struct adding *g, enum ml_region_kind kind,
				    const char *name)
{
	struct ml_tables *t = g->o->tables;
	struct ml_region *r = ML_ADD(t->regions);

	r->kind = kind;
	r->name = ml_tables_name(t, name);
	r->object = ml_tables_name(t, g->b->path);
	return r;
}

/* A block of the region added last. */
static void add_block(struct adding *g, uint64_t addr, uint64_t size)
{
	struct ml_block *block = ML_ADD(g->o->tables->globals);

	block->addr = addr;
	block->size = size;
	block->until = ML_FOREVER;
	block->region = (uint32_t)g->o->tables->regions.count - 1;
}

/*
 * Whether [vaddr, vaddr + size) is memory of the file. Variables that the linker dropped
 * are still in DWARF, at address 0 or at a meaningless one.
 */
static bool is_loaded(const struct ml_object *b, uint64_t vaddr, uint64_t size)
{
	for (size_t i = 0; i < b->segments; i++) {
		const struct ml_segment *s = &b->segment[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz)
			return size <= s->memsz - (vaddr - s->vaddr);
	}
	return false;
}

/*
 * The address of a variable of static storage. Anything but a plain address, perhaps
 * with an offset, is a local variable or a thread's own.
 */
static bool address_of(Dwarf_Die *variable, uint64_t *addr)
{
	Dwarf_Attribute attr, indirect;
	Dwarf_Block block;
	Dwarf_Op *op;
	size_t count;

	if (!dwarf_attr(variable, DW_AT_location, &attr) ||
	    dwarf_formblock(&attr, &block) || !block.length)
		return false;
	uint8_t first = block.data[0];
	if (first != DW_OP_addr && first != DW_OP_addrx && first != DW_OP_GNU_addr_index)
		return false;
	if (dwarf_getlocation(&attr, &op, &count) || !count)
		return false;
	Dwarf_Addr value = op[0].number;
	if (first != DW_OP_addr && (dwarf_getlocation_attr(&attr, op, &indirect) ||
				    dwarf_formaddr(&indirect, &value)))
		return false;
	if (count == 2 && op[1].atom == DW_OP_plus_uconst)
		value += op[1].number;
	else if (count != 1)
		return false;
	*addr = value;
	return true;
}

static const char *variable_name(struct adding *g, Dwarf_Die *variable, bool local)
{
	Dwarf_Attribute attr;
	const char *linkage = NULL;

	if (!local && dwarf_attr_integrate(variable, DW_AT_linkage_name, &attr))
		linkage = dwarf_formstring(&attr);
	if (linkage && linkage[0] == '_' && linkage[1] == 'Z') {
		struct ml_tables *t = g->o->tables;

		return ml_tables_text(t, ml_demangle(t, linkage));
	}
	return dwarf_diename(variable);
}

/* Tables in a structure are regions too; the innermost one counts for an address. */
static void add_members(struct adding *g, Dwarf_Die *type, const struct ml_region *whole,
			uint64_t vaddr)
{
	struct ml_member_array found[ML_MEMBER_ARRAYS_MAX];
	size_t count = ml_member_arrays_find(type, found);
	struct ml_tables *t = g->o->tables;

	for (size_t i = 0; i < count; i++) {
		struct ml_region r = *add_region(
			g, ML_REGION_GLOBAL,
			ml_arena_printf(&g->arena, "%s.%s",
					ml_tables_text(t, whole->name), found[i].name));

		r.func = whole->func;
		r.file = whole->file;
		r.line = whole->line;
		ml_types_shape(g->o, g->b, &found[i].type, found[i].size, &r);
		t->regions.at[t->regions.count - 1] = r;
		add_block(g, vaddr + g->bias + found[i].offset, found[i].size);
	}
}

static void add_variable(struct adding *g, Dwarf_Die *variable, Dwarf_Die *func)
{
	uint64_t addr;
	Dwarf_Die type;

	if (!address_of(variable, &addr))
		return;
	uint64_t vaddr = addr + g->b->dwarf_bias;
	const char *name = variable_name(g, variable, func);
	if (!name || ml_map_find(&g->seen, vaddr) || !ml_types_of(variable, &type))
		return;
	const struct ml_symbol *s = ml_object_data(g->b, vaddr);
	uint64_t size = ml_types_size(&type);
	if (!size && s && s->low == vaddr)
		size = s->high - s->low;
	if (!size || !is_loaded(g->b, vaddr, size))
		return;
	ml_map_add(&g->seen, vaddr, NULL);

	uint32_t owner = func ? ml_code_name(g->o->tables, g->b, func) : 0;
	if (owner)
		name = ml_arena_printf(&g->arena, "%s (in %s)", name,
				       ml_tables_text(g->o->tables, owner));
	int line = 0;
	struct ml_region r = *add_region(g, ML_REGION_GLOBAL, name);
	r.func = owner;
	r.file = ml_code_declared(g->o->tables, g->b, variable);
	if (!dwarf_decl_line(variable, &line) && line > 0)
		r.line = (uint32_t)line;
	ml_types_shape(g->o, g->b, &type, size, &r);
	g->o->tables->regions.at[g->o->tables->regions.count - 1] = r;
	add_block(g, vaddr + g->bias, size);
	add_members(g, &type, &r, vaddr);
}

static void add_variables(struct adding *g, Dwarf_Die *scope, Dwarf_Die *func, int depth)
{
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(scope, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable: add_variable(g, &die, func); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_lexical_block: add_variables(g, &die, func, depth + 1); break;
		/* Variables of a common block or of Fortran's main program are told by
		 * their names alone. */
		case DW_TAG_common_block: add_variables(g, &die, NULL, depth + 1); break;
		case DW_TAG_subprogram:
			add_variables(g, &die,
				      dwarf_hasattr(&die, DW_AT_main_subprogram) ? NULL
										 : &die,
				      depth + 1);
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void add_units(struct adding *g, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0)
		add_variables(g, type == DW_UT_skeleton && split.addr ? &split : &die,
			      NULL, 0);
}

static void add_symbols(struct adding *g)
{
	struct ml_tables *t = g->o->tables;
	const struct ml_symbols *s = &g->b->datas;

	ml_object_data(g->b, 0); /* reads the symbols */
	for (size_t i = 0; i < s->count; i++) {
		uint64_t size = s->at[i].high - s->at[i].low;

		if (ml_map_find(&g->seen, s->at[i].low) ||
		    !is_loaded(g->b, s->at[i].low, size))
			continue;
		uint32_t name = ml_demangle(t, s->at[i].name);
		add_region(g, ML_REGION_GLOBAL, ml_tables_text(t, name));
		add_block(g, s->at[i].low + g->bias, size);
	}
}

/* False if the file has no section headers. */
static bool add_sections(struct adding *g, bool code)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(g->b->module, &bias);
	size_t names;
	bool any = false;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *n = NULL; (n = elf_nextscn(elf, n));) {
		GElf_Shdr h;

		if (!gelf_getshdr(n, &h) || !(h.sh_flags & SHF_ALLOC) || !h.sh_size ||
		    (h.sh_type == SHT_NOBITS && h.sh_flags & SHF_TLS) ||
		    !is_loaded(g->b, h.sh_addr, h.sh_size) ||
		    code != ((h.sh_flags & SHF_EXECINSTR) != 0))
			continue;
		const char *name = elf_strptr(elf, names, h.sh_name);
		if (code && !any)
			add_region(g, ML_REGION_CODE,
				   ml_arena_printf(&g->arena, "code of %s", g->b->base));
		else if (!code)
			add_region(g, ML_REGION_SECTION,
				   ml_arena_printf(&g->arena, "%s of %s",
						   name && *name ? name : "section",
						   g->b->base));
		add_block(g, h.sh_addr + g->bias, h.sh_size);
		any = true;
	}
	return any;
}

static void add_extent(struct adding *g, uint8_t prot, uint64_t addr, uint64_t size)
{
	const char *what = prot & 4 ? "code" : prot & 2 ? "data" : "read-only data";

	add_region(g, prot & 4 ? ML_REGION_CODE : ML_REGION_SECTION,
		   ml_arena_printf(&g->arena, "%s of %s", what, g->b->base));
	add_block(g, addr, size);
}

/* The executable range of an image, or NULL when it is gone already. */
static const struct ml_range *code_range(const struct ml_objects *o,
					 const struct ml_image *m)
{
	for (size_t i = 0; i < o->ranges; i++)
		if (o->range[i].image == m && o->range[i].prot & 4)
			return &o->range[i];
	return NULL;
}

static void add_image(struct ml_objects *o, struct ml_image *m)
{
	const struct ml_range *r = code_range(o, m);
	struct adding g = { .o = o, .b = m->object };
	uint64_t vaddr;

	if (!r)
		return;
	if (ml_objects_vaddr(r, r->low, &vaddr)) {
		g.bias = r->low - vaddr;
		/* System libraries with debug information have thousands of variables
		 * that do not interest the user: their symbols suffice. */
		Dwarf *dwarf = g.b->user ? ml_object_dwarf(g.b) : NULL;
		if (dwarf)
			add_units(&g, dwarf);
		add_symbols(&g);
		bool data = add_sections(&g, false), code = add_sections(&g, true);
		for (size_t i = 0; !data && !code && i < g.b->segments; i++)
			add_extent(&g, g.b->segment[i].prot,
				   g.b->segment[i].vaddr + g.bias, g.b->segment[i].memsz);
	} else {
		for (size_t i = 0; i < o->ranges; i++)
			if (o->range[i].image->object == g.b)
				add_extent(&g, o->range[i].prot, o->range[i].low,
					   o->range[i].high - o->range[i].low);
	}
	ml_map_release(&g.seen);
	ml_arena_release(&g.arena);
}

void ml_globals_update(struct ml_objects *o)
{
	for (size_t i = 0; i < o->images; i++) {
		struct ml_image *m = o->image[i];

		if (!m->code || m->done)
			continue;
		m->done = true;
		add_image(o, m);
	}
}
