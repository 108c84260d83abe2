/*
 * The superblocks that a program under Valgrind has declared, by the guest's number, and
 * how their steps are read from its words (record/ring.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/shape.h"
#include "record/ring.h"

struct ml_callers;
struct ml_superblock_head;

enum ml_superblock_where {
	ML_SUPERBLOCK_UNDECLARED,
	ML_SUPERBLOCK_LIBRARY,
	ML_SUPERBLOCK_USER
};

/* A superblock: what each of its steps needs, in a cache line. */
struct ml_superblock {
	uint32_t path; /* in the trace, of the whole; those of its exits stand before */
	uint8_t where; /* enum ml_superblock_where */
	bool returns;
	uint8_t place; /* for --only-in; belongs to the reader of the steps */
	bool brief;    /* its steps are brief (record/ring.h) */
	uint64_t head; /* of its steps (ml_word_head) */
	uint16_t bases, exits;
	int16_t sp_base, sp_end;     /* bases that tell the stack pointer; -1: none */
	int32_t sp_before, sp_after; /* sp_base + this: sp at entry; sp_end: at the end */
	const struct ml_exit *exit;
	struct ml_superblock_head *start; /* by exit, then of the whole */
	const struct ml_shape *shape;     /* for filters */
	const uint32_t *call; /* by exit, then of the whole: the site of the last call
				 instruction in the user's code; 0: none */
};

struct ml_superblocks {
	struct ml_superblock *at; /* by the guest's number */
	size_t count, cap;
	uint32_t slots_max; /* of the largest */
};

/* The superblock that a word says ran, or NULL. */
static inline struct ml_superblock *ml_superblocks_find(const struct ml_superblocks *s,
							uint64_t word)
{
	uint32_t id = ml_word_shape(word);

	return id < s->count && s->at[id].where != ML_SUPERBLOCK_UNDECLARED &&
			       s->at[id].head == ml_word_head(word)
		       ? &s->at[id]
		       : NULL;
}

/* Where the bases of a step begin. In a brief step the header is the first base too. */
static inline const uint64_t *ml_superblock_bases(const struct ml_superblock *k,
						  const uint64_t *w)
{
	return k->brief ? w : w + 1;
}

/*
 * How many exits before its end a step was left: the header of the next step stands
 * behind the bases of the exit, and can stand nowhere else. *bases is the number of bases
 * that the guest wrote.
 */
static inline uint32_t ml_superblock_left_at(const struct ml_superblock *k,
					     const uint64_t *value, size_t room,
					     size_t *bases)
{
	*bases = k->bases;
	for (unsigned i = 0; i < k->exits; i++) {
		size_t at = k->exit[i].bases;

		if (at >= room || value[at] >> 63) {
			*bases = at;
			return k->exits - i;
		}
	}
	return 0;
}

/* The values of as many bases as the guest wrote. */
static inline void ml_superblock_values(const struct ml_superblock *k, const uint64_t *w,
					size_t bases, uint64_t *value)
{
	for (size_t i = 0; i < bases; i++)
		value[i] = ML_WORD_VALUE(ml_superblock_bases(k, w)[i]);
}

/* The stack pointer before the step; sp if the step does not tell it. */
uint64_t ml_superblock_sp_before(const struct ml_superblock *k, const uint64_t *value,
				 size_t bases, uint64_t sp);
/* Notes for the callers what a step did; sp is the stack pointer before it. */
void ml_superblock_stepped(const struct ml_superblock *k, const uint64_t *value,
			   uint32_t back, uint64_t sp, struct ml_callers *c);
/* Notes which bases of the shape tell the stack pointer. */
void ml_superblock_note_sp(struct ml_superblock *k, const struct ml_shape *shape);
