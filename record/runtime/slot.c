#include "record/runtime/slot.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/arch/ticks.h"
#include "record/runtime/syscall.h"

_Static_assert(offsetof(struct ml_ring, cur) == 24, "hooks.S contains the offset of cur");
_Static_assert(ML_RING_STAMP_BYTES == 4096,
	       "hooks.S contains the size of a stamped page");

enum {
	CLAIM_WAIT_MS = 500, /* for a slot to become free */
	CLAIM_SLEEP_MS = 10,
	TIMED_OUT = -110,
	/* of threads other than the first; memory is dear where threads are many */
	CHILD_SEGMENTS = 8, /* 2 MiB each */
	CROWD_SEGMENTS = 2, /* in slots from FEW_SLOTS on */
	FEW_SLOTS = 64,
	PIECE = 5, /* log2 of the maximal size of a reference of a range */
};

struct ml_ring memlamp_off;
struct ml_ring memlamp_timing = { .cur = ML_RING_STAMP_BYTES };
__thread struct ml_ring *memlamp_slot
	__attribute__((tls_model("initial-exec"))) = &memlamp_off;
__thread struct self self __attribute__((tls_model("initial-exec")));
int memlamp_calls;
struct ring ring;

void say(const char *text, ...)
{
	char line[512];
	size_t n = 0;
	va_list ap;

	va_start(ap, text);
	for (; text; text = va_arg(ap, const char *))
		for (; *text && n < sizeof(line); text++)
			line[n++] = *text;
	va_end(ap);
	raw_syscall(SYS_write, 2, (long)line, (long)n, 0, 0, 0);
}

static long futex(uint32_t *word, int operation, uint32_t value,
		  const struct timespec *timeout)
{
	return raw_syscall(SYS_futex, (long)word, operation, value, (long)timeout, 0, 0);
}

static void wake(uint32_t *word)
{
	futex(word, FUTEX_WAKE, 0x7fffffff, NULL);
}

static bool stop_wanted(const struct ml_ring *slot)
{
	return __atomic_load_n(&slot->stop, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&ring.control->stop, __ATOMIC_RELAXED);
}

/* Waits until segment `head` is free. False: the companion will never free it. */
static bool wait_for_room(struct ml_ring *slot, uint32_t head)
{
	const struct timespec turn = { .tv_nsec = ML_RING_WAIT_MS * 1000000L };

	for (;;) {
		uint32_t tail = ml_ring_want(&slot->tail_wanted,
					     head - slot->segments + 1, &slot->tail);

		if (stop_wanted(slot))
			return false;
		if (head - tail < slot->segments)
			return true;
		if (futex(&slot->tail, FUTEX_WAIT, tail, &turn) == TIMED_OUT &&
		    !ml_ring_is_read(ring.control)) {
			say("memlamp: the recording process is gone; the program goes on "
			    "unrecorded\n",
			    NULL);
			return false;
		}
	}
}

static void set_cur(struct ml_ring *slot, const uint64_t *cur)
{
	__atomic_store_n(&slot->cur, (uint64_t)cur, __ATOMIC_RELEASE);
}

static uint64_t *begin_of(const struct ml_ring *slot, uint32_t head)
{
	return (uint64_t *)slot->data +
	       (size_t)(head % slot->segments) * ML_RING_SEGMENT_WORDS;
}

/* Stamps the page of the word at `at` with the present clock. */
static void stamp_page(struct ml_ring *slot, const uint64_t *at)
{
	uint64_t *stamps = (uint64_t *)(slot->data + ML_RING_DATA_BYTES);

	stamps[((uint64_t)at - slot->data) / ML_RING_STAMP_BYTES] = ml_ticks();
}

/* Ends the recording of the thread; cur stays valid for the companion. */
static void turn_off(void)
{
	self.slot = NULL;
}

void slot_pulse(void)
{
	__atomic_fetch_add(&ring.control->pulse, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&ring.control->sleepers, __ATOMIC_SEQ_CST))
		wake(&ring.control->pulse);
}

/*
 * Publishes a segment and begins the next; NULL: the recording has ended. This may take a
 * while. Signals are blocked meanwhile, as the references of a handler would be lost.
 */
static uint64_t *publish(struct ml_ring *slot, uint32_t head, uint32_t used)
{
	const uint64_t all = ~(uint64_t)0;
	uint64_t before, *at = NULL;

	raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, 8, 0, 0);
	slot->used[head % slot->segments] = used;
	__atomic_store_n(&slot->head, ++head, __ATOMIC_RELEASE);
	slot_pulse();
	if (wait_for_room(slot, head)) {
		at = begin_of(slot, head);
		stamp_page(slot, at);
		set_cur(slot, at);
	}
	raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8, 0, 0);
	return at;
}

/*
 * Finds room for `words` consecutive words, publishing the segment if it has none left.
 * NULL: the recording has ended.
 */
static uint64_t *room(struct ml_ring *slot, size_t words)
{
	uint32_t head = slot->head;
	uint64_t *begin = begin_of(slot, head), *at = (uint64_t *)slot->cur;

	if (UNLIKELY(!self.slot))
		return NULL;
	if (at + words > begin + ML_RING_SEGMENT_WORDS) {
		at = publish(slot, head, (uint32_t)(at - begin));
		if (!at) {
			turn_off();
			return NULL;
		}
	} else if (!((uint64_t)at & (ML_RING_STAMP_BYTES - 1))) {
		if (stop_wanted(slot)) {
			turn_off();
			return NULL;
		}
		stamp_page(slot, at);
	}
	return at;
}

/* Completes the message at cur; stamps the pages that it begins. */
void slot_commit(struct ml_ring *slot)
{
	uint64_t *at = (uint64_t *)slot->cur, *end = at + 1 + ML_WORD_COUNT(*at);

	if (((uint64_t)at ^ (uint64_t)(end - 1)) & ~(uint64_t)(ML_RING_STAMP_BYTES - 1))
		for (uint64_t page = ((uint64_t)at | (ML_RING_STAMP_BYTES - 1)) + 1;
		     page < (uint64_t)end; page += ML_RING_STAMP_BYTES)
			stamp_page(slot, (uint64_t *)page);
	set_cur(slot, end);
}

uint64_t *slot_message(struct ml_ring *slot, enum ml_word type, uint32_t argument,
		       uint32_t count)
{
	uint32_t padded = count | 1;

	if (ring.threads)
		slot_stamp(slot);
	uint64_t *at = room(slot, 1 + padded);
	if (!at)
		return NULL;
	at[padded] = 0;
	*at = ML_WORD(type, padded, argument);
	return at + 1;
}

void slot_stamp(struct ml_ring *slot)
{
	uint64_t *at = room(slot, 2);

	if (!at)
		return;
	at[0] = ML_WORD(ML_WORD_STAMP, 1, 0);
	at[1] = ml_ticks();
	set_cur(slot, at + 2);
}

void slot_ref(struct ml_ring *slot, uint64_t site, enum ml_ref_kind kind,
	      unsigned log_size, uint64_t address)
{
	uint64_t *at = ring.period ? NULL : room(slot, 2);

	if (!at)
		return;
	at[0] = site | (uint64_t)((unsigned)kind << 4 | log_size) << ML_REF_SHIFT;
	at[1] = address;
	set_cur(slot, at + 2);
}

void slot_range(struct ml_ring *slot, uint64_t site, enum ml_ref_kind kind,
		uint64_t address, uint64_t size)
{
	while (size && !ring.period) {
		unsigned log = size >> PIECE ? PIECE
					     : 63 - (unsigned)__builtin_clzll(size);
		/* smaller ones up to the first aligned address */
		unsigned aligned = (unsigned)__builtin_ctzll(address | 1 << PIECE);

		if (aligned < log)
			log = aligned;
		slot_ref(slot, site, kind, log, address);
		address += 1u << log;
		size -= 1u << log;
	}
}

/* Reports that references of signal handlers are lost. */
static void __attribute__((noinline)) tell_missed(struct ml_ring *slot)
{
	self.missed = false;
	uint64_t *at = slot_message(slot, ML_WORD_LOST, ML_LOST_FAULT, 1);
	if (at) {
		at[0] = 0;
		slot_commit(slot);
	}
}

/* Sends the deferred signal again, now that the thread is recorded again. */
static void __attribute__((noinline)) send_deferred(void)
{
	struct deferred_signal d = self.deferred;

	self.deferred.pending = false;
	raw_syscall(SYS_rt_tgsigqueueinfo, raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0),
		    raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), d.info.si_signo,
		    (long)&d.info, 0, 0);
	raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&d.mask, 0, sizeof(d.mask), 0,
		    0);
}

/* What hooks find while the slot is not held. */
static struct ml_ring *watched(struct ml_ring *slot)
{
	return ring.period ? &memlamp_timing : slot;
}

void slot_release(struct ml_ring *slot)
{
	if (UNLIKELY(self.missed))
		tell_missed(slot);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (LIKELY(self.slot))
		memlamp_slot = watched(slot);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (UNLIKELY(self.deferred.pending))
		send_deferred();
}

/* A hook calls this at the beginning of a page, or for each access if some are timed. */
EXPORT void memlamp_page(uint64_t address, unsigned code);

void memlamp_page(uint64_t address, unsigned code)
{
	if (memlamp_slot == &memlamp_timing) {
		if (UNLIKELY(--self.countdown <= 0))
			timed_access(address, code, CALLER);
		return;
	}
	struct ml_ring *slot = slot_hold();
	if (!slot)
		return;
	slot_ref(slot, CALLER, (enum ml_ref_kind)(code >> 4), code & 15, address);
	slot_release(slot);
}

/* Hooks of functions call these if memlamp_calls is 1. */
EXPORT void memlamp_entered(uint64_t sp);
EXPORT void memlamp_left(uint64_t sp);

static void tell_call(enum ml_ref_kind kind, uint64_t site, uint64_t sp)
{
	struct ml_ring *slot = slot_hold();

	if (!slot)
		return;
	slot_ref(slot, site, kind, 0, sp);
	slot_release(slot);
}

void memlamp_entered(uint64_t sp)
{
	tell_call(ML_REF_ENTRY, CALLER, sp);
}

void memlamp_left(uint64_t sp)
{
	tell_call(ML_REF_RETURN, CALLER, sp);
}

uint32_t text_words(const char *text)
{
	return (uint32_t)(strlen(text) / 8 + 1);
}

uint64_t *text_put(uint64_t *at, const char *text)
{
	uint32_t words = text_words(text);

	at[words - 1] = 0;
	memcpy(at, text, strlen(text));
	return at + words;
}

static void unmap(void *at, size_t size)
{
	raw_syscall(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

static struct ml_ring_control *map_control(int fd)
{
	long at = raw_syscall(SYS_mmap, 0, ML_RING_PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);

	if (at < 0 && at > -4096)
		return NULL;
	raw_syscall(SYS_madvise, at, ML_RING_PAGE, MADV_DONTDUMP, 0, 0, 0);
	return (struct ml_ring_control *)at;
}

/*
 * Maps slot i: the mapping of the control page once more, longer, without what comes before
 * the slot. So no descriptor stays open in the program, and none has to be opened when it
 * has no descriptor left, another root, or no right to. NULL: the system refuses.
 */
static struct ml_ring *map_slot(uint32_t i)
{
	size_t before = ML_RING_SLOT_OFFSET(i);

	/* what is locked would be locked and filled again */
	raw_syscall(SYS_munlock, (long)ring.control, ML_RING_PAGE, 0, 0, 0, 0);
	long at = raw_syscall(SYS_mremap, (long)ring.control, 0,
			      (long)(before + ML_RING_SLOT_BYTES), MREMAP_MAYMOVE, 0, 0);
	if (at < 0 && at > -4096)
		return NULL;
	unmap((void *)at, before);
	return (struct ml_ring *)(at + (long)before);
}

bool ring_open(const char *path)
{
	int fd = (int)raw_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0,
				  0, 0);

	if (fd < 0)
		return false; /* the companion is gone, or belongs to another user */
	struct ml_ring_control *control = map_control(fd);
	raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	if (!control || control->magic != ML_RING_MAGIC ||
	    control->version != ML_RING_VERSION) {
		say("memlamp: ", path,
		    control ? ": not a ring of this version\n"
			    : ": the ring cannot be mapped; the program goes unrecorded\n",
		    NULL);
		return false;
	}
	ring.control = control;
	ring.period = control->options & ML_RING_OPT_TIMED ? control->period : 0;
	return true;
}

/* Reports once that threads go unrecorded. The slot of the first thread counts them; in a
 * child that has none yet that is the slot of its parent. */
static void give_up(void)
{
	if (ring.first && ring.first->birth == ring.birth)
		__atomic_fetch_add(&ring.first->unrecorded, 1, __ATOMIC_RELAXED);
	if (!__atomic_exchange_n(&ring.crowded, true, __ATOMIC_RELAXED))
		say("memlamp: more threads at once than can be recorded; some go "
		    "unrecorded\n",
		    NULL);
}

/* Claims a free slot; NULL: none becomes free. */
static struct ml_ring *claim(void)
{
	const struct timespec turn = { .tv_nsec = CLAIM_SLEEP_MS * 1000000L };
	uint32_t slots = ring.control->slots;

	for (int waited = 0;; waited += CLAIM_SLEEP_MS) {
		uint32_t i = ml_ring_claim(ring.control, slots);
		struct ml_ring *slot = i < slots ? map_slot(i) : NULL;

		if (slot) {
			slot->segments = i < FEW_SLOTS ? CHILD_SEGMENTS : CROWD_SEGMENTS;
			return slot;
		}
		if (i < slots) {
			ml_ring_unclaim(ring.control, i);
			give_up();
			return NULL;
		}
		if (ring.control->stop || !ml_ring_is_read(ring.control))
			return NULL;
		if (ring.crowded || waited >= CLAIM_WAIT_MS) {
			give_up();
			return NULL;
		}
		raw_syscall(SYS_nanosleep, (long)&turn, 0, 0, 0, 0, 0);
	}
}

bool slot_open(uint32_t number)
{
	struct ml_ring *slot = ring.control ? claim() : NULL;

	if (!slot)
		return false;
	slot->pid = (uint32_t)raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	slot->parent = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	slot->thread = number;
	if (number == 1)
		slot->segments = ML_RING_SEGMENTS;
	slot->data = (uint64_t)slot + ML_RING_PAGE;
	slot->birth = number == 1 ? ml_ticks() : ring.birth;
	slot->unrecorded = 0;
	slot->stop = 0;
	slot->taken = 0;
	slot->head = 0;
	slot->tail = 0;
	slot->cur = slot->data;
	__atomic_store_n(&slot->state, ML_RING_OPEN, __ATOMIC_RELEASE);
	__atomic_fetch_add(&ring.control->bell, 1, __ATOMIC_RELEASE);
	wake(&ring.control->bell);
	if (number == 1) {
		ring.birth = slot->birth;
		ring.first = slot;
		ring.crowded = false;
	}
	self.slot = slot;
	self.number = number;
	timed_begin();
	memlamp_slot = watched(slot);
	return true;
}

void slot_close(void)
{
	struct ml_ring *slot = self.slot;

	if (!slot)
		return;
	memlamp_slot = &memlamp_off;
	self.slot = NULL;
	__atomic_store_n(&slot->state, ML_RING_CLOSED, __ATOMIC_RELEASE);
	slot_unmap(slot);
	slot_pulse(); /* the companion frees the slot */
	if (self.deferred.pending)
		send_deferred();
}

struct ml_ring *slot_forget(void)
{
	struct ml_ring *parents = self.slot;

	self.slot = NULL;
	memlamp_slot = &memlamp_off;
	return parents;
}

void slot_unmap(struct ml_ring *slot)
{
	if (slot)
		unmap(slot, ML_RING_SLOT_BYTES);
}
