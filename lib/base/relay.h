/*
 * Work in two stages on two threads. The caller does the first stage of a piece of work
 * in a slot and hands the slot over; a thread of the relay does the second stage, in the
 * same order. There are few slots, so neither side runs far ahead of the other.
 *
 *	unsigned slot = ml_relay_slot(&r);      waits until a slot is free
 *	... first stage, in things[slot] ...
 *	ml_relay_pass(&r);                      the second stage gets the slot
 *	ml_relay_wait(&r);                      until the second stage has done all
 *
 * A side that has to wait sleeps until half of the slots are ready for it, so that the
 * sides wake each other seldom.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

struct ml_relay {
	void (*second)(void *arg, unsigned slot);
	void *arg;
	unsigned slots;
	unsigned passed, done; /* slots handed over, and done; both only grow */
	bool hurry, stop;      /* hurry: the caller waits for all */
	bool alone; /* the system grants no thread: the caller does both stages */
	pthread_mutex_t lock;
	pthread_cond_t more, less;
	pthread_t thread;
};

void ml_relay_init(struct ml_relay *r, unsigned slots,
		   void (*second)(void *arg, unsigned slot), void *arg);
void ml_relay_release(struct ml_relay *r); /* waits, then ends the thread */
unsigned ml_relay_slot(struct ml_relay *r);
void ml_relay_pass(struct ml_relay *r);
void ml_relay_wait(struct ml_relay *r);
