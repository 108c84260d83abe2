#include "record/symbols/objects.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/search.h"
#include "record/symbols/code.h"
#include "record/symbols/debugfile.h"

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* /usr/local is left out: what people install there is their own. */
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

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The loader, valgrind's preloaded libraries and the vdso are nobody's own code. */
static bool is_foreign(const char *path)
{
	const char *base = base_of(path);

	return path[0] == '[' || starts(base, "ld-linux") || starts(base, "ld-musl") ||
	       starts(base, "ld.so") || starts(base, "ld-2.") ||
	       starts(base, "vgpreload_");
}

void ml_objects_init(struct ml_objects *o, struct ml_tables *tables)
{
	*o = (struct ml_objects){ .tables = tables };
}

static void close_object(struct ml_object *b)
{
	ml_code_release(b);
	if (b->dwfl)
		dwfl_end(b->dwfl);
	ml_free(b->segment);
	ml_free(b->funcs.at);
	ml_free(b->datas.at);
	ml_map_release(&b->types);
	ml_arena_release(&b->arena);
}

void ml_objects_release(struct ml_objects *o)
{
	for (size_t i = 0; i < o->objects; i++)
		close_object(o->object[i]);
	for (size_t i = 0; i < o->images; i++)
		ml_map_release(&o->image[i]->sites);
	ml_free(o->object);
	ml_free(o->latest);
	ml_free(o->image);
	ml_free(o->range);
	ml_map_release(&o->stray);
	ml_map_release(&o->image_of);
	ml_names_release(&o->paths);
	ml_sources_release(&o->sources);
	ml_arena_release(&o->arena);
	*o = (struct ml_objects){ 0 };
}

/* The first range that ends above addr. */
static size_t range_at(const struct ml_objects *o, uint64_t addr)
{
	return ml_search_above(o->range, o->ranges, sizeof(*o->range),
			       offsetof(struct ml_range, high), addr);
}

static void insert(struct ml_objects *o, size_t i, struct ml_range r)
{
	o->range = ml_grow(o->range, &o->range_cap, o->ranges + 1, sizeof(*o->range));
	memmove(&o->range[i + 1], &o->range[i], (o->ranges - i) * sizeof(*o->range));
	o->range[i] = r;
	o->ranges++;
}

void ml_objects_unmap(struct ml_objects *o, uint64_t low, uint64_t high)
{
	if (low >= high)
		return;
	size_t i = range_at(o, low);
	if (i < o->ranges && o->range[i].low < low) {
		struct ml_range rest = o->range[i];

		o->range[i].high = low;
		i++;
		if (rest.high > high) {
			rest.offset += high - rest.low;
			rest.low = high;
			insert(o, i, rest);
			return;
		}
	}
	size_t end = i;
	while (end < o->ranges && o->range[end].high <= high)
		end++;
	if (end < o->ranges && o->range[end].low < high) {
		o->range[end].offset += high - o->range[end].low;
		o->range[end].low = high;
	}
	if (end < o->ranges)
		memmove(&o->range[i], &o->range[end],
			(o->ranges - end) * sizeof(*o->range));
	o->ranges -= end - i;
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
 * Programs that compile at run time write, load and unload one file name again
 * and again with new contents, so an opened object serves a new mapping only
 * while its file is the same.
 */
static bool is_stale(const struct ml_object *b)
{
	uint64_t now[4];

	return b->asked && b->dwfl && identify(b->path, -1, now) &&
	       memcmp(now, b->identity, sizeof(now)) != 0;
}

static struct ml_object *object_of(struct ml_objects *o, const char *path)
{
	uint32_t n = ml_names_add(&o->paths, path);

	o->latest = ml_grow(o->latest, &o->latest_cap, (size_t)n + 1, sizeof(*o->latest));
	if (o->latest[n] && !is_stale(o->latest[n]))
		return o->latest[n];

	struct ml_object *b = ml_arena_alloc(&o->arena, sizeof(*b));
	b->path = ml_arena_strdup(&o->arena, path);
	b->base = base_of(b->path);
	b->user = !is_system(path) && !is_foreign(path);
	o->object = ml_grow(o->object, &o->object_cap, o->objects + 1,
			    sizeof(*o->object));
	o->object[o->objects++] = b;
	return o->latest[n] = b;
}

static struct ml_image *image_of(struct ml_objects *o, struct ml_object *b,
				 uint64_t start)
{
	/* 64 bits of hash are taken for the pair: programs may map files a million times.
	 */
	uint64_t pair[2] = { (uint64_t)(uintptr_t)b, start };
	bool is_new;
	uint64_t *index = ml_map_add(&o->image_of, ml_hash(pair, sizeof(pair)), &is_new);

	if (!is_new)
		return o->image[*index];
	struct ml_image *m = ml_arena_alloc(&o->arena, sizeof(*m));
	m->object = b;
	m->start = start;
	*index = o->images;
	o->image = ml_grow(o->image, &o->image_cap, o->images + 1, sizeof(*o->image));
	return o->image[o->images++] = m;
}

void ml_objects_map(struct ml_objects *o, uint64_t low, uint64_t high, uint64_t offset,
		    uint8_t prot, enum ml_mapping_kind kind, const char *path)
{
	bool has_path = path && *path;

	ml_objects_unmap(o, low, high);
	/* What the kernel itself maps to be executed is the vdso, named or not. */
	if (kind == ML_MAPPING_OTHER && !has_path && prot & 4)
		path = "[vdso]";
	else if (!has_path || (kind != ML_MAPPING_FILE && kind != ML_MAPPING_OTHER))
		return;
	if (low >= high)
		return;
	struct ml_object *b = object_of(o, path);
	struct ml_image *m = image_of(o, b, low - offset);
	if (prot & 4) {
		m->code = true;
		if (!o->program && kind == ML_MAPPING_FILE && !is_foreign(path)) {
			o->program = b;
			b->user = true;
		}
	}
	insert(o, range_at(o, low), (struct ml_range){ low, high, offset, m, prot });
}

const struct ml_range *ml_objects_find(struct ml_objects *o, uint64_t addr)
{
	size_t i = o->last;

	if (i >= o->ranges || addr < o->range[i].low || addr >= o->range[i].high)
		i = range_at(o, addr);
	if (i >= o->ranges || addr < o->range[i].low)
		return NULL;
	o->last = i;
	return &o->range[i];
}

static int no_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		  char **file_name, Elf **elf)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)file_name, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = no_elf,
	.find_debuginfo = ml_debugfile_find,
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
	if (b->asked)
		return b->dwfl;
	b->asked = true;
	/* Some devices act on being opened, and a pipe would block. */
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
	if (!ml_object_open(b) || b->asked_dwarf)
		return b->dwarf;
	b->asked_dwarf = true;
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
	/* Functions written in assembly often have no size: they reach to the next. */
	for (size_t i = 0; i < kept; i++)
		if (s->at[i].high == s->at[i].low)
			s->at[i].high = i + 1 < kept && s->at[i + 1].low - s->at[i].low <
								4096
						? s->at[i + 1].low
						: s->at[i].low + 64;
}

static void read_symbols(struct ml_object *b)
{
	b->asked_symbols = true;
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
	if (!b->asked_symbols)
		read_symbols(b);
	return covering(&b->funcs, vaddr);
}

const struct ml_symbol *ml_object_data(struct ml_object *b, uint64_t vaddr)
{
	if (!ml_object_open(b))
		return NULL;
	if (!b->asked_symbols)
		read_symbols(b);
	return covering(&b->datas, vaddr);
}

/*
 * Neighbouring segments may share a page of the file, so an offset may lie in
 * two of them; the one with the range's protection is meant.
 */
bool ml_object_vaddr(const struct ml_range *r, uint64_t addr, uint64_t *vaddr)
{
	struct ml_object *b = r->image->object;
	uint64_t offset = addr - r->low + r->offset;
	const struct ml_segment *best = NULL;
	int score = -1;

	if (!ml_object_open(b))
		return false;
	for (size_t i = 0; i < b->segments; i++) {
		const struct ml_segment *s = &b->segment[i];
		/* Pages are mapped whole: what precedes a segment in its page is there
		 * too. */
		uint64_t first = s->offset & ~(uint64_t)4095;
		uint64_t end = (s->offset + s->filesz + 4095) & ~(uint64_t)4095;

		if (offset < first || offset >= end)
			continue;
		bool inside = offset >= s->offset && offset - s->offset < s->filesz;
		bool alike = (s->prot & 4) == (r->prot & 4);
		if (inside + 2 * alike > score) {
			score = inside + 2 * alike;
			best = s;
		}
	}
	if (!best)
		return false;
	*vaddr = offset - best->offset + best->vaddr;
	return true;
}
