#include "record/symbols/debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The CRC-32 of .gnu_debuglink, as in gzip. */
static uint32_t crc32_of(const uint8_t *p, size_t size)
{
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ p[i]) & 255];
	return ~crc;
}

static bool same_crc(int fd, uint32_t crc)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return false;
	size_t size = (size_t)st.st_size;
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	bool same = crc32_of(p, size) == crc;
	munmap(p, size);
	return same;
}

/* Equal build ids prove as much as the checksum, without reading a large file. */
static bool same_build(Dwfl_Module *module, int fd)
{
	const unsigned char *id;
	GElf_Addr where;
	int size = dwfl_module_build_id(module, &id, &where);

	if (size <= 0)
		return false;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *other;
	bool same = elf && dwelf_elf_gnu_build_id(elf, &other) == size &&
		    memcmp(id, other, (size_t)size) == 0;
	elf_end(elf);
	return same;
}

static int try_file(Dwfl_Module *module, const char *path, const char *program,
		    uint32_t crc)
{
	if (strcmp(path, program) == 0)
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !same_build(module, fd) && !same_crc(fd, crc)) {
		close(fd);
		return -1;
	}
	return fd;
}

int ml_debug_file_find(Dwfl_Module *module, void **userdata, const char *name,
		       Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
		       char **found)
{
	/* Without `file`, libdw asks for the supplementary file of dwz, which it finds
	 * itself. */
	if (!file)
		return -1;
	int fd = dwfl_build_id_find_debuginfo(module, userdata, name, base, file, link,
					      crc, found);
	if (fd >= 0 || !link || !*link || strchr(link, '/'))
		return fd;

	static const struct {
		const char *above, *below;
	} places[] = { { "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" } };
	char real[PATH_MAX], path[PATH_MAX + 64];
	if (!realpath(file, real))
		return -1;
	int folder = (int)(strrchr(real, '/') - real);
	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(*places); i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i].above,
				 folder, real, places[i].below, link);
		if (n > 0 && (size_t)n < sizeof(path))
			fd = try_file(module, path, real, crc);
	}
	if (fd >= 0)
		*found = strdup(path); /* libdwfl frees it */
	return fd;
}
