/*
 * Which core a thread runs on. Threads become cores in the order of their numbers, modulo
 * the cores of the machine. The order in which they appear would depend on the scheduler
 * of the recording; it counts only for threads that a trace does not list, because its
 * writer was killed and no entry describes them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_tables;

enum { ML_THREAD_NUMBERS = 1 << 16, ML_NO_CORE = 0xffff };

struct ml_thread_cores {
	uint16_t *core; /* by number of the thread; ML_NO_CORE: none yet */
	uint32_t cores, next;
};

/* The number of threads that made references; 0: unknown (old traces without entries). */
size_t ml_thread_count(const struct ml_tables *t);

/* Places the threads of the tables; those that have a core already keep it. `core` has
 * ML_THREAD_NUMBERS entries. */
void ml_thread_cores_init(struct ml_thread_cores *c, uint16_t *core, uint32_t cores,
			  const struct ml_tables *t);

static inline uint16_t ml_thread_cores_find(struct ml_thread_cores *c, uint16_t thread)
{
	if (c->core[thread] == ML_NO_CORE)
		c->core[thread] = (uint16_t)(c->next++ % c->cores);
	return c->core[thread];
}
