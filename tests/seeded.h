/*
 * A mutator for files of ours. It knows what a mutation by chance does not: a file of the
 * present version, made by our own writer. So no target starts from files that the
 * version check refuses. Fuzz builds have no checksums and no compression
 * (cmake/fuzz.cmake): a number of a file that changes is a number that its reader sees,
 * as if the checksum had been repaired. Most changes leave the size of the file as it is,
 * because sizes and offsets of blocks would not fit any more.
 */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

enum {
	SEEDED_FRESH = 3, /* one input of so many comes from a whole file */
	SEEDED_VARIANTS = 8,
	SEEDED_CHANGES = 4
};

/* A path of this process; the same for the same name. */
static inline const char *seeded_path(const char *name)
{
	static char path[8][80];
	static unsigned next;
	char *at = path[next++ % 8];

	snprintf(at, sizeof(*path), "/tmp/fuzz-%d-%s", getpid(), name);
	return at;
}

/* Reads a file and removes it; 0: it is larger than `max`. */
static inline size_t seeded_take(const char *path, uint8_t *data, size_t max)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, data, max);
	uint8_t more;
	bool whole = fd >= 0 && read(fd, &more, 1) == 0;

	if (fd >= 0)
		close(fd);
	unlink(path);
	return whole && n > 0 ? (size_t)n : 0;
}

/* Writes one of the numbers that readers get wrong. */
static inline void seeded_change(uint8_t *data, size_t size, unsigned *seed)
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 254, 255 };
	size_t at = (size_t)rand_r(seed) % size;
	unsigned n = 1u << rand_r(seed) % 4;

	switch (rand_r(seed) % 4) {
	case 0: data[at] = bytes[(size_t)rand_r(seed) % sizeof(bytes)]; break;
	case 1: data[at] = (uint8_t)(data[at] + (rand_r(seed) % 2 ? 1 : -1)); break;
	case 2: data[at] = (uint8_t)rand_r(seed); break;
	default: /* a large number, fixed or as a varint */
		for (size_t i = at; i < at + n && i < size; i++)
			data[i] = rand_r(seed) % 8 ? 0xff : 0x7f;
	}
}

/* make: writes a file of some variant and returns its size; 0: it does not fit. */
static inline size_t seeded_mutate(uint8_t *data, size_t size, size_t max, unsigned seed,
				   size_t (*make)(uint8_t *data, size_t max,
						  unsigned variant))
{
	if (size < 16 || rand_r(&seed) % SEEDED_FRESH == 0) {
		/* made once: writing one takes longer than reading it */
		static struct {
			uint8_t *data;
			size_t size;
		} made[SEEDED_VARIANTS];
		unsigned variant = (unsigned)rand_r(&seed) % SEEDED_VARIANTS;

		if (!made[variant].data) {
			made[variant].data = malloc(max);
			made[variant].size = make(made[variant].data, max, variant);
		}
		if (made[variant].size && made[variant].size <= max) {
			size = made[variant].size;
			memcpy(data, made[variant].data, size);
		}
	}
	if (size < 16 || rand_r(&seed) % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	for (int n = 1 + rand_r(&seed) % SEEDED_CHANGES; n > 0; n--)
		seeded_change(data, size, &seed);
	return size;
}
