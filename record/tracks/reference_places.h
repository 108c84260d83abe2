/*
 * The places of a program built by `memlamp cc` that make references, by the word that
 * names each in the ring (record/ring.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_objects;
struct ml_writer;

struct ml_reference_place {
	uint64_t word; /* that names it in the ring; 0: this entry is empty */
	uint32_t path; /* of the reference alone */
	uint32_t site;
	uint32_t number; /* of the shape of the reference alone */
	uint8_t call;    /* ML_REF_ENTRY or RETURN: no reference; else 0 */
	uint8_t slots;   /* 1, or 2 if it reads and writes */
	bool user;
};

struct ml_reference_places {
	struct ml_objects *objects;
	struct ml_writer *writer;
	struct ml_reference_place
		*at; /* by hash, open addressing; cap is a power of two */
	size_t count, cap;
};

void ml_reference_places_init(struct ml_reference_places *p, struct ml_objects *objects,
			      struct ml_writer *writer);
void ml_reference_places_release(struct ml_reference_places *p);
/* Forgets all places: other code may be mapped where some was. */
void ml_reference_places_forget(struct ml_reference_places *p);
/* The place that a word names. Valid until the next call. */
struct ml_reference_place *ml_reference_places_find(struct ml_reference_places *p,
						    uint64_t word);

/* Does a pair of words, place and address, begin with this one? */
static inline bool ml_reference_is_pair(uint64_t word)
{
	return !(word >> 63) && word >> 48;
}
