/*
 * Work in stages on several threads. The caller puts a piece of work into a slot and
 * hands the slot over. Then the piece goes through all stages, one after the other. Each
 * stage takes the pieces in order and one at a time, so a stage may keep a state.
 * Different stages work on different pieces at the same time.
 *
 *	unsigned slot = ml_relay_slot(&r);      waits until a slot is free
 *	... prepare things[slot] ...
 *	ml_relay_pass(&r);                      the stages get the slot
 *	ml_relay_wait(&r);                      until all stages have done all pieces
 *
 * No stage belongs to a thread: a thread takes any stage that has a piece, and so does
 * the caller while it waits. So all processors are busy, no matter how the work is spread
 * over the stages. A thread that has taken a stage goes on with it as long as there are
 * pieces, because the state of the stage is in its cache.
 * Held by tests/base/test_relay.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

enum { ML_RELAY_STAGES = 16, ML_RELAY_THREADS = 7 };

struct ml_relay {
	/* does a stage, from 0, with the piece in a slot */
	void (*run)(void *arg, unsigned stage, unsigned slot);
	void *arg;
	unsigned stages, slots;
	/*
	 * Pieces that were handed over, and that each stage has done. All only grow.
	 */
	unsigned passed, done[ML_RELAY_STAGES];
	bool busy[ML_RELAY_STAGES]; /* a thread is at the stage */
	bool hurry, stop;           /* hurry: the caller waits for all pieces */
	unsigned asleep;            /* threads that wait, with the caller */
	pthread_mutex_t lock;
	pthread_cond_t change;
	unsigned threads;
	pthread_t thread[ML_RELAY_THREADS];
};

/* Up to `threads` threads beside the caller, or as many as the system grants. */
void ml_relay_init(struct ml_relay *r, unsigned slots, unsigned stages, unsigned threads,
		   void (*run)(void *arg, unsigned stage, unsigned slot), void *arg);
void ml_relay_release(struct ml_relay *r); /* waits, then ends the threads */
unsigned ml_relay_slot(struct ml_relay *r);
void ml_relay_pass(struct ml_relay *r);
void ml_relay_wait(struct ml_relay *r);
