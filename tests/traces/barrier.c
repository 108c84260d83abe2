/*
 * A program that repairs its faults and goes on, as garbage collectors with write barriers
 * do: pages are protected, the handler notes the page and lets the write happen. All that
 * the loop has in registers at a fault must be there when it goes on. Ends with 0 if each
 * page faulted once a round and the sums are right.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64, ROUNDS = 20, WORDS = PAGES * PAGE / 8 };
static volatile int faults;
static uint64_t *heap;

static void on_fault(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);

	(void)number;
	(void)context;
	faults++;
	mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
}

/* Many values live in registers at each write. */
static __attribute__((noinline)) uint64_t write_all(uint64_t *at, uint64_t seed)
{
	uint64_t a = seed, b = seed * 3, c = seed ^ 5, d = 0, e = 1, f = 7, g = seed + 9;

	for (int i = 0; i < WORDS; i += 16) {
		a += b;
		b ^= c + (uint64_t)i;
		at[i] = a;
		c += a >> 3;
		d += b * 5;
		at[i + 8] = d;
		e = e * 31 + c;
		f ^= e + g;
		g += f >> 1;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	alarm(60); /* a test that goes wrong is no reason to run forever */
	heap = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	uint64_t first = write_all(heap, 1); /* translated before there is a handler */
	sigaction(SIGSEGV, &act, NULL);
	for (int r = 0; r < ROUNDS; r++) {
		mprotect(heap, PAGES * PAGE, PROT_READ);
		if (write_all(heap, 1) != first)
			return 1;
	}
	printf("%d faults\n", faults);
	return faults == PAGES * ROUNDS ? 0 : 2;
}
