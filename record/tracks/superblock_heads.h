/*
 * Which tracks a superblock has that often begins something: when they are made, and
 * when they give way to better ones or get others at their side.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_guest_start;
struct ml_superblock_steps;
struct ml_superblock_track;

/* A step begins where there is no track; room words can be read. */
void ml_guest_heat(struct ml_superblock_steps *g, struct ml_guest_start *s,
		   const uint64_t *w, size_t room);
/*
 * The track was used so often that it is looked at: here it was left behind n parts,
 * for none of its side tracks, or n is 0.
 */
void ml_guest_review(struct ml_superblock_steps *g, struct ml_superblock_track *t,
		     const uint64_t *w, size_t room, unsigned n);
