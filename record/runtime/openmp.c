/*
 * OpenMP of gcc: where the threads of a team begin, meet and end. The library itself is
 * not instrumented, and its threads wait by system calls that no library can interpose.
 * So the entry points that compiled code calls are interposed.
 */
#include <dlfcn.h>

#include "record/runtime/slot.h"
#include "record/runtime/sync.h"

/*
 * A parallel region, on the stack of the thread that begins it. Its address stands for
 * the beginning, that of `end` for the barrier at the end. Threads of a team leave its
 * barriers by the address of `inside`.
 */
struct region {
	void (*run)(void *);
	void *data;
	char end, inside;
};

/* The innermost region that this thread works on; NULL: none. */
static __thread struct region *present __attribute__((tls_model("initial-exec")));

/* The part of one thread of the team. */
static void work(void *arg)
{
	struct region *r = arg, *outer = present;

	present = r;
	sync_tell(ML_SYNC_WOKEN, r);
	r->run(r->data);
	sync_tell(ML_SYNC_WAIT, &r->end);
	present = outer;
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* A function that begins a region; its first two parameters are those of `work`. */
#define PARALLEL(name, parameters, arguments) \
	EXPORT void name parameters; \
	void name parameters \
	{ \
		static __typeof__(&name) next; \
		struct region region = { .run = run, .data = data }, *r = &region; \
\
		if (UNLIKELY(!next)) \
			next = NEXT(name); \
		sync_tell(ML_SYNC_WAKE, r); \
		next arguments; \
		sync_tell(ML_SYNC_LEAVE, &r->end); \
	}

PARALLEL(GOMP_parallel,
	 (void (*run)(void *), void *data, unsigned threads, unsigned flags),
	 (work, r, threads, flags))

#define PARALLEL_LOOP(name) \
	PARALLEL(name, \
		 (void (*run)(void *), void *data, unsigned threads, long from, long to, \
		  long step, long chunk, unsigned flags), \
		 (work, r, threads, from, to, step, chunk, flags))
#define PARALLEL_RUNTIME(name) \
	PARALLEL(name, \
		 (void (*run)(void *), void *data, unsigned threads, long from, long to, \
		  long step, unsigned flags), \
		 (work, r, threads, from, to, step, flags))

PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_RUNTIME(GOMP_parallel_loop_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
PARALLEL(GOMP_parallel_sections,
	 (void (*run)(void *), void *data, unsigned threads, unsigned count,
	  unsigned flags),
	 (work, r, threads, count, flags))

/* A function in which the threads of the team wait for each other. */
#define BARRIER(name) \
	EXPORT void name(void); \
	void name(void) \
	{ \
		static __typeof__(&name) next; \
		struct region *r = present; \
\
		if (UNLIKELY(!next)) \
			next = NEXT(name); \
		if (r) \
			sync_tell(ML_SYNC_WAIT, &r->inside); \
		next(); \
		if (r) \
			sync_tell(ML_SYNC_LEAVE, &r->inside); \
	}

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
