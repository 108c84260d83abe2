/*
 * ending HOW: ends in many ways, after writing each element of `work` once.
 *
 *	segv, abort, exit	what they say; exit is _exit(7)
 *	wait		says "ready" and writes `work` again and again until it is stopped
 *	handle		the same, but says "handled" and exits with 5 on SIGINT or SIGTERM
 *	recover		touches a page that is not there; the handler maps it
 *	edge		reads the last 25 numbers of a page, and on
 *	resume		as recover, by what ran before there was a handler; ends with 3 if
 *			anything but the access was done again after it
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long work[1000], after[100];
static char *page;

static void fill(void)
{
	for (int i = 0; i < 1000; i++)
		work[i] = i;
}

static __attribute__((noinline)) void count_and_touch(volatile char *p)
{
	work[0]++;
	*p = 1;
}

static __attribute__((noinline)) int read_on(const volatile int *p)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += p[i];
	return sum;
}

static void on_segv(int signal)
{
	(void)signal;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_stop(int signal)
{
	(void)signal;
	write(1, "handled\n", 8);
	_exit(5);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	alarm(60); /* a test that goes wrong is no reason to run forever */
	fill();
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exit"))
		_exit(7);
	if (!strcmp(how, "edge")) {
		page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(page + 4096, 4096, PROT_NONE);
		return read_on((volatile int *)(void *)(page + 4096) - 25);
	}
	if (!strcmp(how, "recover")) {
		page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		signal(SIGSEGV, on_segv);
		*(volatile char *)page = 1;
		for (int i = 0; i < 100; i++)
			after[i] = page[0];
		return page[0] - 1;
	}
	if (!strcmp(how, "resume")) {
		char there;

		for (int i = 0; i < 10; i++)
			count_and_touch(&there);
		page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		signal(SIGSEGV, on_segv);
		count_and_touch(page);
		return work[0] == 11 && page[0] == 1 ? 0 : 3;
	}
	if (!strcmp(how, "handle")) {
		signal(SIGINT, on_stop);
		signal(SIGTERM, on_stop);
	}
	if (!strcmp(how, "wait") || !strcmp(how, "handle")) {
		write(1, "ready\n", 6);
		for (;;)
			fill();
	}
	return 0;
}
