#include "lib/cache/machine/host_transfer.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/cache_folder.h"
#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/base/newfile.h"

enum {
	TRIES = 400,      /* a few milliseconds; other load disturbs most of them */
	TURNS = 50,       /* of a try: few, so that some tries run undisturbed */
	LOOKS = 1 << 16,  /* at the line, until this thread lets others run */
	YIELDS = 1 << 10, /* until it gives up */
	SANE_MIN = 10,
	SANE_MAX = 5000,
	FILE_MAX = 4096,
};

#ifdef __x86_64__

struct game {
	_Alignas(128) atomic_uint turn; /* even: the first thread's; odd: the second's */
	_Alignas(128) atomic_bool over;
	unsigned cpu;
	atomic_int placed; /* 1: the second thread runs on its processor, -1: it cannot */
};

static bool run_on(unsigned cpu)
{
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return false;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
}

static void *answer(void *arg)
{
	struct game *g = arg;

	atomic_store(&g->placed, run_on(g->cpu) ? 1 : -1);
	while (!atomic_load_explicit(&g->over, memory_order_relaxed)) {
		unsigned turn = atomic_load_explicit(&g->turn, memory_order_relaxed);

		if (turn & 1)
			atomic_store_explicit(&g->turn, turn + 1, memory_order_release);
	}
	return NULL;
}

/* Passes the turn to the other thread and waits until it is back. */
static bool pass_turn(struct game *g)
{
	unsigned turn = atomic_load_explicit(&g->turn, memory_order_relaxed);

	atomic_store_explicit(&g->turn, turn + 1, memory_order_release);
	for (unsigned i = 0; i < YIELDS; i++) {
		for (unsigned k = 0; k < LOOKS; k++)
			if (atomic_load_explicit(&g->turn, memory_order_acquire) ==
			    turn + 2)
				return true;
		sched_yield();
	}
	return false;
}

/* The time of a turn in one direction, in the fastest try; published figures are of the
 * same kind. */
static uint64_t play(struct game *g)
{
	uint64_t min = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t start = __builtin_ia32_rdtsc();

		for (unsigned k = 0; k < TURNS; k++)
			if (!pass_turn(g))
				return min;
		uint64_t each = (__builtin_ia32_rdtsc() - start) / (2 * TURNS);
		min = each < min ? each : min;
	}
	return min;
}

static void *measure(void *arg)
{
	struct game g = { .cpu = ((unsigned *)arg)[1] };
	uint64_t *found = ml_resize(NULL, sizeof(*found));
	pthread_t other;

	*found = UINT64_MAX;
	if (!run_on(((unsigned *)arg)[0]) || pthread_create(&other, NULL, answer, &g))
		return found;
	while (!atomic_load(&g.placed))
		sched_yield();
	if (g.placed > 0)
		*found = play(&g);
	atomic_store(&g.over, true);
	pthread_join(other, NULL);
	return found;
}

/* In a thread of its own, so that the caller stays on its processors. */
bool ml_host_transfer_measure(unsigned first, unsigned second, uint32_t *cycles)
{
	unsigned cpus[] = { first, second };
	pthread_t thread;
	void *found;

	if (pthread_create(&thread, NULL, measure, cpus))
		return false;
	pthread_join(thread, &found);
	uint64_t each = *(uint64_t *)found;
	ml_free(found);
	if (each < SANE_MIN || each > SANE_MAX)
		return false;
	*cycles = (uint32_t)(each + 2) / 5 * 5;
	return true;
}

#else

bool ml_host_transfer_measure(unsigned first, unsigned second, uint32_t *cycles)
{
	(void)first;
	(void)second;
	(void)cycles;
	return false;
}

#endif

/* The file has the name of the processor and the figure. */
static bool read_kept(const char *path, const char *processor, uint32_t *cycles,
		      struct ml_arena *a)
{
	struct ml_err err;
	size_t size, name = strlen(processor);
	char *text;

	if (!ml_file_read(path, FILE_MAX, a, &text, &size, &err) || size <= name + 1 ||
	    memcmp(text, processor, name) != 0 || text[name] != '\n')
		return false;
	unsigned long kept = strtoul(text + name + 1, NULL, 10);
	*cycles = (uint32_t)kept;
	return kept >= SANE_MIN && kept <= SANE_MAX;
}

static void keep(const char *path, const char *processor, uint32_t cycles,
		 struct ml_arena *a)
{
	const char *text = ml_arena_printf(a, "%s\n%" PRIu32 "\n", processor, cycles);
	struct ml_newfile f;
	struct ml_err err;

	if (!ml_newfile_open(&f, path, &err))
		return;
	if (ml_newfile_write(&f, text, strlen(text), &err))
		ml_newfile_close(&f, &err);
	else
		ml_newfile_abandon(&f);
}

bool ml_host_transfer(const char *processor, unsigned first, unsigned second,
		      uint32_t *cycles)
{
	struct ml_arena a = { 0 };
	const char *folder = ml_cache_folder(&a);
	const char *path = folder ? ml_arena_printf(&a, "%s/transfer", folder) : NULL;
	bool ok = path && read_kept(path, processor, cycles, &a);

	if (!ok) {
		ok = ml_host_transfer_measure(first, second, cycles);
		if (ok && path && ml_cache_folder_make(folder, &a))
			keep(path, processor, *cycles, &a);
	}
	ml_arena_release(&a);
	return ok;
}
