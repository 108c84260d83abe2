#include "record/session/machine_idle.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/clock.h"

enum { OTHER_WORK = 5 }; /* idle: other work takes under 1/5 of one processor */

uint64_t ml_machine_idle_busy(const char *stat)
{
	unsigned long long user, nice, system, irq, softirq;
	long ticks = sysconf(_SC_CLK_TCK);

	if (ticks <= 0 || sscanf(stat, "cpu %llu %llu %llu %*u %*u %llu %llu", &user,
				 &nice, &system, &irq, &softirq) != 5)
		return 0;
	return (user + nice + system + irq + softirq) *
	       (ML_SECOND / (unsigned long long)ticks);
}

bool ml_machine_idle_since(struct ml_machine_idle *q, uint64_t at, uint64_t busy,
			   uint64_t ours)
{
	struct ml_machine_idle last = *q;

	*q = (struct ml_machine_idle){ busy, ours, at };
	if (!last.at || !busy || !last.busy || at <= last.at || ours < last.ours)
		return false;
	return busy - last.busy < ours - last.ours + (at - last.at) / OTHER_WORK;
}

/* The first line of /proc/stat has the sums over all processors. */
static uint64_t read_busy(void)
{
	char text[256];
	int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	return ml_machine_idle_busy(text);
}

bool ml_machine_idle_look(struct ml_machine_idle *q, pid_t other)
{
	clockid_t clock;
	uint64_t theirs = clock_getcpuclockid(other, &clock) ? 0 : ml_clock(clock);

	return ml_machine_idle_since(q, ml_now(), read_busy(),
				     ml_clock(CLOCK_PROCESS_CPUTIME_ID) + theirs);
}
