#include "record/symbols/stripped.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <string.h>

#include "lib/base/search.h"
#include "record/symbols/object.h"

void ml_stripped_release(struct ml_stripped *s)
{
	ml_free(s->func);
	ml_free(s->plt);
	ml_map_release(&s->slots);
	ml_map_release(&s->numbers);
	*s = (struct ml_stripped){ 0 };
}

static Elf *elf_of(struct ml_object *b)
{
	GElf_Addr bias;

	return ml_object_open(b) ? dwfl_module_getelf(b->module, &bias) : NULL;
}

static int32_t word(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * The header: version 1, three encodings, the section's address and a count of
 * four bytes each, then pairs (start of function, its entry of .eh_frame), sorted,
 * as every linker writes it: signed 32 bits from the header's address. See the
 * Linux Standard Base, "Exception Frame Header".
 */
static void read_starts(struct ml_stripped *s, struct ml_object *b, uint64_t header,
			uint64_t size)
{
	enum { HEAD = 12, PAIR = 8, TABLE = DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	const uint8_t *p = ml_object_bytes(b, header, size);

	if (size < HEAD || !p || p[0] != 1 || (p[1] & 0x0f) != DW_EH_PE_sdata4 ||
	    p[2] != DW_EH_PE_udata4 || p[3] != TABLE)
		return;
	uint64_t count = (uint32_t)word(p + 8);
	if (count > (size - HEAD) / PAIR)
		count = (size - HEAD) / PAIR;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t low = header + (uint64_t)(int64_t)word(p + HEAD + i * PAIR);
		uint64_t entry = header +
				 (uint64_t)(int64_t)word(p + HEAD + i * PAIR + 4);
		uint64_t high = UINT64_MAX; /* until the next one starts */
		/* Length, pointer to the common entry, start, bytes of code. */
		const uint8_t *e = ml_object_bytes(b, entry, 16);

		if (e && entry + 8 + (uint64_t)(int64_t)word(e + 8) == low)
			high = low + (uint32_t)word(e + 12);
		if (s->funcs && low <= s->func[s->funcs - 1].low)
			continue;
		s->func = ml_grow(s->func, &s->func_cap, s->funcs + 1, sizeof(*s->func));
		s->func[s->funcs++] = (struct ml_bounds){ low, high };
	}
}

bool ml_stripped_start(struct ml_stripped *s, struct ml_object *b, uint64_t vaddr,
		       uint64_t *start)
{
	Elf *elf = elf_of(b);
	size_t count;

	if (elf && !s->tried && !elf_getphdrnum(elf, &count))
		for (size_t i = 0; i < count; i++) {
			GElf_Phdr p;

			if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_GNU_EH_FRAME)
				read_starts(s, b, p.p_vaddr, p.p_filesz);
		}
	s->tried = true;
	size_t above = ml_search_above(s->func, s->funcs, sizeof(*s->func),
				       offsetof(struct ml_bounds, low), vaddr);
	if (!above || vaddr >= s->func[above - 1].high)
		return false;
	*start = s->func[above - 1].low;
	return true;
}

static void read_slots(struct ml_stripped *s, Elf *elf, Elf_Scn *section, GElf_Shdr *head,
		       bool is_plt)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *link = elf_getscn(elf, head->sh_link);
	GElf_Shdr symbols_head;
	Elf_Data *symbols = link ? elf_getdata(link, NULL) : NULL;

	if (!data || !symbols || !gelf_getshdr(link, &symbols_head) || !head->sh_entsize)
		return;
	size_t count = data->d_size / head->sh_entsize;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Rela r;
		GElf_Sym sym;

		if (!gelf_getrela(data, (int)i, &r) || !GELF_R_SYM(r.r_info) ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		const char *name = elf_strptr(elf, symbols_head.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		*ml_map_add(&s->slots, r.r_offset, NULL) = (uint64_t)(uintptr_t)name;
		if (is_plt)
			*ml_map_add(&s->numbers, i, NULL) = (uint64_t)(uintptr_t)name;
	}
}

static void read_stubs(struct ml_stripped *s, Elf *elf)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	for (Elf_Scn *n = NULL; (n = elf_nextscn(elf, n));) {
		GElf_Shdr h;
		const char *name = gelf_getshdr(n, &h) ? elf_strptr(elf, names, h.sh_name)
						       : NULL;

		if (!name)
			continue;
		if (strncmp(name, ".plt", 4) == 0 && h.sh_addr + h.sh_size > h.sh_addr) {
			s->plt = ml_grow(s->plt, &s->plt_cap, s->plts + 1,
					 sizeof(*s->plt));
			s->plt[s->plts++] = (struct ml_bounds){ h.sh_addr,
								h.sh_addr + h.sh_size };
		}
		if (h.sh_type == SHT_RELA && h.sh_flags & SHF_ALLOC)
			read_slots(s, elf, n, &h, strcmp(name, ".rela.plt") == 0);
	}
}

/* The instructions of x86-64 stubs: jmp *slot(%rip), perhaps with bnd; push $number. */
const char *ml_stripped_stub(struct ml_stripped *s, struct ml_object *b, uint64_t vaddr,
			     struct ml_arena *a)
{
	Elf *elf = elf_of(b);
	bool inside = false;

	if (elf && !s->tried_stubs)
		read_stubs(s, elf);
	s->tried_stubs = true;
	for (size_t i = 0; i < s->plts; i++)
		inside |= vaddr >= s->plt[i].low && vaddr < s->plt[i].high;
	const uint8_t *p = inside ? ml_object_bytes(b, vaddr, 7) : NULL;
	if (!p)
		return NULL;
	const uint64_t *name = NULL;
	unsigned prefix = p[0] == 0xf2;
	if (p[prefix] == 0xff && p[prefix + 1] == 0x25)
		name = ml_map_find(&s->slots,
				   vaddr + prefix + 6 +
					   (uint64_t)(int64_t)word(p + prefix + 2));
	else if (p[0] == 0x68)
		name = ml_map_find(&s->numbers, (uint32_t)word(p + 1));
	return name ? ml_arena_printf(a, "%s@plt", (const char *)(uintptr_t)*name)
		    : "plt";
}
