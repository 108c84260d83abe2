/*
 * Functions that synchronise threads. The clock is written before and behind each call,
 * so that references of different threads before and behind a synchronisation are in that
 * order in the trace. Functions that make a thread wait until another has done something,
 * and those that end such waiting, are also reported (enum ml_sync of record/ring.h), so
 * that simulations keep that order. Locks are reported as references to the lock: a lock
 * that all threads take is a line that all caches want.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "record/runtime/slot.h"
#include "record/runtime/sync.h"

static void stamp(void)
{
	struct ml_ring *slot = ring.threads ? slot_hold() : NULL;

	if (!slot)
		return;
	slot_stamp(slot);
	slot_release(slot);
}

void sync_tell(enum ml_sync kind, const volatile void *object)
{
	struct ml_ring *slot = ring.threads ? slot_hold() : NULL;

	if (!slot)
		return;
	uint64_t *at = slot_message(slot, ML_WORD_SYNC, (uint32_t)kind | self.number << 8,
				    1);
	if (at) {
		at[0] = (uint64_t)object;
		slot_commit(slot);
	}
	slot_release(slot);
}

enum { LOG_4 = 2 };

/* A lock is taken or released: its word is read and written. */
static void tell_lock(uint64_t site, const volatile void *lock)
{
	struct ml_ring *slot = ring.threads ? slot_hold() : NULL;

	if (!slot)
		return;
	slot_stamp(slot);
	slot_ref(slot, site, ML_REF_MODIFY, LOG_4, (uint64_t)lock);
	slot_release(slot);
}

/*
 * A mutex is taken or released. These are the references that glibc makes: the kind of
 * the mutex, the lock, its owner, the number of users.
 */
static void tell_mutex(uint64_t site, const pthread_mutex_t *m, bool taken)
{
	struct ml_ring *slot = ring.threads ? slot_hold() : NULL;
	const struct __pthread_mutex_s *d = &m->__data;

	if (!slot)
		return;
	slot_stamp(slot);
	if (taken) {
		slot_ref(slot, site, ML_REF_READ, LOG_4, (uint64_t)&d->__kind);
		slot_ref(slot, site, ML_REF_MODIFY, LOG_4, (uint64_t)&d->__lock);
	}
	slot_ref(slot, site, ML_REF_WRITE, LOG_4, (uint64_t)&d->__owner);
	slot_ref(slot, site, ML_REF_MODIFY, LOG_4, (uint64_t)&d->__nusers);
	if (!taken)
		slot_ref(slot, site, ML_REF_MODIFY, LOG_4, (uint64_t)&d->__lock);
	slot_release(slot);
}

/* Interposes the function of the same name in libc, with something before and behind. */
#define INTERPOSE(type, name, parameters, arguments, before, behind) \
	EXPORT type name parameters; \
	type name parameters \
	{ \
		static __typeof__(&name) next; \
\
		if (UNLIKELY(!next)) \
			next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		before; \
		type result = next arguments; \
		behind; \
		return result; \
	}

#define LOCK(name, parameters, arguments, lock) \
	INTERPOSE(int, name, parameters, arguments, stamp(), tell_lock(CALLER, lock))
#define UNLOCK(name, parameters, arguments, lock) \
	INTERPOSE(int, name, parameters, arguments, tell_lock(CALLER, lock), stamp())
/* mtx_t of <threads.h> is a mutex too. */
#define MUTEX_LOCK(name, parameters, arguments) \
	INTERPOSE(int, name, parameters, arguments, stamp(), \
		  tell_mutex(CALLER, (const pthread_mutex_t *)(const void *)m, true))
#define MUTEX_UNLOCK(name, parameters, arguments) \
	INTERPOSE(int, name, parameters, arguments, \
		  tell_mutex(CALLER, (const pthread_mutex_t *)(const void *)m, false), \
		  stamp())
#define WAIT(name, parameters, arguments, object) \
	INTERPOSE(int, name, parameters, arguments, sync_tell(ML_SYNC_WAIT, object), \
		  sync_tell(ML_SYNC_WOKEN, object))
#define WAKE(name, parameters, arguments, object) \
	INTERPOSE(int, name, parameters, arguments, sync_tell(ML_SYNC_WAKE, object), \
		  stamp())

MUTEX_LOCK(pthread_mutex_lock, (pthread_mutex_t * m), (m))
MUTEX_LOCK(pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *t),
	   (m, t))
MUTEX_UNLOCK(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
MUTEX_LOCK(mtx_lock, (mtx_t * m), (m))
MUTEX_UNLOCK(mtx_unlock, (mtx_t * m), (m))
LOCK(pthread_mutex_trylock, (pthread_mutex_t * m), (m), m)
LOCK(pthread_spin_lock, (pthread_spinlock_t * s), (s), s)
LOCK(pthread_spin_trylock, (pthread_spinlock_t * s), (s), s)
UNLOCK(pthread_spin_unlock, (pthread_spinlock_t * s), (s), s)
LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l), l)
LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l), l)
LOCK(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l), l)
LOCK(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l), l)
UNLOCK(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l), l)
WAIT(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m), c)
WAIT(pthread_cond_timedwait,
     (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *t), (c, m, t), c)
WAKE(pthread_cond_signal, (pthread_cond_t * c), (c), c)
WAKE(pthread_cond_broadcast, (pthread_cond_t * c), (c), c)
WAIT(sem_wait, (sem_t * s), (s), s)
WAIT(sem_timedwait, (sem_t * s, const struct timespec *t), (s, t), s)
WAKE(sem_post, (sem_t * s), (s), s)
WAIT(cnd_wait, (cnd_t * c, mtx_t *m), (c, m), c)
WAKE(cnd_signal, (cnd_t * c), (c), c)
WAKE(cnd_broadcast, (cnd_t * c), (c), c)
INTERPOSE(int, sem_trywait, (sem_t * s), (s), stamp(), stamp())
INTERPOSE(int, pthread_join, (pthread_t t, void **v), (t, v), stamp(),
	  sync_tell(ML_SYNC_WOKEN, (void *)t))
INTERPOSE(int, pthread_barrier_wait, (pthread_barrier_t * b), (b),
	  sync_tell(ML_SYNC_WAIT, b), sync_tell(ML_SYNC_LEAVE, b))
