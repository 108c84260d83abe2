/*
 * Reads the ring of one recorded process and writes its trace, in a thread of its own.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/session/recording.h"
#include "record/reader/thread_merge.h"

struct ml_ring_reader;
struct ml_ring;
struct ml_ring_control;

enum { ML_WORKER_TICK_MS = 100 }; /* the longest sleep without looking around */

/* A recorded process and the thread that reads its ring. */
struct ml_worker {
	pthread_t thread;
	struct ml_ring_reader *reader;
	struct ml_ring *ring;
	struct ml_ring_control *control;
	const uint64_t *data;
	size_t consumed; /* words of the segment being filled that were read already */
	struct ml_thread_merge slots; /* of a program built by `memlamp cc` */
	bool by_thread;               /* each thread of the process has a slot */
	const int *child_end;         /* end of the program that we started; or NULL */
	struct ml_recording result;
	double start;
	int pidfd;      /* readable when the process has ended; -1: it has ended */
	int replaced;   /* atomic: the process runs another program now, or all stops */
	int done;       /* atomic; enum ml_worker_done */
	bool collected; /* the reader is gone */
	uint64_t birth; /* of the process */
};

enum ml_worker_done { ML_WORKER_RUNNING, ML_WORKER_FINISHED, ML_WORKER_UNRECORDED };

/* The work: reads until the process closes its slot or is gone, finishes the trace and
 * sets `done`. An argument of pthread_create; the argument is the worker. */
void *ml_worker_run(void *worker);
bool ml_worker_has_ended(const struct ml_worker *w);
