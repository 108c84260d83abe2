/*
 * Chunks are encoded by threads of their own while the next one is being
 * collected, and written in order. A parcel is a chunk on that way, with the
 * blocks (tables, shapes, events) that must stand before it in the file.
 * Memory is bounded by the number of parcels; whoever collects waits when all
 * are under way.
 *
 * Who encodes steps back behind the program that is recorded and the one who collects:
 * a little, or, while the machine has nothing else to do, behind everything. The second
 * keeps the processors busier, but would wait for ever where others want them. So there
 * are two crews, of which the one takes over what the other does not get done.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/pool.h"
#include "lib/trace/chunk.h"
#include "lib/trace/shape.h"

struct ml_parcel {
	struct ml_steps steps;
	struct ml_shapes shapes; /* as they were when the parcel was sent */
	uint64_t time;           /* of its first reference */
	struct ml_buf before;    /* whole blocks */
	struct ml_buf refs;      /* the encoded chunk as a block; empty if it has none */
	bool hurry;              /* encoders are behind */
	/* guarded by the lock */
	bool back;        /* for the crew that steps back behind everything */
	bool taken, done; /* by one of its crew */
	struct ml_encode_queue *ahead;
};

struct ml_encode_queue {
	struct ml_parcel *parcels; /* a ring */
	size_t count;
	size_t first,
		next; /* the oldest under way; the one being collected; they only grow */
	struct ml_encoder **encoders; /* those not in use, guarded by the lock */
	size_t idle;
	unsigned threads;
	unsigned behind; /* how much encoders were it lately; 0: not at all */
	/* for who collects to say: chunks may be packed less while they are; the machine
	 * has nothing else to do */
	bool may_hurry, quiet;
	uint64_t again, rest; /* not behind everything before then (ns); how long then */
	struct ml_crew {
		bool started; /* not before it has something to do */
		struct ml_pool pool;
	} crew[2]; /* that steps back a little; behind everything */
	pthread_mutex_t lock;
	pthread_cond_t ready;
	int level;
};

/* threads 0: as many as there are CPUs, at most 4. The program waits for them anyway
 * where they are the slowest. */
void ml_encode_queue_init(struct ml_encode_queue *a, unsigned threads, int level);
void ml_encode_queue_release(struct ml_encode_queue *a); /* waits for what is under way */

/* The parcel that is being collected. */
static inline struct ml_parcel *ml_encode_queue_now(const struct ml_encode_queue *a)
{
	return &a->parcels[a->next % a->count];
}

/*
 * Sends it off to be encoded. The next one may only be used after ml_encode_queue_take
 * says that there is room. `alone`: nothing else follows soon, so encode it here and now.
 */
void ml_encode_queue_send(struct ml_encode_queue *a, const struct ml_shapes *shapes,
			  bool alone);
/*
 * The oldest parcel that is encoded and not yet taken, or NULL. It waits for one if
 * `wait`, or if there is no other room. Give it back by ml_encode_queue_done.
 */
struct ml_parcel *ml_encode_queue_take(struct ml_encode_queue *a, bool wait);
void ml_encode_queue_done(struct ml_encode_queue *a);
