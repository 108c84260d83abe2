/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/has_hooks.h"

#include <elf.h>

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_vki.h"

enum { NOTES_MAX = 4096 };

static Bool read_at(Int fd, ULong offset, void *to, Int size)
{
	return VG_(lseek)(fd, (Off64T)offset, VKI_SEEK_SET) == (Off64T)offset &&
	       VG_(read)(fd, to, size) == size;
}

/* Does this segment of notes contain ours? */
static Bool has_note(Int fd, const Elf64_Phdr *p)
{
	static const HChar name[] = "memlamp";
	HChar bytes[NOTES_MAX];
	Elf64_Nhdr n;

	if (p->p_filesz > sizeof(bytes) ||
	    !read_at(fd, p->p_offset, bytes, (Int)p->p_filesz))
		return False;
	for (ULong at = 0; at + sizeof(n) <= p->p_filesz;) {
		VG_(memcpy)(&n, bytes + at, sizeof(n));
		at += sizeof(n);
		if (n.n_namesz == sizeof(name) && at + sizeof(name) <= p->p_filesz &&
		    VG_(memcmp)(bytes + at, name, sizeof(name)) == 0)
			return True;
		at += (n.n_namesz + 3ull) / 4 * 4 + (n.n_descsz + 3ull) / 4 * 4;
	}
	return False;
}

Bool has_hooks(const HChar *path)
{
	Elf64_Ehdr head;
	Elf64_Phdr p;
	Bool found = False;
	Int fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);

	if (fd < 0)
		return False;
	if (!read_at(fd, 0, &head, sizeof(head)) ||
	    VG_(memcmp)(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		head.e_phnum = 0;
	for (UInt i = 0; i < head.e_phnum && !found; i++) {
		if (!read_at(fd, head.e_phoff + i * sizeof(p), &p, sizeof(p)))
			break;
		found = p.p_type == PT_NOTE && has_note(fd, &p);
	}
	VG_(close)(fd);
	return found;
}
