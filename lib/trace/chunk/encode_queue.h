/*
 * Threads encode chunks while the writer collects the next one. A parcel is a chunk on
 * its way to the file, with the blocks (tables, shapes, events) that must stand before
 * it. The queue returns parcels in the order in which the writer sent them. The number
 * of parcels bounds the memory: when all are in use, the writer waits.
 *
 * There are two crews of threads. The foreground crew competes for processors like any
 * other program. The background crew runs only on processors that nothing else wants,
 * so it disturbs the recorded program least, but on a busy machine it may never run.
 * When the writer has waited too long for the background crew, the queue gives its
 * parcels to the foreground crew. The recorder decides which crew gets a parcel, and
 * how long too long is (struct ml_encode_pace).
 * Held by tests/trace/test_encode_queue.c.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/pool.h"
#include "lib/trace/chunk/chunk.h"
#include "lib/trace/shape.h"

/*
 * How encoding shares the machine with the recorded program. All zero: normal priority,
 * full compression. Times are nanoseconds.
 */
struct ml_encode_pace {
	bool may_hurry;    /* compress less while the encoders have a backlog */
	uint64_t patience; /* longest wait of the writer for the background crew */
	/* After such a wait the background crew gets nothing for `pause`. The pause
	 * doubles each time, up to `pause_max`. */
	uint64_t pause, pause_max;
	/* Each thread of a crew calls its function once, before its first chunk, to set
	 * its priority. NULL: the thread keeps the priority of the writer. */
	void (*enter_foreground)(void);
	void (*enter_background)(void);
};

struct ml_parcel {
	struct ml_steps steps;
	struct ml_shapes shapes; /* as they were when the parcel was sent */
	uint64_t time;           /* of its first reference */
	struct ml_buf before;    /* whole blocks */
	struct ml_buf refs;      /* the encoded chunk as a block; empty: no references */
	bool hurry;              /* compress less */
	/* guarded by the lock */
	bool background; /* for the background crew */
	bool taken;      /* a thread encodes it, or has encoded it */
	bool done;       /* it is encoded */
	struct ml_encode_queue *queue;
};

struct ml_encode_queue {
	struct ml_parcel *parcels; /* a ring */
	size_t count;              /* of parcels */
	size_t first, next; /* the oldest parcel sent; the one being collected; both only
			     * grow */
	struct ml_encoder **encoders; /* encoders not in use, guarded by the lock */
	size_t idle;                  /* number of these */
	unsigned threads;             /* of each crew */
	int level;                    /* of compression */
	unsigned backlog;             /* recent backlog, in chunks; 0: none */
	struct ml_encode_pace pace;
	bool background;       /* the recorder wants the background crew to encode */
	uint64_t paused_until; /* no parcel for the background crew before (ns) */
	struct ml_crew {
		bool started; /* when its first parcel came */
		struct ml_pool pool;
	} foreground_crew, background_crew;
	pthread_mutex_t lock;
	pthread_cond_t ready; /* a parcel is done */
};

/* threads 0: one for each CPU. At most 4 threads are started for a crew. */
void ml_encode_queue_init(struct ml_encode_queue *q, unsigned threads, int level);
void ml_encode_queue_release(struct ml_encode_queue *q); /* waits for the encoders */

/* Sets the pace. Call it before the first parcel is sent. */
void ml_encode_queue_pace(struct ml_encode_queue *q, const struct ml_encode_pace *pace);

/* The parcel that is being collected. */
static inline struct ml_parcel *ml_encode_queue_now(const struct ml_encode_queue *q)
{
	return &q->parcels[q->next % q->count];
}

/*
 * Sends the parcel that is being collected to the encoders. The next parcel is free to
 * use once ml_encode_queue_take has returned NULL. `alone`: no other parcel follows
 * soon; if no crew has been started, the caller's thread encodes this one at once.
 */
void ml_encode_queue_send(struct ml_encode_queue *q, const struct ml_shapes *shapes,
			  bool alone);
/*
 * The oldest parcel sent, if it is encoded, else NULL. With `wait`, or when no parcel is
 * free, it waits until the oldest is encoded. Return the parcel by ml_encode_queue_done.
 */
struct ml_parcel *ml_encode_queue_take(struct ml_encode_queue *q, bool wait);
void ml_encode_queue_done(struct ml_encode_queue *q);
/* Gives the parcels of the background crew that no thread has taken yet to the foreground
 * crew: they are wanted soon. */
void ml_encode_queue_hasten(struct ml_encode_queue *q);
