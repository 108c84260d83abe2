/*
 * Functions that synchronise threads. The clock is written before and behind each call,
 * so that references of different threads before and behind a synchronisation are in that
 * order in the trace.
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
	slot_release(slot);
}

/* Interposes the function of the same name in libc. */
#define INTERPOSE(type, name, parameters, arguments) \
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

INTERPOSE(int, pthread_mutex_lock, (pthread_mutex_t * m), (m))
INTERPOSE(int, pthread_mutex_trylock, (pthread_mutex_t * m), (m))
INTERPOSE(int, pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *t),
	  (m, t))
INTERPOSE(int, pthread_mutex_unlock, (pthread_mutex_t * m), (m))
INTERPOSE(int, pthread_spin_lock, (pthread_spinlock_t * s), (s))
INTERPOSE(int, pthread_spin_trylock, (pthread_spinlock_t * s), (s))
INTERPOSE(int, pthread_spin_unlock, (pthread_spinlock_t * s), (s))
INTERPOSE(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
INTERPOSE(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
INTERPOSE(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
INTERPOSE(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
INTERPOSE(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))
INTERPOSE(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
INTERPOSE(int, pthread_cond_timedwait,
	  (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *t), (c, m, t))
INTERPOSE(int, pthread_cond_signal, (pthread_cond_t * c), (c))
INTERPOSE(int, pthread_cond_broadcast, (pthread_cond_t * c), (c))
INTERPOSE(int, pthread_join, (pthread_t t, void **v), (t, v))
INTERPOSE(int, sem_wait, (sem_t * s), (s))
INTERPOSE(int, sem_trywait, (sem_t * s), (s))
INTERPOSE(int, sem_timedwait, (sem_t * s, const struct timespec *t), (s, t))
INTERPOSE(int, sem_post, (sem_t * s), (s))
INTERPOSE(int, mtx_lock, (mtx_t * m), (m))
INTERPOSE(int, mtx_unlock, (mtx_t * m), (m))
INTERPOSE(int, cnd_wait, (cnd_t * c, mtx_t *m), (c, m))
INTERPOSE(int, cnd_signal, (cnd_t * c), (c))
INTERPOSE(int, cnd_broadcast, (cnd_t * c), (c))
