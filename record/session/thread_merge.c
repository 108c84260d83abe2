#include "record/session/thread_merge.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "record/session/ring_reader.h"
#include "record/ring.h"

enum { STAMP_WORDS = ML_RING_STAMP_BYTES / 8 };

/* How far one thread has been read, and how far it may be read in this round. */
struct ml_thread_merge_slot {
	struct ml_ring *ring;
	const uint64_t *data, *stamps;
	uint32_t thread, segments;
	uint32_t segment, head; /* being read; not to be gone beyond. They only grow */
	size_t at, until;       /* words of these two */
	bool closed;
	size_t end;     /* of the piece at `at`, in words of its segment */
	uint64_t clock; /* at its beginning */
	bool ready;     /* there is a piece */
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

void ml_thread_merge_init(struct ml_thread_merge *s, struct ml_ring_control *control,
			  struct ml_ring *first, struct ml_ring_reader *drain)
{
	*s = (struct ml_thread_merge){ .drain = drain,
				       .control = control,
				       .pid = first->pid,
				       .bell = control->bell - 1 };
	add(s, first);
}

void ml_thread_merge_release(struct ml_thread_merge *s)
{
	ml_free(s->slots);
}

static bool is_open(const struct ml_ring *r)
{
	uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

	return state == ML_RING_OPEN || state == ML_RING_CLOSED;
}

/* Looks for slots of new threads; true if there may be some that were not there before.
 */
static bool find_new(struct ml_thread_merge *s)
{
	uint32_t bell = __atomic_load_n(&s->control->bell, __ATOMIC_ACQUIRE);

	if (bell == s->bell)
		return false;
	s->bell = bell;
	for (unsigned i = 0; i < ML_RING_SLOTS; i++) {
		struct ml_ring *r = ml_ring_slot(s->control, i);

		/* `taken` of others' slots is written by others */
		if (is_open(r) && r->thread > 1 && r->pid == s->pid && !r->taken)
			add(s, r);
	}
	return true;
}

/* How far the thread has come. */
static void see(struct ml_thread_merge_slot *t)
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
		head = t->segment; /* no thread of ours does that */
	t->head = head;
	/* cur may still stand at the end of the segment before */
	t->until = cur < begin || used > ML_RING_SEGMENT_WORDS ? 0 : used & ~(size_t)1;
}

/* Where the words that may be read of the present segment end. */
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

/* The thread may have it back. */
static void give_back(struct ml_thread_merge_slot *t)
{
	t->segment++;
	t->at = 0;
	if (ml_ring_move(&t->ring->tail, t->segment, &t->ring->tail_wanted))
		syscall(SYS_futex, &t->ring->tail, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Moves on to words that can be read; false: there are none in this round. */
static bool advance(struct ml_thread_merge_slot *t)
{
	while (t->at >= limit(t)) {
		if (t->segment == t->head)
			return false;
		give_back(t);
	}
	return true;
}

static bool is_stamp(uint64_t word)
{
	return word >> 56 == ML_WORD(ML_WORD_STAMP, 0, 0) >> 56;
}

/* Finds the piece at `at`: to the next stamp, or to the end of what may be read. */
static void find_piece(struct ml_thread_merge_slot *t)
{
	t->ready = advance(t);
	if (!t->ready)
		return;
	const uint64_t *w = segment_of(t);
	size_t most = limit(t), at = t->at;

	if (is_stamp(w[at]) && at + 1 < most)
		t->clock = w[at + 1];
	else if (at % STAMP_WORDS == 0)
		t->clock = t->stamps[(size_t)(t->segment % t->segments) *
					     ML_RING_SEGMENT_STAMPS +
				     at / STAMP_WORDS];
	size_t page = at / STAMP_WORDS;
	do
		at += w[at] >> 63 ? 1 + (size_t)ML_WORD_COUNT(w[at]) : 2;
	while (at < most && at / STAMP_WORDS == page && !is_stamp(w[at]));
	t->end = at < most ? at : most;
}

static bool feed(struct ml_thread_merge *s, struct ml_thread_merge_slot *t, size_t end,
		 struct ml_err *err)
{
	const uint64_t *w = segment_of(t);
	size_t from = t->at;

	t->at = end;
	ml_ring_reader_thread(s->drain, t->thread);
	return ml_ring_reader_feed(s->drain, w + from, end - from, err);
}

/* All that one thread did, which is all there is. */
static bool feed_alone(struct ml_thread_merge *s, struct ml_thread_merge_slot *t,
		       struct ml_err *err)
{
	while (advance(t))
		if (!feed(s, t, limit(t), err))
			return false;
	return true;
}

/* The thread whose piece comes first, and the clock of the next one of another. */
static struct ml_thread_merge_slot *first_of(struct ml_thread_merge *s, uint64_t *next)
{
	struct ml_thread_merge_slot *first = NULL;

	*next = UINT64_MAX;
	for (size_t i = 0; i < s->count; i++) {
		struct ml_thread_merge_slot *t = &s->slots[i];

		if (!t->ready)
			continue;
		if (!first || t->clock < first->clock) {
			*next = first ? first->clock : UINT64_MAX;
			first = t;
		} else if (t->clock < *next) {
			*next = t->clock;
		}
	}
	return first;
}

/*
 * Pieces by the clock; those of one thread that follow each other are fed as one. What
 * began later than `now` waits: others may have been seen before they did what it
 * waited for.
 */
static bool merge(struct ml_thread_merge *s, uint64_t now, struct ml_err *err)
{
	struct ml_thread_merge_slot *t;
	uint64_t next;

	for (size_t i = 0; i < s->count; i++)
		find_piece(&s->slots[i]);
	while ((t = first_of(s, &next)) && t->clock <= now) {
		size_t from = t->at, end;
		uint32_t segment = t->segment;

		do {
			end = t->end;
			t->at = end;
			if (end >= limit(t))
				break; /* before the segment goes back */
			find_piece(t);
		} while (t->ready && t->clock <= next && t->clock <= now &&
			 t->segment == segment);
		t->at = from;
		if (!feed(s, t, end, err))
			return false;
		find_piece(t);
	}
	return true;
}

/* Slots of threads that have ended serve others; the first stays its process's. */
static void drop_closed(struct ml_thread_merge *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct ml_thread_merge_slot *t = &s->slots[i];

		if (t->closed && t->thread > 1 && !advance(t)) {
			struct ml_ring *r = t->ring;

			memset((char *)r + sizeof(r->state), 0,
			       ML_RING_PAGE - sizeof(r->state));
			__atomic_store_n(&r->state, ML_RING_FREE, __ATOMIC_RELEASE);
		} else {
			s->slots[kept++] = *t;
		}
	}
	s->count = kept;
}

bool ml_thread_merge_round(struct ml_thread_merge *s, struct ml_err *err)
{
	uint64_t now = __builtin_ia32_rdtsc();

	/* a thread that came while we looked may have done something before others did
	 * what we saw: look again */
	do {
		for (size_t i = 0; i < s->count; i++)
			see(&s->slots[i]);
	} while (find_new(s));
	bool ok = s->count == 1 ? feed_alone(s, &s->slots[0], err) : merge(s, now, err);
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

void ml_thread_merge_free(struct ml_ring_control *control, uint32_t pid)
{
	for (unsigned i = 0; i < ML_RING_SLOTS; i++) {
		struct ml_ring *r = ml_ring_slot(control, i);

		if (is_open(r) && r->thread > 1 && r->pid == pid)
			memset(r, 0, ML_RING_PAGE);
	}
}
