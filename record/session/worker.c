#include "record/session/worker.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/trace/trace.h"
#include "record/ring.h"
#include "record/session/futex.h"
#include "record/reader/ring_reader.h"

/* Sleeps until the pulse differs from the one seen, or the time is over. */
static void wait_for_pulse(struct ml_ring_control *c, uint32_t seen)
{
	__atomic_fetch_add(&c->sleepers, 1, __ATOMIC_SEQ_CST);
	ml_futex_wait(&c->pulse, seen, ML_WORKER_TICK_MS);
	__atomic_fetch_sub(&c->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* Reads the published segments. */
static bool read_segments(struct ml_worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;
	uint32_t tail = r->tail;

	while (tail != __atomic_load_n(&r->head, __ATOMIC_ACQUIRE)) {
		uint32_t at = tail % ML_RING_SEGMENTS;
		uint32_t used = r->used[at];

		if (used > ML_RING_SEGMENT_WORDS)
			used = ML_RING_SEGMENT_WORDS;
		size_t done = w->consumed < used ? w->consumed : used;
		if (!ml_ring_reader_feed(w->reader,
					 w->data + (size_t)at * ML_RING_SEGMENT_WORDS +
						 done,
					 used - done, err))
			return false;
		w->consumed = 0;
		if (ml_ring_advance(&r->tail, ++tail, &r->tail_wanted))
			ml_futex_wake(&r->tail);
	}
	return true;
}

/* The words of the segment that the process was filling when it ended. */
static bool read_rest(struct ml_worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;
	uint64_t bytes = (uint64_t)(r->head % ML_RING_SEGMENTS) * ML_RING_SEGMENT_WORDS *
			 8;
	uint64_t used = r->cur - (r->data + bytes);

	if (!read_segments(w, err))
		return false;
	if (used > ML_RING_SEGMENT_WORDS * 8 || used / 8 < w->consumed)
		return true; /* cur lies elsewhere */
	return ml_ring_reader_feed(w->reader, w->data + bytes / 8 + w->consumed,
				   used / 8 - w->consumed, err);
}

/* The words up to the last step, which its producer may still be writing. */
static size_t whole_steps(const uint64_t *w, size_t count)
{
	size_t at = 0, last = 0;

	while (at < count) {
		last = at;
		if (ML_WORD_TYPE(w[at]) != ML_WORD_STEP && !ml_word_is_brief(w[at])) {
			at += 1 + (size_t)ML_WORD_COUNT(w[at]);
			if (at <= count)
				last = at;
			continue;
		}
		for (at++; at < count && !(w[at] >> 63);)
			at++;
	}
	return last;
}

/*
 * Reads what the process has written of a segment that it has not published, so that a
 * slow process loses no more than a fast one when memlamp is killed.
 */
static bool read_unpublished(struct ml_worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;
	uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
	size_t words = (size_t)(head % ML_RING_SEGMENTS) * ML_RING_SEGMENT_WORDS;
	uint64_t cur = __atomic_load_n(&r->cur, __ATOMIC_ACQUIRE);
	uint64_t used = (cur - (r->data + words * 8)) / 8;

	if (head != r->tail || head != __atomic_load_n(&r->head, __ATOMIC_ACQUIRE) ||
	    cur < r->data + words * 8 || used > ML_RING_SEGMENT_WORDS ||
	    used <= w->consumed)
		return true;
	const uint64_t *from = w->data + words + w->consumed;
	size_t count = whole_steps(from, (size_t)used - w->consumed);
	w->consumed += count;
	return ml_ring_reader_feed(w->reader, from, count, err);
}

bool ml_worker_has_ended(const struct ml_worker *w)
{
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };

	return w->pidfd < 0 || poll(&p, 1, 0) > 0;
}

static bool is_closed(const struct ml_worker *w)
{
	return __atomic_load_n(&w->ring->state, __ATOMIC_ACQUIRE) == ML_RING_CLOSED ||
	       __atomic_load_n(&w->replaced, __ATOMIC_ACQUIRE);
}

/* Reads the ring of a process until the process closes its slot or is gone. */
static bool read_process(struct ml_worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;

	for (;;) {
		/* asked first: a process closes its slot before it ends */
		bool gone = ml_worker_has_ended(w);
		bool closed = is_closed(w);

		if (!read_segments(w, err))
			return false;
		if (ml_ring_reader_full(w->reader) && !r->stop)
			__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
		if (closed || gone) {
			bool ok = read_rest(w, err);
			uint32_t lost = __atomic_load_n(&r->unrecorded, __ATOMIC_RELAXED);
			if (lost)
				ml_ring_reader_unrecorded(w->reader, lost);
			/* a process that became an unrecorded program closes nothing */
			w->result.killed = gone && !closed &&
					   !ml_ring_reader_replaced(w->reader);
			return ok;
		}
		uint32_t head = ml_ring_want(&r->head_wanted, r->tail + ML_RING_BATCH,
					     &r->head);
		/* the slot may have closed meanwhile: that futex wake came too early */
		if (head == r->tail && !is_closed(w))
			ml_futex_wait(&r->head, head, ML_WORKER_TICK_MS);
		if (!read_unpublished(w, err))
			return false;
		if (!ml_ring_reader_flush(w->reader, err))
			return false;
	}
}

/* How the program ended that we started; of other processes the end is not known. */
static void note_end(struct ml_worker *w)
{
	int end = 0;
	char status[16];

	if (!w->child_end)
		return;
	/* it has ended, but the supervisor calls waitpid only a few times a second */
	while (!(end = __atomic_load_n(w->child_end, __ATOMIC_ACQUIRE)))
		usleep(1000);
	end--;
	if (WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL)
		return;
	/* a program that ended without a word may have had no other way (seccomp) */
	snprintf(status, sizeof(status), "%d",
		 WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end));
	ml_ring_reader_meta(w->reader, "exit status", status);
	w->result.killed = false;
}

/* The same for a process whose threads have a slot each (thread_merge.h). */
static bool read_threads(struct ml_worker *w, struct ml_err *err)
{
	struct ml_ring_control *c = w->control;

	for (;;) {
		uint32_t pulse = __atomic_load_n(&c->pulse, __ATOMIC_ACQUIRE);
		bool gone = ml_worker_has_ended(w);
		bool replaced = __atomic_load_n(&w->replaced, __ATOMIC_ACQUIRE);

		if (!ml_thread_merge_round(&w->slots, gone || replaced, err) ||
		    !ml_ring_reader_flush(w->reader, err))
			return false;
		if (ml_ring_reader_full(w->reader))
			ml_thread_merge_stop(&w->slots);
		if (gone || replaced) {
			w->result.killed = gone && !ml_ring_reader_exited(w->reader) &&
					   !ml_ring_reader_replaced(w->reader);
			if (w->result.killed)
				note_end(w);
			return true;
		}
		wait_for_pulse(c, pulse);
	}
}

static void discard_threads(struct ml_worker *w)
{
	while (!ml_worker_has_ended(w)) {
		ml_thread_merge_stop(&w->slots);
		wait_for_pulse(w->control, w->control->pulse);
	}
}

/* Discards further words, so that the process does not wait for a reader. */
static void discard(struct ml_worker *w)
{
	struct ml_ring *r = w->ring;

	if (w->by_thread) {
		discard_threads(w);
		return;
	}
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != ML_RING_CLOSED &&
	       !ml_worker_has_ended(w)) {
		uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);

		__atomic_store_n(&r->tail, head, __ATOMIC_RELEASE);
		ml_futex_wake(&r->tail);
		ml_futex_wait(&r->head, head, ML_WORKER_TICK_MS);
	}
}

/* The references that a file holds, of which a write failed. */
static uint64_t refs_in(const char *path)
{
	struct ml_trace t;
	struct ml_err err;

	if (!ml_trace_is(path) || !ml_trace_open(&t, path, &err))
		return 0;
	uint64_t count = t.count;
	ml_trace_close(&t);
	return count;
}

void *ml_worker_run(void *arg)
{
	struct ml_worker *w = arg;
	struct ml_recording *x = &w->result;
	struct ml_ring_reader_count count;

	x->ok = w->by_thread ? read_threads(w, &x->err) : read_process(w, &x->err);
	if (x->ok) {
		char seconds[32];

		snprintf(seconds, sizeof(seconds), "%.3f",
			 (double)ml_now() / (double)ML_SECOND - w->start);
		ml_ring_reader_meta(w->reader, "seconds", seconds);
		x->ok = ml_ring_reader_finish(w->reader, x->killed, &x->err);
	} else {
		discard(w);
	}
	count = ml_ring_reader_count(w->reader);
	struct stat st;
	x->refs = x->ok ? count.refs : refs_in(x->path);
	x->bytes = stat(x->path, &st) ? count.bytes : (uint64_t)st.st_size;
	__atomic_store_n(&w->done, ML_WORKER_FINISHED, __ATOMIC_RELEASE);
	ml_futex_wake(&w->control->bell);
	return NULL;
}
