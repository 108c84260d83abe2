/*
 * What the tests of debug information share: programs from tests/traces/debuginfo,
 * compiled into a scratch folder when the test runs, and mapped as a recorder would
 * report it: the segments of the file at an invented load address.
 */
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/trace/tables.h"
#include "record/symbols/objects.h"
#include "tests/test.h"

enum { TEST_PAGE = 4096 };

struct scratch {
	char folder[64];
};

static inline struct scratch scratch_open(void)
{
	struct scratch s = { "/tmp/memlamp-test-XXXXXX" };

	CHECK(mkdtemp(s.folder) != NULL);
	return s;
}

/* Runs a command in the scratch folder; $S is the folder of the test programs. */
static inline void scratch_run(const struct scratch *s, const char *command)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "S='" TESTS "/traces/debuginfo' && cd '%s' && { %s; }", s->folder,
		 command);
	if (system(text) != 0)
		TEST_SAY("fails: %s", command);
}

static inline void scratch_close(const struct scratch *s)
{
	scratch_run(s, "rm -r -- \"$PWD\"");
}

static inline const char *scratch_path(const struct scratch *s, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", s->folder, name);
	return path;
}

static inline uint64_t page_down(uint64_t v)
{
	return v & ~(uint64_t)(TEST_PAGE - 1);
}

/* Maps the segments of an ELF file; bias is 0 for programs that are not PIE. */
static inline void map_file(struct ml_objects *o, const char *path, uint64_t bias)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	CHECK(fd >= 0 && !fstat(fd, &st));
	uint8_t *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(p != MAP_FAILED);
	const Elf64_Ehdr *head = (const void *)p;
	const Elf64_Phdr *ph = (const void *)(p + head->e_phoff);
	for (int i = 0; i < head->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		uint64_t low = page_down(ph[i].p_vaddr), skip = ph[i].p_vaddr - low;
		uint64_t high = page_down(ph[i].p_vaddr + ph[i].p_filesz + TEST_PAGE - 1);
		uint32_t f = ph[i].p_flags;

		ml_objects_map(o, bias + low, bias + high, ph[i].p_offset - skip,
			       (uint8_t)((f & PF_R ? 1 : 0) | (f & PF_W ? 2 : 0) |
					 (f & PF_X ? 4 : 0)),
			       ML_MAPPING_FILE, path);
	}
	munmap(p, (size_t)st.st_size);
	close(fd);
}

/* The first number that a command of the scratch folder prints, in hexadecimal. */
static inline uint64_t scratch_hex(const struct scratch *s, const char *command)
{
	char text[4096];
	unsigned long long v = 0;

	snprintf(text, sizeof(text), "cd '%s' && { %s; }", s->folder, command);
	FILE *f = popen(text, "r");
	CHECK(f != NULL);
	if (fscanf(f, "%llx", &v) != 1)
		TEST_SAY("prints no number: %s", command);
	pclose(f);
	return v;
}
