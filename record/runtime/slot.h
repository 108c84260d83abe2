/*
 * The part of `memlamp cc` that runs inside the program: a shared library, whose hooks
 * (hooks.S) the compiler calls before each load and store. It fills slots of a ring
 * (record/ring.h), one a thread, and does nothing else; if nobody records, it does
 * nothing at all.
 *
 * Reading order: hooks.S, slot.h (where words go), process.c (start, fork, end),
 * thread.c, then heap.c, sync.c, ranges.c, atomics.c, signals.c, jumps.c, request.c, each
 * of which watches one kind of event.
 *
 * While the runtime itself writes into a slot, the thread's slot is put aside. A signal
 * that comes in between waits until it is let go; where it cannot (signals.c), the hooks
 * of its handler find the thread unrecorded and leave the slot in peace. So all writing
 * goes
 *
 *	struct ml_ring *slot = slot_hold();
 *	if (slot) {
 *		... slot_message, slot_ref ...
 *		slot_let(slot);
 *	}
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/ring.h"

#define EXPORT      __attribute__((visibility("default")))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Where the compiler's call that led here returns to. */
#define CALLER ((uint64_t)__builtin_return_address(0))

/* A signal that came while the slot was held, until its handler can run. */
struct deferred_signal {
	bool waits;
	uint64_t mask;  /* of the thread, before all were blocked */
	siginfo_t info; /* as the kernel told it */
};

/* What a thread is to us. */
struct self {
	struct ml_ring *slot; /* NULL: none */
	uint32_t number;      /* of the thread */
	uint64_t stack_low, stack_high;
	unsigned depth; /* of allocators that call each other */
	bool missed;    /* a signal handler ran while the slot was held */
	struct deferred_signal deferred;
	uint64_t cut;  /* stack pointer of the runtime where a handler cut in; 0: none */
	uint64_t fork; /* the clock when it told that it goes to fork; 0: it did not */
	uint64_t mask; /* its signals' before it forked */
};

/* The slot that hooks write to: self.slot, or memlamp_off. */
extern EXPORT __thread struct ml_ring *memlamp_slot
	__attribute__((tls_model("initial-exec")));
extern __thread struct self self __attribute__((tls_model("initial-exec")));
extern EXPORT struct ml_ring memlamp_off; /* its cur is 0, for ever */
extern EXPORT int memlamp_calls;

/* The ring as a whole. */
extern struct ring {
	struct ml_ring_control *control; /* NULL: nobody records */
	char path[64];
	bool threads;   /* there has been more than one thread */
	uint64_t birth; /* of the first thread's slot */
} ring;

/* Opens the ring. False: it cannot be, and that has been said. */
bool ring_open(const char *path);
/* A slot for this thread. False: there is none; it goes unrecorded. */
bool slot_open(uint32_t number);
/* The thread is done with its slot. */
void slot_close(void);
/* After a fork: the slot is the parent's. */
void slot_forget(void);

static inline struct ml_ring *slot_hold(void)
{
	struct ml_ring *slot = memlamp_slot;

	if (!slot->cur)
		return NULL;
	memlamp_slot = &memlamp_off;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return slot;
}

void slot_let(struct ml_ring *slot);

/*
 * A message begins: header and room for `count` words of payload, stamped if there are
 * several threads. It counts from slot_done on. NULL: nobody listens any more.
 */
uint64_t *slot_message(struct ml_ring *slot, enum ml_word type, uint32_t argument,
		       uint32_t count);
void slot_done(struct ml_ring *slot);
/* The companion should look at it soon. */
void slot_pulse(void);
/* Tells the clock. */
void slot_stamp(struct ml_ring *slot);
/* A reference; site is where the call that tells it returns to. */
void slot_ref(struct ml_ring *slot, uint64_t site, enum ml_ref_kind kind,
	      unsigned log_size, uint64_t address);
/* A piece of memory, in references as large as the processor makes them. */
void slot_range(struct ml_ring *slot, uint64_t site, enum ml_ref_kind kind,
		uint64_t address, uint64_t size);

uint32_t text_words(const char *text);
uint64_t *text_put(uint64_t *at, const char *text);

/* To the program's standard error, in one piece; arguments end with NULL. */
void say(const char *text, ...);

/* System calls that neither touch errno nor are anybody's to interpose. */
long raw_syscall(long number, long a, long b, long c, long d, long e, long f);

/* The clock that all processors share, read when all loads before it are done. */
static inline uint64_t now(void)
{
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}
