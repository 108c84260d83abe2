#include "record/reader/thread_merge.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "record/reader/ring_reader.h"
#include "record/reader/ring_slots.h"
#include "record/arch/ticks.h"

enum { STAMP_WORDS = ML_RING_STAMP_BYTES / 8 };

/* How far the words of a thread have been read, and how far this round may read. */
struct ml_thread_merge_slot {
	struct ml_ring *ring;
	const uint64_t *data, *stamps;
	uint32_t thread, segments;
	uint32_t segment,
		head;     /* number of the segment being read, of the last to read */
	size_t at, until; /* next word of `segment`, end in `head` */
	bool closed;
	size_t end;     /* of the piece at `at`, in words of its segment */
	uint64_t clock; /* at the beginning of that piece */
	bool ready;     /* there is such a piece */
};

static void add(struct ml_thread_merge *s, struct ml_ring *ring)
{
	char *data = (char *)ring + ML_RING_PAGE;
	uint32_t segments = ring->segments;

	ring->taken = 1;
	s->slots = ml_grow(s->slots, &s->cap, s->count + 1, sizeof(*s->slots));
	s->slots[s->count++] = (struct ml_thread_merge_slot){
		.ring = ring,
		.data = (const uint64_t *)(const void *)data,
		.stamps = (const uint64_t *)(const void *)(data + ML_RING_DATA_BYTES),
		.thread = ring->thread,
		.segments = segments && segments <= ML_RING_SEGMENTS ? segments
								     : ML_RING_SEGMENTS,
	};
}

void ml_thread_merge_init(struct ml_thread_merge *s, struct ml_ring_slots *ring,
			  struct ml_ring *first, struct ml_ring_reader *reader)
{
	*s = (struct ml_thread_merge){ .reader = reader,
				       .ring = ring,
				       .first = first,
				       .birth = first->birth,
				       .bell = ring->control->bell - 1 };
	add(s, first);
}

void ml_thread_merge_release(struct ml_thread_merge *s)
{
	ml_free(s->slots);
	ml_free(s->heap);
	ml_free(s->unstamped);
}

/* Looks for slots of new threads. True: there may be new ones. */
static bool find_new(struct ml_thread_merge *s)
{
	uint32_t bell = __atomic_load_n(&s->ring->control->bell, __ATOMIC_ACQUIRE);
	struct ml_ring_owner x;

	if (bell == s->bell)
		return false;
	s->bell = bell;
	for (uint32_t i = 0, top = ml_ring_slots_top(s->ring); i < top; i++)
		/* `taken` of the slots of other processes belongs to other workers */
		if (ml_ring_slots_look(s->ring, i, &x) && x.thread > 1 &&
		    x.birth == s->birth && !x.taken)
			add(s, ml_ring_slot(s->ring->control, i));
	return true;
}

/* Notes how far the thread has written. */
static void note_end(struct ml_thread_merge_slot *t)
{
	struct ml_ring *r = t->ring;
	uint32_t head, again;
	uint64_t cur;

	t->closed = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == ML_RING_CLOSED;
	do {
		head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
		cur = __atomic_load_n(&r->cur, __ATOMIC_ACQUIRE);
		again = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
	} while (head != again);
	uint64_t begin = r->data +
			 (uint64_t)(head % t->segments) * ML_RING_SEGMENT_WORDS * 8;
	uint64_t used = (cur - begin) / 8;
	if (head - t->segment > t->segments)
		head = t->segment; /* a broken header: read nothing */
	t->head = head;
	/* cur may still lie in the segment before */
	t->until = cur < begin || used > ML_RING_SEGMENT_WORDS ? 0 : used & ~(size_t)1;
}

/* The end of the words that this round may read of the present segment. */
static size_t limit(const struct ml_thread_merge_slot *t)
{
	if (t->segment == t->head)
		return t->until;
	size_t used = t->ring->used[t->segment % t->segments];
	return used < ML_RING_SEGMENT_WORDS ? used : ML_RING_SEGMENT_WORDS;
}

static const uint64_t *segment_of(const struct ml_thread_merge_slot *t)
{
	return t->data + (size_t)(t->segment % t->segments) * ML_RING_SEGMENT_WORDS;
}

/* Returns the present segment to its thread. */
static void consume(struct ml_thread_merge_slot *t)
{
	t->segment++;
	t->at = 0;
	if (ml_ring_advance(&t->ring->tail, t->segment, &t->ring->tail_wanted))
		syscall(SYS_futex, &t->ring->tail, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Moves on to the next words; false: there are none in this round. */
static bool advance(struct ml_thread_merge_slot *t)
{
	while (t->at >= limit(t)) {
		if (t->segment == t->head)
			return false;
		consume(t);
	}
	return true;
}

static bool is_stamp(uint64_t word)
{
	return word >> 56 == ML_WORD(ML_WORD_STAMP, 0, 0) >> 56;
}

/* Finds the piece at `at`, which ends at the next stamp or where this round ends. */
static void find_piece(struct ml_thread_merge_slot *t)
{
	t->ready = advance(t);
	if (!t->ready)
		return;
	const uint64_t *w = segment_of(t);
	size_t max = limit(t), at = t->at;

	if (is_stamp(w[at]) && at + 1 < max)
		t->clock = w[at + 1];
	else if (at % STAMP_WORDS == 0)
		t->clock = t->stamps[(size_t)(t->segment % t->segments) *
					     ML_RING_SEGMENT_STAMPS +
				     at / STAMP_WORDS];
	size_t page = at / STAMP_WORDS;
	do
		at += w[at] >> 63 ? 1 + (size_t)ML_WORD_COUNT(w[at]) : 2;
	while (at < max && at / STAMP_WORDS == page && !is_stamp(w[at]));
	t->end = at < max ? at : max;
}

static bool feed(struct ml_thread_merge *s, struct ml_thread_merge_slot *t, size_t end,
		 struct ml_err *err)
{
	const uint64_t *w = segment_of(t);
	size_t from = t->at;

	t->at = end;
	ml_ring_reader_thread(s->reader, t->thread);
	return ml_ring_reader_feed(s->reader, w + from, end - from, err);
}

/*
 * The same without the stamps, which the reader ignores: between atomic operations they
 * would make runs of references as short as one reference.
 */
static bool feed_unstamped(struct ml_thread_merge *s, struct ml_thread_merge_slot *t,
			   size_t end, struct ml_err *err)
{
	const uint64_t *w = segment_of(t);
	size_t count = 0;

	s->unstamped = ml_grow(s->unstamped, &s->unstamped_cap, end - t->at,
			       sizeof(*s->unstamped));
	for (size_t at = t->at, next; at < end; at = next) {
		next = at + (w[at] >> 63 ? 1 + (size_t)ML_WORD_COUNT(w[at]) : 2);
		if (is_stamp(w[at]))
			continue;
		if (next > end)
			next = end;
		memcpy(s->unstamped + count, w + at, (next - at) * sizeof(*w));
		count += next - at;
	}
	t->at = end;
	ml_ring_reader_thread(s->reader, t->thread);
	return ml_ring_reader_feed(s->reader, s->unstamped, count, err);
}

/* The only thread: its words are in order already. */
static bool feed_alone(struct ml_thread_merge *s, struct ml_thread_merge_slot *t,
		       struct ml_err *err)
{
	while (advance(t))
		if (!feed(s, t, limit(t), err))
			return false;
	return true;
}

/* Moves the thread at the top of the heap down to where its clock belongs. */
static void sink(struct ml_thread_merge_slot **heap, size_t count, size_t i)
{
	struct ml_thread_merge_slot *t = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < count && heap[child + 1]->clock < heap[child]->clock)
			child++;
		if (child >= count || heap[child]->clock >= t->clock)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = t;
}

/* Puts all threads that have a piece into the heap; returns their number. */
static size_t fill_heap(struct ml_thread_merge *s)
{
	size_t count = 0;

	s->heap = ml_grow(s->heap, &s->heap_cap, s->count,
			  sizeof(struct ml_thread_merge_slot *));
	for (size_t i = 0; i < s->count; i++) {
		find_piece(&s->slots[i]);
		if (s->slots[i].ready)
			s->heap[count++] = &s->slots[i];
	}
	for (size_t i = count / 2; i-- > 0;)
		sink(s->heap, count, i);
	return count;
}

/* The clock of the earliest piece of all threads but the first of the heap. */
static uint64_t second(struct ml_thread_merge_slot *const *heap, size_t count)
{
	uint64_t clock = count > 1 ? heap[1]->clock : UINT64_MAX;

	return count > 2 && heap[2]->clock < clock ? heap[2]->clock : clock;
}

/*
 * Feeds pieces in order of the clock; consecutive pieces of one thread are fed as one. A
 * piece that begins later than `now` is left for the next round: it may depend on words
 * of another thread that were written after note_end looked at that thread.
 */
static bool merge(struct ml_thread_merge *s, uint64_t now, struct ml_err *err)
{
	size_t count = fill_heap(s);

	while (count && s->heap[0]->clock <= now) {
		struct ml_thread_merge_slot *t = s->heap[0];
		uint64_t next = second(s->heap, count);
		size_t from = t->at, end;
		uint32_t segment = t->segment;
		bool stamped = false;

		do {
			end = t->end;
			stamped |= is_stamp(segment_of(t)[t->at]);
			t->at = end;
			if (end >= limit(t))
				break; /* find_piece would return the segment to its
					  thread */
			find_piece(t);
		} while (t->ready && t->clock <= next && t->clock <= now &&
			 t->segment == segment);
		t->at = from;
		if (!(stamped ? feed_unstamped : feed)(s, t, end, err))
			return false;
		find_piece(t);
		if (!t->ready)
			s->heap[0] = s->heap[--count];
		if (count)
			sink(s->heap, count, 0);
	}
	return true;
}

/* Frees the slots of threads that have ended; the first stays with its process. */
static void drop_closed(struct ml_thread_merge *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct ml_thread_merge_slot *t = &s->slots[i];

		if (t->closed && t->thread > 1 && !advance(t))
			ml_ring_slots_free(s->ring, t->ring);
		else
			s->slots[kept++] = *t;
	}
	s->count = kept;
}

/* Tells the reader of threads that found no slot. */
static void note_unrecorded(struct ml_thread_merge *s)
{
	uint32_t n = __atomic_load_n(&s->first->unrecorded, __ATOMIC_RELAXED);

	if (n == s->unrecorded)
		return;
	s->unrecorded = n;
	ml_ring_reader_unrecorded(s->reader, n);
}

bool ml_thread_merge_round(struct ml_thread_merge *s, bool last, struct ml_err *err)
{
	uint64_t now = ml_ticks();

	if (last) /* a thread that was killed may have opened a slot and rung no bell */
		s->bell = __atomic_load_n(&s->ring->control->bell, __ATOMIC_ACQUIRE) - 1;
	/* a thread that started meanwhile may have written words that others depend on:
	 * look again at all */
	do {
		for (size_t i = 0; i < s->count; i++)
			note_end(&s->slots[i]);
	} while (find_new(s));
	bool ok = s->count == 1 ? feed_alone(s, &s->slots[0], err) : merge(s, now, err);
	note_unrecorded(s);
	drop_closed(s);
	return ok;
}

void ml_thread_merge_stop(struct ml_thread_merge *s)
{
	find_new(s);
	for (size_t i = 0; i < s->count; i++) {
		struct ml_ring *r = s->slots[i].ring;

		__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &r->tail, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

void ml_thread_merge_free(struct ml_ring_slots *ring, uint64_t birth)
{
	struct ml_ring_owner x;

	for (uint32_t i = 0, top = ml_ring_slots_top(ring); i < top; i++)
		if (ml_ring_slots_look(ring, i, &x) && x.thread > 1 && x.birth == birth)
			ml_ring_slots_free(ring, ml_ring_slot(ring->control, i));
}
