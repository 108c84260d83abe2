/*
 * Memory that is protected until a signal handler allows each page, as collectors of
 * garbage do. The handler checks that the program itself has faulted. Then the same with
 * a jump out of the handler.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, PAGES = 40 };

static volatile int faults, elsewhere;
static sigjmp_buf back;

static void check(void *context)
{
	Dl_info info;
	void *ip = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	faults++;
	if (!dladdr(ip, &info) || strstr(info.dli_fname, "libmemlamp"))
		elsewhere++;
}

static void allow(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	check(context);
	mprotect((void *)((unsigned long)info->si_addr / PAGE * PAGE), PAGE,
		 PROT_READ | PROT_WRITE);
}

static void jump(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	check(context);
	siglongjmp(back, 1);
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &a, NULL);
}

int main(void)
{
	volatile int sum = 0;
	int *at = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	handle(allow);
	for (int i = 0; i < PAGES * PAGE / 4; i++)
		if (i % 2)
			at[i] = i;
		else
			sum += at[i];
	printf("%d faults, %d of them elsewhere\n", faults, elsewhere);
	faults = elsewhere = 0;
	mprotect(at, PAGES * PAGE, PROT_NONE);
	handle(jump);
	for (volatile int i = 0; i < PAGES; i++)
		if (!sigsetjmp(back, 1))
			at[i * PAGE / 4]++;
	printf("%d faults, %d of them elsewhere\n", faults, elsewhere);
	return 0;
}
