/*
 * The runtime: the part of `memlamp cc` that runs inside the program, as a shared
 * library. Compiled code calls hooks (hooks.S) before each load and store. The runtime
 * fills slots of a ring (record/ring.h), one a thread, and does nothing else. Without a
 * recording it does nothing at all.
 *
 * Reading order: hooks.S, slot.h (writing words), process.c (start, fork, end), thread.c,
 * then heap.c, sync.c, ranges.c, atomics.c, signals.c, jumps.c, request.c, each of which
 * reports one kind of event.
 *
 * While the runtime itself writes into the slot of a thread, it holds the slot: hooks
 * find memlamp_off instead and write nothing. A signal that arrives meanwhile is deferred
 * until the slot is released. Where a signal cannot be deferred (signals.c), the
 * references of its handler are lost, and ML_WORD_LOST says so. All writing goes
 *
 *	struct ml_ring *slot = slot_hold();
 *	if (slot) {
 *		... slot_message, slot_ref ...
 *		slot_release(slot);
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
/* The return address of the call into the runtime. */
#define CALLER ((uint64_t)__builtin_return_address(0))

/* A signal that arrived while the slot was held. */
struct deferred_signal {
	bool pending;
	uint64_t mask;  /* signal mask of the thread, before all signals were blocked */
	siginfo_t info; /* as the kernel delivered it */
};

/* The state of the runtime in one thread. */
struct self {
	struct ml_ring *slot; /* NULL: none */
	uint32_t number;      /* of the thread */
	int32_t countdown;    /* accesses until the next one that is timed (timed.c) */
	uint64_t random;      /* state of the generator of periods */
	uint64_t stack_low, stack_high;
	unsigned depth; /* nesting of allocators that call each other */
	bool missed;    /* a signal handler ran unrecorded while the slot was held */
	struct deferred_signal deferred;
	uint64_t interrupted_sp; /* stack pointer of the runtime where a signal handler
				    interrupted it; 0: none did */
	uint64_t fork; /* the clock in its message before the fork; 0: none was sent */
	uint64_t mask; /* signal mask before the fork */
};

/* The slot that hooks write to: self.slot, memlamp_off, or memlamp_timing. */
extern EXPORT __thread struct ml_ring *memlamp_slot
	__attribute__((tls_model("initial-exec")));
extern __thread struct self self __attribute__((tls_model("initial-exec")));
/* The slot of unrecorded threads: its cur is always 0. */
extern EXPORT struct ml_ring memlamp_off;
/*
 * The slot of all threads while accesses are timed instead of recorded. Its cur always
 * is the beginning of a page, so that each hook calls memlamp_page, which counts. No hook
 * writes anything: the caches see the accesses of the program and next to nothing else.
 */
extern struct ml_ring memlamp_timing;
extern EXPORT int memlamp_calls; /* 1: entries and returns of functions are reported */

/* The ring as a whole. */
extern struct ring {
	struct ml_ring_control *control; /* NULL: no recording */
	bool threads;                    /* the process has had more than one thread */
	bool crowded;   /* a thread found no free slot: the next do not wait for one */
	uint64_t birth; /* of the first thread's slot */
	struct ml_ring *first; /* that slot; NULL: none */
	uint32_t period; /* one access of so many is timed; 0: accesses are recorded */
} ring;

/* Opens the ring. False: that failed. */
bool ring_open(const char *path);
/* Claims a slot for this thread. False: there is none, which the first one's slot counts. */
bool slot_open(uint32_t number);
/* Closes the slot of the thread. */
void slot_close(void);
/* In a forked child: leaves the slot, which is the parent's, and returns it. */
struct ml_ring *slot_forget(void);
void slot_unmap(struct ml_ring *slot);

/* Holds the slot of the thread; NULL: the thread is not recorded. */
static inline struct ml_ring *slot_hold(void)
{
	struct ml_ring *slot = memlamp_slot;

	if (!slot->cur)
		return NULL;
	memlamp_slot = &memlamp_off;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return self.slot;
}

static inline bool slot_is_held(void)
{
	return self.slot && memlamp_slot == &memlamp_off;
}

/* The thread reports each reference. */
static inline bool slot_takes_refs(void)
{
	return memlamp_slot->cur && !ring.period;
}

void slot_release(struct ml_ring *slot);

/*
 * Begins a message: writes the header and returns where `count` words of payload go,
 * behind a stamp if there are several threads. slot_commit completes the message. NULL:
 * the recording has ended.
 */
uint64_t *slot_message(struct ml_ring *slot, enum ml_word type, uint32_t argument,
		       uint32_t count);
void slot_commit(struct ml_ring *slot);
/* Makes the companion look at the slots soon. */
void slot_pulse(void);
/* Writes a message with the clock. */
void slot_stamp(struct ml_ring *slot);
/* Writes a reference; site is the return address of its hook. Nothing is written while
 * accesses are timed. */
void slot_ref(struct ml_ring *slot, uint64_t site, enum ml_ref_kind kind,
	      unsigned log_size, uint64_t address);
/* Writes references to a range of memory, up to 32 bytes each. */
void slot_range(struct ml_ring *slot, uint64_t site, enum ml_ref_kind kind,
		uint64_t address, uint64_t size);

/* Times the access of a hook (timed.c) and begins another period. */
void timed_access(uint64_t address, unsigned code, uint64_t site);
/* Begins the first period of a thread. */
void timed_begin(void);
/* Memory of a device is never loaded from: a load may change the device. */
void timed_mapped(const void *at, size_t size, int fd);

uint32_t text_words(const char *text);
uint64_t *text_put(uint64_t *at, const char *text);

/* Prints to the standard error of the program, by one write; arguments end with NULL. */
void say(const char *text, ...);
