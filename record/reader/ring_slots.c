#include "record/reader/ring_slots.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MIN_SLOTS = 4 };

void ml_ring_slots_init(struct ml_ring_slots *s, struct ml_ring_control *control)
{
	*s = (struct ml_ring_slots){ .control = control,
				     .fd = -1,
				     .slots = control ? control->slots : 0 };
	pthread_mutex_init(&s->lock, NULL);
}

/* Makes the file and maps it; false: errno says why not. */
static bool make(struct ml_ring_slots *s, uint32_t slots)
{
	s->bytes = ML_RING_FILE_BYTES(slots);
	if (ftruncate(s->fd, (off_t)s->bytes))
		return false;
	void *at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE, s->fd, 0);
	s->control = at == MAP_FAILED ? NULL : at;
	return s->control;
}

static pthread_mutex_t *alive(struct ml_ring_control *control)
{
	_Static_assert(sizeof(pthread_mutex_t) <= sizeof(control->alive),
		       "the mutex fits into the control page");
	return (pthread_mutex_t *)(void *)control->alive;
}

/* Takes the mutex by which producers see that the companion lives. */
static void hold(struct ml_ring_control *control)
{
	pthread_mutexattr_t robust;

	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(alive(control), &robust);
	pthread_mutexattr_destroy(&robust);
	pthread_mutex_lock(alive(control));
}

/* Producers that are still there find a companion that has ended. */
static void let_go(struct ml_ring_control *control)
{
	pthread_mutex_unlock(alive(control));
	__atomic_fetch_or((uint32_t *)(void *)control->alive, ML_RING_OWNER_DIED,
			  __ATOMIC_RELEASE);
}

bool ml_ring_slots_open(struct ml_ring_slots *s, uint32_t slots, uint32_t options,
			uint32_t period, struct ml_err *err)
{
	struct rlimit limit, max;

	ml_ring_slots_init(s, NULL);
	s->fd = memfd_create("memlamp-ring", MFD_CLOEXEC);
	if (s->fd < 0)
		return ml_fail_errno(err, "cannot make the shared ring");
	/* a limit of file sizes is meant for files on disk, such as the trace */
	getrlimit(RLIMIT_FSIZE, &limit);
	max = limit;
	max.rlim_cur = max.rlim_max;
	setrlimit(RLIMIT_FSIZE, &max);
	bool made = make(s, slots);
	while (!made && slots > MIN_SLOTS)
		made = make(s, slots /= 2);
	int reason = errno;
	setrlimit(RLIMIT_FSIZE, &limit);
	errno = reason;
	if (!made)
		return ml_fail_errno(err, "cannot make the shared ring");
	*s->control = (struct ml_ring_control){
		.magic = ML_RING_MAGIC,
		.version = ML_RING_VERSION,
		.companion = (uint32_t)getpid(),
		.options = options,
		.slots = slots,
		.period = period,
	};
	s->slots = slots;
	hold(s->control);
	snprintf(s->path, sizeof(s->path), "/proc/%d/fd/%d", getpid(), s->fd);
	return true;
}

void ml_ring_slots_close(struct ml_ring_slots *s)
{
	if (s->control && s->bytes) {
		let_go(s->control);
		munmap(s->control, s->bytes);
	}
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->lock);
}

uint32_t ml_ring_slots_top(const struct ml_ring_slots *s)
{
	uint32_t top = __atomic_load_n(&s->control->top, __ATOMIC_ACQUIRE);

	/* the program can write to the control page */
	return top < s->slots ? top : s->slots;
}

bool ml_ring_slots_look(struct ml_ring_slots *s, uint32_t i, struct ml_ring_owner *owner)
{
	struct ml_ring *r = ml_ring_slot(s->control, i);

	pthread_mutex_lock(&s->lock);
	uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
	*owner = (struct ml_ring_owner){ r->pid, r->thread, r->birth, r->taken };
	pthread_mutex_unlock(&s->lock);
	return state == ML_RING_OPEN || state == ML_RING_CLOSED;
}

void ml_ring_slots_free(struct ml_ring_slots *s, struct ml_ring *r)
{
	uint32_t i = (uint32_t)(((uint64_t)((char *)r - (char *)s->control) -
				 ML_RING_SLOT_OFFSET(0)) /
				ML_RING_SLOT_BYTES);

	pthread_mutex_lock(&s->lock);
	/* the claim last: from then on a producer may have the slot */
	memset((char *)r + sizeof(r->state), 0, ML_RING_PAGE - sizeof(r->state));
	__atomic_store_n(&r->state, ML_RING_FREE, __ATOMIC_RELEASE);
	ml_ring_unclaim(s->control, i);
	pthread_mutex_unlock(&s->lock);
}
