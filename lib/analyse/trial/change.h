/*
 * A change of a program as caches and TLBs see it: the addresses that its references
 * would have, or the references that it would not make. whatif.h simulates changes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_elements;

enum ml_change_kind {
	ML_CHANGE_NONE,
	ML_CHANGE_PAD,   /* rows of `pitch` bytes are followed by `pad` unused ones */
	ML_CHANGE_SHIFT, /* the region starts `pad` bytes later */
	ML_CHANGE_TURN, /* rows of `pitch` bytes and columns of `unit` bytes change places
			 */
	ML_CHANGE_SPLIT, /* elements of `pitch` bytes are split in two, each part in an
			    array of its own */
	ML_CHANGE_PACK, /* elements of `pitch` bytes (0: whole blocks) move to `places` */
	ML_CHANGE_SHRINK, /* elements of `pitch` bytes shrink to `unit` bytes */
	ML_CHANGE_LIST,   /* the references at times `list` go to the addresses `other` */
	ML_CHANGE_MIRROR, /* offsets from `pitch` to `unit` are walked backwards between
			     every other two of the times in `list` */
	ML_CHANGE_DROP,   /* the references are not made */
	ML_CHANGE_LARGE_PAGES, /* pages of `pitch` bytes instead of `unit`: the addresses
				  stay */
};

/*
 * The allocator of glibc takes 8 bytes of a block for itself and 32 at least, in steps of
 * 16. A block's data start 16 bytes behind the start of such a chunk.
 */
enum { ML_HEAP_HEADER = 16, ML_HEAP_OWN = 8, ML_HEAP_MIN = 32, ML_HEAP_STEP = 16 };

static inline uint32_t ml_heap_chunk(uint64_t size)
{
	uint64_t chunk = (size + ML_HEAP_OWN + ML_HEAP_STEP - 1) / ML_HEAP_STEP *
			 ML_HEAP_STEP;

	return (uint32_t)(chunk < ML_HEAP_MIN ? ML_HEAP_MIN : chunk);
}

struct ml_change {
	enum ml_change_kind kind;
	uint32_t region; /* of the trace's tables */
	uint64_t pitch, unit, pad;
	/* TURN: all rows, where each row is a block of its own; size 0: a block has many
	 */
	uint64_t base, size;
	/*
	 * SPLIT: the new offset of each byte of an element. Offsets below `unit` lie in
	 * the first part, which has `unit` bytes for each element; the others, less
	 * `unit`, in the second part, which has `pad` bytes.
	 */
	const uint32_t *to;
	/*
	 * SPLIT of elements that are heap blocks of their own: bytes that the allocator
	 * takes for a block before, and for a block of each part after; 0: elements lie
	 * side by side.
	 */
	uint32_t chunk, first_chunk, second_chunk;
	/*
	 * by site of the caller, or of the reference: change only these references; NULL:
	 * all
	 */
	const bool *by;
	/* PACK: new addresses by number of the element; those of other elements, and
	 * those with the new address 0, stay */
	const struct ml_elements *elements;
	const uint64_t *places;
	const uint64_t *list;  /* LIST, MIRROR: times, ascending */
	const uint64_t *other; /* LIST: addresses */
	size_t list_count;
	bool partial; /* LIST: references that it does not list count for nothing */
	const struct ml_change *also; /* further changes of the same trial, or NULL */
};

/* The block that a reference accesses; size 0: unknown. */
struct ml_change_block {
	uint64_t base, size, number;
};

/* One reference before the change. References come in the order of their times. */
struct ml_change_ref {
	uint64_t addr, size, time;
	size_t *at; /* state of the change: entries of its list that are past; starts at 0
		     */
};

/* The key in `elements` of the element at this offset of a block. */
uint64_t ml_change_element(uint64_t pitch, uint64_t block, uint64_t offset);
/* Addresses from here on are for packed elements: no program uses them. */
extern const uint64_t ml_change_packed;

/* The address after the change; not for DROP. */
uint64_t ml_change_address(const struct ml_change *c, const struct ml_change_ref *r,
			   const struct ml_change_block *b);
