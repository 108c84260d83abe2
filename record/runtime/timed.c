/*
 * Timed loads: samples without a PMU. Of each thread one access in `period` is timed:
 * just before the program's own access the hook loads from the same address between two
 * time stamps. The load stands for the access, which then finds its line in L1. Periods
 * are random, so that no loop is in step with them.
 *
 * The load cannot fault where the access would not: it reads one byte that the access is
 * about to read or write, and on x86 all memory that can be written can be read. If it
 * faults, the signal handler of the program never hears of it (signals.c): the access
 * itself faults next. The slot is not held meanwhile, so a signal may interrupt the
 * measurement; its ticks then show that.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "record/runtime/slot.h"
#include "record/runtime/syscall.h"
#include "record/arch/ticks.h"
#include "record/arch/timed_load.h"

enum { DEVICES = 64 };

static struct {
	struct range {
		uint64_t low, high;
	} device[DEVICES]; /* memory of devices; entries stay when they are unmapped */
	unsigned devices;  /* atomic */
} here;

ML_TIMED_LOAD_DEFINE;

/* xorshift64 (Marsaglia 2003) */
static uint64_t next_random(void)
{
	uint64_t x = self.random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return self.random = x;
}

/* Accesses up to the next timed one: uniform from 1 to 2 period - 1. */
static void begin_period(void)
{
	uint64_t max = 2 * (uint64_t)ring.period - 1;

	self.countdown = (int32_t)(1 + (next_random() >> 32) * max / (1ull << 32));
}

void timed_begin(void)
{
	if (!ring.period)
		return;
	self.random = ml_ticks() * 0x9e3779b97f4a7c15u | 1;
	begin_period();
}

static bool is_device(uint64_t address)
{
	unsigned n = __atomic_load_n(&here.devices, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < n && i < DEVICES; i++)
		if (address >= here.device[i].low && address < here.device[i].high)
			return true;
	return n > DEVICES; /* not all of them are known */
}

void timed_mapped(const void *at, size_t size, int fd)
{
	uint64_t low = (uint64_t)at, high = low + size;
	struct stat st;

	if (!ring.period || raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) ||
	    !S_ISCHR(st.st_mode) || st.st_rdev == makedev(1, 5)) /* /dev/zero is memory */
		return;
	for (unsigned i = 0; i < here.devices && i < DEVICES; i++)
		if (low >= here.device[i].low && high <= here.device[i].high)
			return;
	unsigned n = __atomic_load_n(&here.devices, __ATOMIC_RELAXED);
	if (n < DEVICES)
		here.device[n] = (struct range){ low, high };
	if (n == DEVICES)
		say("memlamp: the program maps the memory of many devices; no more "
		    "accesses are timed\n",
		    NULL);
	__atomic_store_n(&here.devices, n + 1, __ATOMIC_RELEASE);
}

void timed_access(uint64_t address, unsigned code, uint64_t site)
{
	struct ml_timed_load t;

	begin_period();
	if (UNLIKELY(here.devices) && is_device(address))
		return;
	if (!ml_timed_load((const void *)address, &t))
		return;
	struct ml_ring *slot = slot_hold();
	if (!slot)
		return;
	uint64_t *w = slot_message(slot, ML_WORD_TIMED, 0, 5);
	if (w) {
		/* of a read and a write, the read is what was timed */
		if (code >> 4 == ML_REF_MODIFY)
			code = (unsigned)ML_REF_READ << 4 | (code & 15);
		w[0] = site | (uint64_t)code << ML_REF_SHIFT;
		w[1] = address;
		w[2] = t.clock;
		w[3] = t.ticks;
		w[4] = t.before | (uint64_t)t.after << 32;
		slot_commit(slot);
	}
	slot_release(slot);
}
