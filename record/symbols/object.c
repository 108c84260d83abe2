#include "record/symbols/object.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/path.h"
#include "lib/base/search.h"
#include "record/symbols/debug_file.h"

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* /usr/local is left out: people install their own programs there. */
static bool is_system(const char *path)
{
	static const char *const folders[] = {
		"/lib/",       "/lib32/",      "/lib64/",
		"/libx32/",    "/usr/lib/",    "/usr/lib32/",
		"/usr/lib64/", "/usr/libx32/", "/usr/libexec/",
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (starts(path, folders[i]))
			return true;
	return false;
}

/* The loader, what Valgrind and memlamp load into the program, and the vdso. */
static bool is_foreign(const char *path, const char *base)
{
	return path[0] == '[' || starts(base, "ld-linux") || starts(base, "ld-musl") ||
	       starts(base, "ld.so") || starts(base, "ld-2.") ||
	       starts(base, "vgpreload_") || !strcmp(base, "libmemlamp.so");
}

void ml_object_init(struct ml_object *b, const char *path)
{
	*b = (struct ml_object){ .path = path, .base = ml_path_name(path) };
	b->foreign = is_foreign(path, b->base);
	b->user = !is_system(path) && !b->foreign;
}

void ml_object_release(struct ml_object *b)
{
	if (b->dwfl)
		dwfl_end(b->dwfl);
	ml_free(b->segment);
	ml_free(b->funcs.at);
	ml_free(b->datas.at);
	ml_map_release(&b->types);
	ml_map_release(&b->named);
	ml_arena_release(&b->arena);
}

static bool identify(const char *path, int fd, uint64_t identity[4])
{
	struct stat st;

	if ((fd >= 0 ? fstat(fd, &st) : stat(path, &st)) || !S_ISREG(st.st_mode))
		return false;
	identity[0] = (uint64_t)st.st_dev;
	identity[1] = (uint64_t)st.st_ino;
	identity[2] = (uint64_t)st.st_size;
	identity[3] = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
		      (uint64_t)st.st_mtim.tv_nsec;
	return true;
}

/*
 * Programs that compile at run time write, load and unload files of the same name with
 * new contents, so an opened object serves a new mapping only while its file is the same.
 */
bool ml_object_is_stale(const struct ml_object *b)
{
	uint64_t now[4];

	return b->tried && b->dwfl && identify(b->path, -1, now) &&
	       memcmp(now, b->identity, sizeof(now)) != 0;
}

static int no_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		  char **file_name, Elf **elf)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)file_name, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = no_elf,
	.find_debuginfo = ml_debug_file_find,
	.section_address = dwfl_offline_section_address,
};

static void read_segments(struct ml_object *b, Elf *elf)
{
	size_t count = 0, cap = 0;

	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    p.p_offset > INT64_MAX || p.p_filesz > INT64_MAX ||
		    p.p_vaddr + p.p_memsz < p.p_vaddr)
			continue;
		b->segment = ml_grow(b->segment, &cap, b->segments + 1,
				     sizeof(*b->segment));
		b->segment[b->segments++] = (struct ml_segment){
			p.p_offset,
			p.p_vaddr,
			p.p_filesz,
			p.p_memsz,
			(uint8_t)((p.p_flags & PF_R ? 1 : 0) |
				  (p.p_flags & PF_W ? 2 : 0) |
				  (p.p_flags & PF_X ? 4 : 0)),
		};
	}
}

bool ml_object_open(struct ml_object *b)
{
	if (b->tried)
		return b->dwfl;
	b->tried = true;
	/* Opening some devices has effects, and opening a pipe would block. */
	int fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	if (!identify(b->path, fd, b->identity)) {
		close(fd);
		return false;
	}
	elf_version(EV_CURRENT);
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = NULL;
	if (dwfl) {
		dwfl_report_begin(dwfl);
		module = dwfl_report_elf(dwfl, b->base, b->path, fd, 0, true);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	GElf_Addr bias;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (!module)
		close(fd);
	if (!elf) {
		if (dwfl)
			dwfl_end(dwfl);
		return false;
	}
	b->dwfl = dwfl;
	b->module = module;
	read_segments(b, elf);
	return true;
}

Dwarf *ml_object_dwarf(struct ml_object *b)
{
	if (!ml_object_open(b) || b->tried_dwarf)
		return b->dwarf;
	b->tried_dwarf = true;
	Dwarf_Addr bias = 0;
	b->dwarf = dwfl_module_getdwarf(b->module, &bias);
	b->dwarf_bias = bias;
	return b->dwarf;
}

static int by_address(const void *a, const void *b)
{
	const struct ml_symbol *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Exported names before local ones, "environ" before "__environ". */
static int rank_of(const GElf_Sym *sym, const char *name)
{
	int bind = GELF_ST_BIND(sym->st_info);
	int underscores = 0;

	while (name[underscores] == '_')
		underscores++;
	return (bind == STB_GLOBAL ? 20
		: bind == STB_WEAK ? 19
				   : 10) -
	       (underscores & 7) * 2 + (sym->st_size ? 40 : 0);
}

static void finish(struct ml_symbols *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->at, s->count, sizeof(*s->at), by_address);
	for (size_t i = 0; i < s->count; i++)
		if (!kept || s->at[kept - 1].low != s->at[i].low)
			s->at[kept++] = s->at[i];
	s->count = kept;
	/* Functions written in assembly often have no size: they extend to the next one.
	 */
	for (size_t i = 0; i < kept; i++)
		if (s->at[i].high == s->at[i].low)
			s->at[i].high = i + 1 < kept && s->at[i + 1].low - s->at[i].low <
								4096
						? s->at[i + 1].low
						: s->at[i].low + 64;
}

static void read_symbols(struct ml_object *b)
{
	b->tried_symbols = true;
	int count = dwfl_module_getsymtab(b->module);
	for (int i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(b->module, i, &sym, &addr,
							   &section, NULL, NULL);

		if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS)
			continue;
		int type = GELF_ST_TYPE(sym.st_info);
		bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
		if (!func && !(type == STT_OBJECT && sym.st_size))
			continue;
		uint64_t high = addr + sym.st_size;
		if (high < addr)
			continue;
		struct ml_symbols *s = func ? &b->funcs : &b->datas;
		s->at = ml_grow(s->at, &s->cap, s->count + 1, sizeof(*s->at));
		s->at[s->count++] = (struct ml_symbol){ addr, high, name,
							rank_of(&sym, name) };
	}
	finish(&b->funcs);
	finish(&b->datas);
}

static const struct ml_symbol *covering(const struct ml_symbols *s, uint64_t vaddr)
{
	size_t above = ml_search_above(s->at, s->count, sizeof(*s->at),
				       offsetof(struct ml_symbol, low), vaddr);

	/* Symbols may nest (a label inside a function): look a little further back. */
	for (size_t i = above, tries = 8; i-- > 0 && tries-- > 0;)
		if (vaddr < s->at[i].high)
			return &s->at[i];
	return NULL;
}

const struct ml_symbol *ml_object_func(struct ml_object *b, uint64_t vaddr)
{
	if (!ml_object_open(b))
		return NULL;
	if (!b->tried_symbols)
		read_symbols(b);
	return covering(&b->funcs, vaddr);
}

const struct ml_symbol *ml_object_data(struct ml_object *b, uint64_t vaddr)
{
	if (!ml_object_open(b))
		return NULL;
	if (!b->tried_symbols)
		read_symbols(b);
	return covering(&b->datas, vaddr);
}

const uint8_t *ml_object_bytes(struct ml_object *b, uint64_t vaddr, uint64_t size)
{
	GElf_Addr bias;
	size_t all;
	Elf *elf = ml_object_open(b) ? dwfl_module_getelf(b->module, &bias) : NULL;
	const char *raw = elf ? elf_rawfile(elf, &all) : NULL;

	for (size_t i = 0; raw && i < b->segments; i++) {
		const struct ml_segment *g = &b->segment[i];
		uint64_t skip = vaddr - g->vaddr;

		if (vaddr < g->vaddr || skip >= g->filesz || size > g->filesz - skip)
			continue;
		uint64_t at = g->offset + skip;
		if (at <= all && size <= all - at)
			return (const uint8_t *)raw + at;
	}
	return NULL;
}
