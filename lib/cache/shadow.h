/*
 * What it takes to tell why a cache missed: every line that it was ever asked for,
 * and a fully associative LRU cache of the same number of lines that is asked for
 * the same. A line that this one has was lost to a conflict; one that it has not, to
 * capacity. An entry also remembers whose line drove this one out.
 *
 * Entries are kept for ever; those that the LRU cache holds are in a list, the most
 * recently used first. Zero bytes with `lines` set are an empty shadow. Entry 0 is
 * none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_shadow {
	struct ml_shadow_entry {
		uint64_t line;
		uint32_t newer, older; /* in the list */
		uint32_t evictor;      /* owner, or ML_NO_OWNER */
		bool asked, listed;
	} * entries;
	size_t count, cap; /* of entries */
	uint32_t *slots;   /* entry by hash, 0 is empty */
	size_t room;       /* of slots, a power of two */
	size_t lines;      /* the list holds at the most */
	size_t listed;
	uint32_t newest, oldest;
};

/* The entry of a line, a new one if there is none. */
uint32_t ml_shadow_find(struct ml_shadow *s, uint64_t line);

enum ml_shadow_answer { ML_SHADOW_NEW, ML_SHADOW_HAS, ML_SHADOW_LOST };
/* A demand: was it asked for before, and does the LRU cache have it? Then it does. */
enum ml_shadow_answer ml_shadow_ask(struct ml_shadow *s, uint32_t entry);

void ml_shadow_release(struct ml_shadow *s); /* also empties it; lines stays */
