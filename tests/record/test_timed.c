/*
 * Timed loads inside the program, without a ring: what is loaded, how often, and what the
 * message says. The rest of the runtime is stood in for below.
 */
#include "tests/test.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "record/runtime/timed.c"

#if defined(__x86_64__)

struct ring ring;
__thread struct self self;
struct ml_ring memlamp_off, memlamp_timing = { .cur = ML_RING_STAMP_BYTES };
__thread struct ml_ring *memlamp_slot = &memlamp_timing;

static struct ml_ring slot;
static uint64_t message[8];
static unsigned messages;
static mode_t mode; /* of the file that is mapped */
static dev_t device;

long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	(void)a, (void)c, (void)d, (void)e, (void)f;
	CHECK_EQ(number, SYS_fstat);
	*(struct stat *)b = (struct stat){ .st_mode = mode, .st_rdev = device };
	return 0;
}

void say(const char *text, ...)
{
	(void)text;
}

uint64_t *slot_message(struct ml_ring *s, enum ml_word type, uint32_t argument,
		       uint32_t count)
{
	(void)argument;
	CHECK(s == &slot && memlamp_slot == &memlamp_off);
	CHECK_EQ(type, ML_WORD_TIMED);
	CHECK_EQ(count, 5);
	return message;
}

void slot_commit(struct ml_ring *s)
{
	(void)s;
	messages++;
}

void slot_release(struct ml_ring *s)
{
	(void)s;
	memlamp_slot = &memlamp_timing;
}

static void begin(uint32_t period)
{
	self.slot = &slot;
	ring.period = period;
	messages = 0;
	timed_begin();
}

TEST(a_message_has_the_reference_and_its_time)
{
	char byte = 1;

	begin(1);
	timed_access((uint64_t)&byte, ML_REF_WRITE << 4 | 3, 0x401234);
	CHECK_EQ(messages, 1);
	CHECK_EQ(message[0], 0x401234 | (uint64_t)(ML_REF_WRITE << 4 | 3)
						<< ML_REF_SHIFT);
	CHECK_EQ(message[1], (uint64_t)&byte);
	CHECK(message[2] != 0 && message[3] != 0);
	timed_access((uint64_t)&byte, ML_REF_MODIFY << 4 | 2, 0x401234);
	CHECK_EQ(message[0] >> ML_REF_SHIFT, ML_REF_READ << 4 | 2);
}

TEST(periods_are_random_with_the_mean_that_was_asked_for)
{
	enum { PERIOD = 1000, TIMES = 20000 };
	int64_t sum = 0, least = INT64_MAX, most = 0;

	begin(PERIOD);
	for (unsigned i = 0; i < TIMES; i++) {
		begin_period();
		sum += self.countdown;
		least = self.countdown < least ? self.countdown : least;
		most = self.countdown > most ? self.countdown : most;
	}
	CHECK(least >= 1 && least < PERIOD / 20);
	CHECK(most < 2 * PERIOD && most > 2 * PERIOD - PERIOD / 20);
	/* uniform from 1 to 1999: the mean of 20,000 deviates by 4.1; five times that */
	CHECK(sum > (PERIOD - 21) * (int64_t)TIMES &&
	      sum < (PERIOD + 21) * (int64_t)TIMES);
	begin(1);
	CHECK_EQ(self.countdown, 1);
}

TEST(memory_of_devices_is_never_loaded_from)
{
	static char memory[8192];

	begin(1);
	mode = S_IFREG;
	timed_mapped(memory, 4096, 5); /* a file */
	mode = S_IFCHR;
	device = makedev(1, 5);
	timed_mapped(memory, 4096, 5); /* /dev/zero */
	timed_access((uint64_t)memory, ML_REF_READ << 4, 1);
	CHECK_EQ(messages, 1);
	device = makedev(226, 0);
	timed_mapped(memory, 4096, 5);
	timed_access((uint64_t)memory, ML_REF_READ << 4, 1);
	timed_access((uint64_t)memory + 4095, ML_REF_READ << 4, 1);
	CHECK_EQ(messages, 1);
	timed_access((uint64_t)memory + 4096, ML_REF_READ << 4, 1);
	CHECK_EQ(messages, 2);
	/* the same again is no other device; too many of them end all timing */
	for (unsigned i = 0; i < 1000; i++)
		timed_mapped(memory, 4096, 5);
	timed_access((uint64_t)memory + 4096, ML_REF_READ << 4, 1);
	CHECK_EQ(messages, 3);
	for (uint64_t i = 1; i <= DEVICES; i++)
		timed_mapped((void *)(i << 32), 4096, 5);
	timed_access((uint64_t)memory + 4096, ML_REF_READ << 4, 1);
	CHECK_EQ(messages, 3);
}

#endif
