/*
 * Calls by which threads wait for each other. The clock is told before one that lets
 * others go on and behind one that waited, so that what happens before and behind them
 * stands in that order in the trace too.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "record/runtime/slot.h"

static void stamp(void)
{
	struct ml_ring *slot = ring.threads ? slot_hold() : NULL;

	if (!slot)
		return;
	slot_stamp(slot);
	slot_let(slot);
}

/* A function that stands before the one of the same name in libc. */
#define STAND_BEFORE(type, name, parameters, arguments) \
	EXPORT type name parameters; \
	type name parameters \
	{ \
		static __typeof__(&name) next; \
\
		if (UNLIKELY(!next)) \
			next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		stamp(); \
		type result = next arguments; \
		stamp(); \
		return result; \
	}

STAND_BEFORE(int, pthread_mutex_lock, (pthread_mutex_t * m), (m))
STAND_BEFORE(int, pthread_mutex_trylock, (pthread_mutex_t * m), (m))
STAND_BEFORE(int, pthread_mutex_timedlock,
	     (pthread_mutex_t * m, const struct timespec *t), (m, t))
STAND_BEFORE(int, pthread_mutex_unlock, (pthread_mutex_t * m), (m))
STAND_BEFORE(int, pthread_spin_lock, (pthread_spinlock_t * s), (s))
STAND_BEFORE(int, pthread_spin_trylock, (pthread_spinlock_t * s), (s))
STAND_BEFORE(int, pthread_spin_unlock, (pthread_spinlock_t * s), (s))
STAND_BEFORE(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
STAND_BEFORE(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
STAND_BEFORE(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
STAND_BEFORE(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
STAND_BEFORE(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
STAND_BEFORE(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))
STAND_BEFORE(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
STAND_BEFORE(int, pthread_cond_timedwait,
	     (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *t),
	     (c, m, t))
STAND_BEFORE(int, pthread_cond_signal, (pthread_cond_t * c), (c))
STAND_BEFORE(int, pthread_cond_broadcast, (pthread_cond_t * c), (c))
STAND_BEFORE(int, pthread_join, (pthread_t t, void **v), (t, v))
STAND_BEFORE(int, sem_wait, (sem_t * s), (s))
STAND_BEFORE(int, sem_trywait, (sem_t * s), (s))
STAND_BEFORE(int, sem_timedwait, (sem_t * s, const struct timespec *t), (s, t))
STAND_BEFORE(int, sem_post, (sem_t * s), (s))
STAND_BEFORE(int, mtx_lock, (mtx_t * m), (m))
STAND_BEFORE(int, mtx_unlock, (mtx_t * m), (m))
STAND_BEFORE(int, cnd_wait, (cnd_t * c, mtx_t *m), (c, m))
STAND_BEFORE(int, cnd_signal, (cnd_t * c), (c))
STAND_BEFORE(int, cnd_broadcast, (cnd_t * c), (c))
