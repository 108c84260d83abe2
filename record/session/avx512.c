#include "record/session/avx512.h"

#include <elf.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "record/reader/process.h"

enum {
	WHOLE = 0x48,  /* the last byte of the prefix: 512 bits, no mask */
	MOVE_SIZE = 5, /* the prefix of 4 bytes and the opcode */
	/* Other bytes look like a move once in 2^25, and once in 2^30 like one of 512
	 * bits, which counts twice: few of them prove nothing. */
	MOVES_MIN = 4,
};

/*
 * vmovups, vmovapd, vmovdqu64 and the like with an EVEX prefix (Intel's manual, volume 2,
 * section 2.7): 62, map 1 with four bits of registers, no second source (vvvv 1111 and
 * V' 1), and not the bit of broadcast and rounding.
 */
static bool is_move(const uint8_t *p)
{
	static const uint8_t opcodes[] = { 0x10, 0x11, 0x28, 0x29, 0x6f, 0x7f };

	return p[0] == 0x62 && (p[1] & 0x0f) == 1 && (p[2] & 0x7c) == 0x7c &&
	       (p[3] & 0x18) == 0x08 && (p[3] & 0x60) != 0x60 &&
	       memchr(opcodes, p[4], sizeof(opcodes));
}

static unsigned count_moves(const uint8_t *p, uint64_t size)
{
	unsigned count = 0;

	for (const uint8_t *end = p + size; end - p >= MOVE_SIZE; p++) {
		p = memchr(p, 0x62, (size_t)(end - p) - MOVE_SIZE + 1);
		if (!p)
			break;
		if (is_move(p))
			count += p[3] == WHOLE ? 2 : 1;
	}
	return count;
}

static unsigned moves_in(const uint8_t *file, uint64_t size)
{
	unsigned count = 0;
	Elf64_Ehdr head;
	Elf64_Phdr p;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, file, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		uint64_t at = head.e_phoff + i * sizeof(p);

		if (at > size || size - at < sizeof(p))
			break;
		memcpy(&p, file + at, sizeof(p));
		if (p.p_type == PT_LOAD && p.p_flags & PF_X && p.p_offset < size &&
		    p.p_filesz <= size - p.p_offset)
			count += count_moves(file + p.p_offset, p.p_filesz);
	}
	return count;
}

bool ml_avx512_is_in(const char *program)
{
	char path[PATH_MAX];
	struct ml_file_map map;
	struct ml_err err;

	if (!ml_process_path(program, path) || !ml_file_map_open(&map, path, &err))
		return false;
	bool found = moves_in(map.data, map.size) >= MOVES_MIN;
	ml_file_map_close(&map);
	return found;
}
