/*
 * Sleeping until another process or thread has changed a word.
 */
#pragma once

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps until *word differs from `seen`, a futex wake comes, or the time is over. */
static inline void ml_futex_wait(uint32_t *word, uint32_t seen, int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &t, NULL, 0);
}

static inline void ml_futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
