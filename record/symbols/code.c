#include "record/symbols/code.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "record/source/clean_path.h"
#include "record/symbols/demangle.h"
#include "record/symbols/parallel_region.h"
#include "record/symbols/pieces.h"
#include "record/symbols/stripped.h"

/* A call inlined into a function, once for each of its address ranges. */
struct inlined {
	uint64_t low, high;
	uint32_t parent; /* index + 1 of the inlined call around it; 0: the function */
	uint32_t name, file, line, column; /* file, line, column: of the call in its
					      parent; 0: unknown */
	Dwarf_Die origin;                  /* the function, for all its copies */
};

struct func {
	Dwarf_Die die;
	uint32_t name;
	bool loaded;
	struct inlined *inlined; /* parents before children */
	size_t count, cap;
};

struct unit {
	Dwarf_Die cu;  /* has the line table */
	Dwarf_Die die; /* has the functions: another one with -gsplit-dwarf */
	bool loaded;
	struct ml_pieces pieces; /* of funcs */
	struct func *func;
	size_t funcs, cap;
};

enum {
	LINE_BEHIND = 16,  /* bytes behind an instruction in which its line is sought, */
	LINES_BEFORE = 16, /* and rows of the line table before it */
};

struct ml_code {
	struct unit *unit;
	size_t units, cap;
	struct ml_pieces pieces; /* of units */
	struct ml_map names;     /* by DIE */
	struct ml_map files;     /* by libdw's string */
	struct ml_stripped stripped;
	bool outlined; /* parallel regions stand inside of other functions */
};

static void read_units(struct ml_code *c, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		c->unit = ml_grow(c->unit, &c->cap, c->units + 1, sizeof(*c->unit));
		c->unit[c->units].cu = die;
		c->unit[c->units].die = type == DW_UT_skeleton && split.addr ? split
									     : die;
		ml_pieces_add_die(&c->pieces, &die, c->units);
		c->units++;
	}
	ml_pieces_sort(&c->pieces);
}

static struct ml_code *code_of(struct ml_object *b)
{
	if (b->code)
		return b->code;
	b->code = ml_arena_alloc(&b->arena, sizeof(*b->code));
	Dwarf *dwarf = ml_object_dwarf(b);
	b->code->outlined = dwarf && ml_parallel_region_any(b);
	if (dwarf)
		read_units(b->code, dwarf);
	return b->code;
}

void ml_code_release(struct ml_object *b)
{
	struct ml_code *c = b->code;

	if (!c)
		return;
	for (size_t i = 0; i < c->units; i++) {
		struct unit *u = &c->unit[i];

		for (size_t k = 0; k < u->funcs; k++)
			ml_free(u->func[k].inlined);
		ml_free(u->func);
		ml_pieces_release(&u->pieces);
	}
	ml_free(c->unit);
	ml_pieces_release(&c->pieces);
	ml_map_release(&c->names);
	ml_map_release(&c->files);
	ml_stripped_release(&c->stripped);
	b->code = NULL;
}

/* outlined: functions may stand inside of blocks, and of functions without code. */
static void read_funcs(struct unit *u, Dwarf_Die *scope, bool outlined, int depth)
{
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(scope, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram: {
			size_t before = u->pieces.count;

			ml_pieces_add_die(&u->pieces, &die, u->funcs);
			if (u->pieces.count == before) {
				if (outlined)
					read_funcs(u, &die, outlined, depth + 1);
				break;
			}
			u->func = ml_grow(u->func, &u->cap, u->funcs + 1,
					  sizeof(*u->func));
			u->func[u->funcs++].die = die;
			read_funcs(u, &die, outlined, depth + 1);
			break;
		}
		case DW_TAG_lexical_block:
			if (outlined)
				read_funcs(u, &die, outlined, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type: read_funcs(u, &die, outlined, depth + 1);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static struct unit *unit_at(struct ml_code *c, uint64_t addr)
{
	const struct ml_piece *p = ml_pieces_find(&c->pieces, addr);

	if (!p)
		return NULL;
	struct unit *u = &c->unit[p->index];
	if (!u->loaded) {
		u->loaded = true;
		read_funcs(u, &u->die, c->outlined, 0);
		ml_pieces_sort(&u->pieces);
	}
	return u;
}

/*
 * "ns::Class::name" from the DIEs around the declaration: for the few functions of
 * C++ without a linkage name (constructors that are always inlined).
 */
static const char *scoped_name(Dwarf_Die *func, const char *name, struct ml_arena *a)
{
	Dwarf_Die unit, decl = *func, *scopes = NULL;
	Dwarf_Attribute attr;

	while (dwarf_attr(&decl, DW_AT_abstract_origin, &attr) ||
	       dwarf_attr(&decl, DW_AT_specification, &attr))
		if (!dwarf_formref_die(&attr, &decl))
			return name;
	if (!dwarf_diecu(&decl, &unit, NULL, NULL))
		return name;
	int lang = dwarf_srclang(&unit);
	if (lang == DW_LANG_C89 || lang == DW_LANG_C || lang == DW_LANG_C99 ||
	    lang == DW_LANG_C11)
		return name;
	int count = dwarf_getscopes_die(&decl, &scopes);
	for (int i = 1; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *outer = dwarf_diename(&scopes[i]);

		if (outer && (tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
			      tag == DW_TAG_structure_type || tag == DW_TAG_module))
			name = ml_arena_printf(a, "%s::%s", outer, name);
	}
	free(scopes); /* libdw's malloc */
	return name;
}

static uint32_t parallel_name(struct ml_tables *tables, struct ml_object *b,
			      const struct ml_parallel_region *p, struct ml_arena *a)
{
	Dwarf_Die owner = p->owner;
	uint32_t name = p->owned
				? ml_code_name(tables, b, &owner)
				: ml_demangle(tables, ml_arena_printf(a, "%.*s",
								      (int)p->symbol_size,
								      p->symbol));
	const char *text = ml_tables_text(tables, name);

	if (p->line)
		text = ml_arena_printf(a, "%s%s(parallel region, line %u)", text,
				       *text ? " " : "", p->line);
	else
		text = ml_arena_printf(a, "%s%s(parallel region)", text,
				       *text ? " " : "");
	return ml_tables_name(tables, text);
}

/* All inlined copies of a function share one abstract function. */
static Dwarf_Die origin_of(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	return dwarf_attr(func, DW_AT_abstract_origin, &attr) &&
			       dwarf_formref_die(&attr, &origin)
		       ? origin
		       : *func;
}

uint32_t ml_code_name(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *func)
{
	struct ml_code *c = code_of(b);
	Dwarf_Attribute attr;
	Dwarf_Die origin = origin_of(func); /* its name is cached */
	bool is_new;
	uint64_t *name = ml_map_add(&c->names, (uint64_t)(uintptr_t)origin.addr, &is_new);
	if (!is_new)
		return (uint32_t)*name;

	const char *text = NULL;
	if (dwarf_attr_integrate(func, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(func, DW_AT_MIPS_linkage_name, &attr))
		text = dwarf_formstring(&attr);
	if (text && text[0] == '_' && (text[1] == 'Z' || text[1] == 'R'))
		return (uint32_t)(*name = ml_demangle(tables, text));
	text = dwarf_diename(func);
	if (!text)
		return 0;
	struct ml_arena a = { 0 };
	struct ml_parallel_region p;
	uint32_t number_of;
	if (ml_parallel_region_find(&p, func, text))
		number_of = parallel_name(tables, b, &p, &a);
	else
		number_of = ml_tables_name(tables, scoped_name(func, text, &a));
	ml_arena_release(&a);
	/* the name of the region's owner may have moved the map */
	*ml_map_add(&c->names, (uint64_t)(uintptr_t)origin.addr, NULL) = number_of;
	return number_of;
}

/*
 * A path as the unit of a DIE has it, made absolute by the unit's folder and clean
 * ("a/../", "./"); NULL gives the empty name.
 */
static uint32_t file_name(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *die,
			  const char *path)
{
	if (!path || !*path || strcmp(path, "???") == 0) /* libdw's word for unknown */
		return 0;
	bool is_new;
	uint64_t *file = ml_map_add(&code_of(b)->files, (uint64_t)(uintptr_t)path,
				    &is_new);
	if (!is_new)
		return (uint32_t)*file;
	struct ml_arena a = { 0 };
	Dwarf_Die unit;
	Dwarf_Attribute attr;
	const char *folder = NULL;
	if (path[0] != '/' && dwarf_diecu(die, &unit, NULL, NULL) &&
	    dwarf_attr(&unit, DW_AT_comp_dir, &attr))
		folder = dwarf_formstring(&attr);
	/* A slash at the end: cleaning puts one behind every part. */
	char *clean = ml_arena_printf(&a, "%s%s%s/", folder ? folder : "",
				      folder ? "/" : "", path);
	ml_clean_path(clean);
	*file = ml_tables_name(tables, clean);
	ml_arena_release(&a);
	return (uint32_t)*file;
}

static uint32_t number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &attr) || dwarf_formudata(&attr, &value))
		return 0;
	return value > UINT32_MAX ? 0 : (uint32_t)value;
}

/* dwarf_decl_file would do, but it asserts that the unit's list of files is readable. */
uint32_t ml_code_declared(struct ml_tables *tables, struct ml_object *b, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die unit;
	Dwarf_Word number_of;
	Dwarf_Files *files;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &number_of) ||
	    !dwarf_cu_die(attr.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) || number_of >= count)
		return 0;
	return file_name(tables, b, &unit, dwarf_filesrc(files, number_of, NULL, NULL));
}

struct reading {
	struct ml_tables *tables;
	struct ml_object *b;
	Dwarf_Die *unit;
	Dwarf_Files *files;
	size_t file_count;
};

static void read_inlined(struct reading *r, struct func *f, Dwarf_Die *scope,
			 uint32_t parent, int depth)
{
	Dwarf_Die die;

	if (depth > 256 || dwarf_child(scope, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		uint32_t inside = parent;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		if (tag == DW_TAG_inlined_subroutine) {
			uint32_t file = number(&die, DW_AT_call_file);
			struct inlined in = {
				.parent = parent,
				.name = ml_code_name(r->tables, r->b, &die),
				.line = number(&die, DW_AT_call_line),
				.column = number(&die, DW_AT_call_column),
			};
			in.origin = origin_of(&die);
			if (file < r->file_count)
				in.file = file_name(
					r->tables, r->b, r->unit,
					dwarf_filesrc(r->files, file, NULL, NULL));
			Dwarf_Addr base, low, high;
			for (ptrdiff_t at = 0;
			     (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
				in.low = low;
				in.high = high;
				f->inlined = ml_grow(f->inlined, &f->cap, f->count + 1,
						     sizeof(*f->inlined));
				f->inlined[f->count++] = in;
				inside = (uint32_t)f->count;
			}
		}
		if (dwarf_haschildren(&die) > 0)
			read_inlined(r, f, &die, inside, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static struct func *func_at(struct ml_tables *tables, struct ml_object *b, struct unit *u,
			    uint64_t addr)
{
	const struct ml_piece *p = ml_pieces_find(&u->pieces, addr);

	if (!p)
		return NULL;
	struct func *f = &u->func[p->index];
	if (!f->loaded) {
		struct reading r = { .tables = tables, .b = b, .unit = &u->cu };

		f->loaded = true;
		f->name = ml_code_name(tables, b, &f->die);
		if (dwarf_getsrcfiles(&u->die, &r.files, &r.file_count))
			r.file_count = 0;
		read_inlined(&r, f, &f->die, 0, 0);
	}
	return f;
}

/*
 * The index + 1 of the innermost inlined call at an address; 0: none. Parents come first
 * and siblings do not overlap, so the last hit is innermost.
 */
static size_t innermost(const struct func *f, uint64_t addr)
{
	size_t i = f->count;

	while (i > 0 && (addr < f->inlined[i - 1].low || addr >= f->inlined[i - 1].high))
		i--;
	return i;
}

/* Ranges of one inlined call are several entries. */
static bool is_same(const struct func *f, size_t a, size_t b)
{
	if (a == b || !a || !b)
		return a == b;
	const struct inlined *x = &f->inlined[a - 1], *y = &f->inlined[b - 1];
	return x->name == y->name && x->file == y->file && x->line == y->line &&
	       x->column == y->column && x->parent == y->parent;
}

/*
 * The line of the instruction at `near`, or, if it was inlined into the function that is
 * innermost at addr, the line of that call. False: it has none, or is elsewhere.
 */
static bool line_near(struct ml_tables *tables, struct ml_object *b, struct unit *u,
		      struct func *f, uint64_t addr, uint64_t near,
		      struct ml_frame *frame)
{
	Dwarf_Line *row = dwarf_getsrc_die(&u->cu, near);
	size_t own = f ? innermost(f, addr) : 0, i = f ? innermost(f, near) : 0;
	int n = 0;

	if (!row || dwarf_lineno(row, &n) || n <= 0 ||
	    ml_pieces_find(&u->pieces, near) != ml_pieces_find(&u->pieces, addr))
		return false;
	if (is_same(f, i, own)) {
		frame->line = (uint32_t)n;
		frame->file = file_name(tables, b, &u->cu,
					dwarf_linesrc(row, NULL, NULL));
		return true;
	}
	while (i && !is_same(f, f->inlined[i - 1].parent, own))
		i = f->inlined[i - 1].parent;
	if (!i || !f->inlined[i - 1].line)
		return false;
	frame->line = f->inlined[i - 1].line;
	frame->file = f->inlined[i - 1].file;
	return true;
}

/*
 * Compilers give line 0 to instructions that belong to no particular line; a person
 * expects the line of the instructions behind them (a load that clang has moved, and the
 * next instruction uses), or before them, in the same function.
 */
static void place(struct ml_tables *tables, struct ml_object *b, struct unit *u,
		  struct func *f, uint64_t addr, struct ml_frame *frame)
{
	Dwarf_Line *row;
	Dwarf_Addr start;

	if (line_near(tables, b, u, f, addr, addr, frame))
		return;
	for (uint64_t next = addr + 1; next < addr + LINE_BEHIND; next++)
		if (line_near(tables, b, u, f, addr, next, frame))
			return;
	for (uint64_t at = addr, tries = 0; tries < LINES_BEFORE; tries++) {
		row = dwarf_getsrc_die(&u->cu, at);
		if (!row || dwarf_lineaddr(row, &start) || !start)
			return;
		at = start - 1;
		if (line_near(tables, b, u, f, addr, at, frame))
			return;
	}
}

static uint32_t frames_of(struct ml_tables *tables, struct ml_object *b, struct unit *u,
			  uint64_t addr, struct ml_frame frames[ML_FRAMES_MAX])
{
	struct func *f = func_at(tables, b, u, addr);
	uint32_t n = 0;

	place(tables, b, u, f, addr, &frames[0]);
	if (!f)
		return 0;
	size_t i = innermost(f, addr);
	while (i > 0 && n < ML_FRAMES_MAX - 1) {
		const struct inlined *in = &f->inlined[i - 1];

		frames[n].func = in->name;
		n++;
		frames[n] = (struct ml_frame){ .file = in->file, .line = in->line };
		i = in->parent;
	}
	frames[n].func = f->name;
	return n + 1;
}

/*
 * Without DWARF: an entry of the procedure linkage table, a symbol, or the start of the
 * function. The entry comes first, because _init has no size and so seems to extend into
 * the table.
 */
static uint32_t plain_name(struct ml_tables *tables, struct ml_object *b, uint64_t vaddr)
{
	struct ml_stripped *w = &code_of(b)->stripped;
	struct ml_arena a = { 0 };
	const char *name = ml_stripped_stub(w, b, vaddr, &a);
	const struct ml_symbol *s = name ? NULL : ml_object_func(b, vaddr);

	if (s) {
		ml_arena_release(&a);
		return ml_demangle(tables, s->name);
	}
	if (!name) {
		uint64_t start = vaddr;

		ml_stripped_start(w, b, vaddr, &start);
		name = ml_arena_printf(&a, "%s+0x%llx", b->base,
				       (unsigned long long)start);
	}
	uint32_t number_of = ml_tables_name(tables, name);
	ml_arena_release(&a);
	return number_of;
}

uint32_t ml_code_frames(struct ml_tables *tables, struct ml_object *b, uint64_t vaddr,
			struct ml_frame frames[ML_FRAMES_MAX])
{
	struct ml_code *c = code_of(b);
	uint64_t addr = vaddr - b->dwarf_bias;
	struct unit *u = unit_at(c, addr);
	uint32_t n = 0;

	frames[0] = (struct ml_frame){ 0 };
	if (u)
		n = frames_of(tables, b, u, addr, frames);
	if (!n) {
		frames[0].func = plain_name(tables, b, vaddr);
		n = 1;
	}
	return n;
}

/* The inlined call at an address, `out` functions out of the innermost one, or NULL. */
static const struct inlined *inlined_at(struct ml_object *b, uint64_t vaddr, uint32_t out)
{
	uint64_t addr = vaddr - b->dwarf_bias;
	struct unit *u = unit_at(code_of(b), addr);
	const struct ml_piece *p = u ? ml_pieces_find(&u->pieces, addr) : NULL;
	const struct func *f = p ? &u->func[p->index] : NULL;
	size_t i = f ? innermost(f, addr) : 0;

	while (i > 0 && out--)
		i = f->inlined[i - 1].parent;
	return i ? &f->inlined[i - 1] : NULL;
}

bool ml_code_inlined(struct ml_object *b, uint64_t vaddr, uint32_t frame,
		     Dwarf_Die *origin)
{
	const struct inlined *in = inlined_at(b, vaddr, frame);

	if (in)
		*origin = in->origin;
	return in;
}

uint32_t ml_code_column(struct ml_object *b, uint64_t vaddr, uint32_t frame)
{
	uint64_t addr = vaddr - b->dwarf_bias;
	struct unit *u = unit_at(code_of(b), addr);

	if (!u)
		return 0;
	if (!frame) {
		Dwarf_Line *line = dwarf_getsrc_die(&u->cu, addr);
		int column = 0;

		return line && !dwarf_linecol(line, &column) && column > 0
			       ? (uint32_t)column
			       : 0;
	}
	const struct inlined *in = inlined_at(b, vaddr, frame - 1);
	return in ? in->column : 0;
}

bool ml_code_function(struct ml_object *b, uint64_t vaddr, Dwarf_Die *func)
{
	uint64_t addr = vaddr - b->dwarf_bias;
	struct unit *u = unit_at(code_of(b), addr);
	const struct ml_piece *p = u ? ml_pieces_find(&u->pieces, addr) : NULL;

	if (p)
		*func = u->func[p->index].die;
	return p;
}

bool ml_code_unit(struct ml_object *b, uint64_t vaddr, Dwarf_Die *unit)
{
	struct unit *u = unit_at(code_of(b), vaddr - b->dwarf_bias);

	if (u)
		*unit = u->die;
	return u;
}
