/*
 * Threads: each has its own slot, from its start to its end.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "record/runtime/process.h"
#include "record/runtime/slot.h"
#include "record/runtime/sync.h"

enum { STARTS = 64, LAST_ROUND = 3 /* of PTHREAD_DESTRUCTOR_ITERATIONS */ };

/* The arguments of a new thread; in a static table, as the heap is the program's. */
struct start {
	void *(*run)(void *);
	void *arg;
	uint32_t parent;
	uint32_t birth; /* number of the creation, by which parent and child meet */
	uint32_t taken; /* atomic */
};

static struct {
	struct start start[STARTS];
	uint32_t threads; /* atomic: number of the last one */
	uint32_t births;  /* atomic: threads created so far */
	pthread_key_t key;
	pthread_once_t once;
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*setname)(pthread_t, const char *);
} here = { .threads = 1, .once = PTHREAD_ONCE_INIT };

/* Destructors of the program may run after this one: wait for the last round. */
static void ended(void *rounds)
{
	uintptr_t n = (uintptr_t)rounds;

	if (n < LAST_ROUND && !pthread_setspecific(here.key, (void *)(n + 1)))
		return;
	sync_tell(ML_SYNC_WAKE, (void *)pthread_self()); /* for pthread_join */
	struct ml_ring *slot = slot_hold();
	if (slot && slot_message(slot, ML_WORD_THREAD_END, self.number, 0))
		slot_commit(slot);
	slot_close();
}

static void make_key(void)
{
	pthread_key_create(&here.key, ended);
}

static void find_stack(void)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &low, &size)) {
		self.stack_low = (uint64_t)low;
		self.stack_high = (uint64_t)low + size;
	}
	pthread_attr_destroy(&attr);
}

static void *run(void *arg)
{
	struct start *place = arg, start = *place;

	__atomic_store_n(&place->taken, 0, __ATOMIC_RELEASE);
	find_stack();
	if (slot_open(__atomic_add_fetch(&here.threads, 1, __ATOMIC_RELAXED))) {
		struct ml_ring *slot = slot_hold();

		process_thread(slot, start.parent);
		slot_release(slot);
		sync_tell(ML_SYNC_WOKEN, (void *)(uintptr_t)start.birth);
		pthread_setspecific(here.key, (void *)1);
	}
	return start.run(start.arg);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*wanted)(void *), void *arg);
EXPORT int pthread_setname_np(pthread_t thread, const char *name);

static struct start *free_start(void)
{
	for (unsigned i = 0;; i = (i + 1) % STARTS) {
		uint32_t expected = 0;

		if (__atomic_compare_exchange_n(&here.start[i].taken, &expected, 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &here.start[i];
		if (i == STARTS - 1)
			usleep(100);
	}
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*wanted)(void *),
		   void *arg)
{
	if (!here.create)
		here.create = (int (*)(pthread_t *, const pthread_attr_t *,
				       void *(*)(void *), void *))dlsym(RTLD_NEXT,
									"pthread_create");
	if (!ring.control)
		return here.create(thread, attr, wanted, arg);
	ring.threads = true;
	pthread_once(&here.once, make_key);
	struct start *start = free_start();
	start->run = wanted;
	start->arg = arg;
	start->parent = self.number;
	start->birth = __atomic_add_fetch(&here.births, 1, __ATOMIC_RELAXED);
	sync_tell(ML_SYNC_WAKE, (void *)(uintptr_t)start->birth);
	int error = here.create(thread, attr, run, start);
	if (error)
		__atomic_store_n(&start->taken, 0, __ATOMIC_RELEASE);
	return error;
}

/* Reports a name that a thread gives itself. */
int pthread_setname_np(pthread_t thread, const char *name)
{
	if (!here.setname)
		here.setname = (int (*)(pthread_t, const char *))dlsym(
			RTLD_NEXT, "pthread_setname_np");
	int error = here.setname(thread, name);
	struct ml_ring *slot = error || !pthread_equal(thread, pthread_self())
				       ? NULL
				       : slot_hold();

	if (!slot)
		return error;
	uint64_t *w = slot_message(slot, ML_WORD_THREAD_NAME, self.number,
				   text_words(name));
	if (w) {
		text_put(w, name);
		slot_commit(slot);
	}
	slot_release(slot);
	return error;
}
