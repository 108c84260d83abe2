/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/load.h"

#include <elf.h>

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "record/valgrind/core.h"

enum { HEAD_BYTES = 4096 };

/* Is the program the only mapped file? A dynamic program has a loader beside it. */
static Bool is_alone(void)
{
	const HChar *first = NULL;
	Bool alone = True;
	Int count;
	Addr *starts = VG_(get_segment_starts)(SkFileC, &count);

	for (Int i = 0; i < count; i++) {
		const HChar *name =
			VG_(am_get_filename)(VG_(am_find_nsegment)(starts[i]));

		if (!name)
			continue;
		if (!first)
			first = name;
		else if (VG_(strcmp)(first, name) != 0)
			alone = False;
	}
	VG_(free)(starts);
	return alone;
}

static Addr down(Addr at)
{
	return at & ~(Addr)(VKI_PAGE_SIZE - 1);
}

static Bool map_part(Int fd, Addr base, const Elf64_Phdr *p)
{
	Addr low = down(p->p_vaddr),
	     high = down(p->p_vaddr + p->p_filesz + VKI_PAGE_SIZE - 1);
	UInt prot = (p->p_flags & PF_R ? VKI_PROT_READ : 0u) |
		    (p->p_flags & PF_W ? VKI_PROT_WRITE : 0u) |
		    (p->p_flags & PF_X ? VKI_PROT_EXEC : 0u);

	return !sr_isError(VG_(am_mmap_file_fixed_client)(base + low, high - low, prot,
							  fd, (Off64T)down(p->p_offset)));
}

static void map_file(Int fd)
{
	_Alignas(8) HChar head[HEAD_BYTES];
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)head;
	const Elf64_Phdr *p;
	Addr base, size = 0;
	Bool found;

	if (VG_(read)(fd, head, sizeof(head)) < (Int)sizeof(*e) ||
	    VG_(memcmp)(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_phoff + e->e_phnum * sizeof(*p) > sizeof(head))
		return;
	p = (const Elf64_Phdr *)(head + e->e_phoff);
	for (UInt i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			size = p[i].p_vaddr + p[i].p_memsz;
	base = VG_(am_get_advisory_client_simple)(0, size, &found);
	for (UInt i = 0; found && i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && !map_part(fd, base, &p[i]))
			return;
}

void load_wrappers(void)
{
	const HChar *folder = VG_(getenv)("VALGRIND_LIB");
	HChar path[VKI_PATH_MAX];
	Int fd;

	if (!folder || !is_alone())
		return;
	VG_(snprintf)
	(path, sizeof(path), "%s/vgpreload_memlamp-amd64-linux.so", folder);
	fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
	if (fd < 0)
		return;
	map_file(fd);
	VG_(close)(fd);
}
