/*
 * The part of explain_lru_body.h that looks ahead; only that header includes it.
 *
 * Large simulated caches do not fit into those of the host. So the accesses of the next
 * strips are looked at ahead of time: those that will likely miss the first level become
 * candidates, and what their misses will read is fetched into the host's caches, in
 * three steps, each of which needs what the one before it has fetched.
 */
#pragma once

enum { STRIP = 32, VICTIMS = 3 * STRIP, FEW = 10 };

struct ahead {
	uint64_t line[STRIP];
	uint32_t victim[VICTIMS]; /* numbers of lines that will likely be evicted... */
	uint8_t depth[VICTIMS];   /* ...from these depths */
	unsigned count, victims;
};

INLINE void fetch_row(const struct explain_cache *c, uint64_t line)
{
	const uint32_t *row = explain_numbers(c, explain_set(c, line));

	__builtin_prefetch(row);
	__builtin_prefetch(row + 16);
}

/* Fetches what is known of the line at a place. */
INLINE void fetch_place(const struct explain_cache *c, size_t at)
{
	__builtin_prefetch(&c->uses[at], 1);
	__builtin_prefetch(&c->notes[at], 1);
}

/* Step 1: finds the candidates; fetches the rows of their sets and their page. */
INLINE void look_far(const struct ml_explain_lru *x, const struct ml_accesses *a,
		     size_t from, struct ahead *h)
{
	const struct explain_cache *c = &x->cache[0];
	size_t end = from + STRIP < a->count ? from + STRIP : a->count;
	uint64_t last = UINT64_MAX;

	h->count = h->victims = 0;
	for (size_t i = from; i < end; i++) {
		uint64_t line = a->addr[i] >> x->bits;
		size_t first = (size_t)explain_set(c, line) * c->lanes;

		h->line[h->count] = line;
		h->count += line != last &&
			    !find_line(c->lines + first, c->lanes, line + 1);
		last = line;
	}
	for (unsigned i = 0; i < h->count; i++) {
		uint64_t page = h->line[i] >> ML_LINE_PAGE_BITS;

		__builtin_prefetch(
			&x->book.slots[ml_line_book_hash(page) & (x->book.room - 1)]);
		for (unsigned depth = 1; depth < x->inner; depth++)
			fetch_row(&x->cache[depth], h->line[i]);
	}
}

/* Step 2: finds the lines that the candidates will evict. */
INLINE void look_near(const struct ml_explain_lru *x, struct ahead *h)
{
	for (unsigned i = 0; i < h->count; i++) {
		uint64_t line = h->line[i], page = line >> ML_LINE_PAGE_BITS;
		uint32_t first = ml_line_book_slot(&x->book, page)->first;

		/* a line that has no number yet is nowhere */
		uint32_t number = first ? first + (uint32_t)(line & (ML_LINE_PAGE - 1))
					: EXPLAIN_NO_NUMBER;

		for (unsigned depth = 0; depth < x->inner; depth++) {
			const struct explain_cache *c = &x->cache[depth];
			uint32_t set = explain_set(c, line);
			uint32_t m = depth ? find_number(explain_numbers(c, set),
							 c->lanes, number)
					   : 0;

			if (m) {
				/* an exclusive level gives the line away */
				if (c->exclusive)
					fetch_place(c,
						    (size_t)set * c->lanes +
							    (unsigned)__builtin_ctz(m));
				break;
			}
			if (c->exclusive)
				continue;
			unsigned lane = oldest(explain_times(c, set), c->lanes);
			size_t at = (size_t)set * c->lanes + lane;
			uint32_t victim = depth ? explain_numbers(c, set)[lane]
						: c->notes[at].number;

			fetch_place(c, at);
			if (!victim || h->victims == VICTIMS)
				continue;
			h->victim[h->victims] = victim;
			h->depth[h->victims++] = (uint8_t)depth;
			if (depth + 1 < x->inner)
				fetch_row(&x->cache[depth + 1],
					  ml_line_book_line(&x->book, victim));
		}
	}
}

/* Step 3: fetches the notes of copies further out. */
INLINE void look_at_copies(const struct ml_explain_lru *x, const struct ahead *h)
{
	for (unsigned i = 0; i < h->victims; i++) {
		if (h->depth[i] + 1u >= x->inner)
			continue;
		const struct explain_cache *c = &x->cache[h->depth[i] + 1];
		uint64_t line = ml_line_book_line(&x->book, h->victim[i]);
		uint32_t set = explain_set(c, line);
		int64_t at = find(c, c->depth, line, h->victim[i], set);

		if (at == EXPLAIN_NOWHERE && c->exclusive)
			at = (int64_t)((size_t)set * c->lanes +
				       oldest(explain_times(c, set), c->lanes));
		if (at != EXPLAIN_NOWHERE)
			fetch_place(c, (size_t)at);
	}
}

INLINE void look_ahead(const struct ml_explain_lru *x, const struct ml_accesses *a,
		       size_t i, struct ahead ring[4])
{
	size_t strip = i / STRIP;

	if (i == 0) {
		look_far(x, a, 0, &ring[0]);
		look_far(x, a, STRIP, &ring[1]);
		look_near(x, &ring[0]);
	}
	if (i + 2 * STRIP < a->count)
		look_far(x, a, i + 2 * STRIP, &ring[(strip + 2) % 4]);
	else
		ring[(strip + 2) % 4].count = ring[(strip + 2) % 4].victims = 0;
	look_near(x, &ring[(strip + 1) % 4]);
	look_at_copies(x, &ring[strip % 4]);
}
