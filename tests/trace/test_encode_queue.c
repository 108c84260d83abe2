/* Chunks leave the queue whole and in order, whichever crew encodes them. */
#include "lib/trace/chunk/encode_queue.h"

#include <semaphore.h>

#include "lib/base/clock.h"
#include "lib/trace/format.h"
#include "tests/test.h"

enum { STEPS = 100000, CHUNKS = 40 };

struct line {
	struct ml_encode_queue queue;
	struct ml_shapes shapes;
	uint64_t sent, taken;
};

static void open_line(struct line *l)
{
	struct ml_slot slot = { .site = 1, .what = 8 };
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
	struct ml_shape shape = {
		.slots = 1, .bases = 1, .slot = &slot, .base = &base, .user = true
	};

	*l = (struct line){ 0 };
	ml_encode_queue_init(&l->queue, 2, 1);
	ml_shapes_add(&l->shapes, &shape);
}

static void close_line(struct line *l)
{
	ml_encode_queue_release(&l->queue);
	ml_shapes_release(&l->shapes);
}

/* Chunks differ in how many references they have, and in which. */
static uint64_t refs_of(uint64_t chunk)
{
	return STEPS + chunk * 7 % 100;
}

static void send(struct line *l)
{
	struct ml_parcel *p = ml_encode_queue_now(&l->queue);
	uint64_t x = l->sent;

	if (!p->steps.at)
		ml_steps_init(&p->steps);
	ml_steps_clear(&p->steps, 1);
	for (uint64_t i = 0; i < refs_of(l->sent); i++) {
		uint64_t value = (x = x * 6364136223846793005u + 1442695040888963407u) >>
				 40;
		struct ml_step step = { l->shapes.at[0].path, 0, &value };

		ml_steps_add(&p->steps, &l->shapes, &step);
	}
	p->time = l->sent++;
	ml_encode_queue_send(&l->queue, &l->shapes, false);
}

static void take(struct line *l, bool wait)
{
	struct ml_parcel *p;

	while ((p = ml_encode_queue_take(&l->queue, wait))) {
		struct ml_decoder *d = ml_decoder_open(&l->shapes, 10);
		struct ml_block_header h;
		struct ml_err err;

		ml_format_get_block(p->refs.data, &h);
		CHECK_EQ(h.time, l->taken);
		CHECK_EQ(h.count, refs_of(l->taken));
		CHECK_EQ(ML_FORMAT_BLOCK_HEADER + h.size, p->refs.size);
		CHECK_OK(ml_decoder_start(d, p->refs.data + ML_FORMAT_BLOCK_HEADER,
					  h.size, h.count, &err),
			 &err);
		ml_decoder_close(d);
		l->taken++;
		ml_encode_queue_done(&l->queue);
	}
}

TEST(chunks_come_in_order_whichever_crew_encodes_them)
{
	struct line l;

	open_line(&l);
	for (int i = 0; i < CHUNKS; i++) {
		l.queue.background = i / 3 % 2;
		send(&l);
		take(&l, false);
	}
	take(&l, true);
	CHECK_EQ(l.taken, CHUNKS);
	CHECK(l.queue.foreground_crew.started && l.queue.background_crew.started);
	close_line(&l);
}

static sem_t processors; /* for the background crew */

static void wait_for_a_processor(void)
{
	sem_wait(&processors);
}

TEST(parcels_of_a_starved_background_crew_go_to_the_foreground)
{
	struct ml_encode_pace pace = { .patience = 10 * ML_MS,
				       .pause = 3600 * ML_SECOND,
				       .pause_max = 7200 * ML_SECOND,
				       .enter_background = wait_for_a_processor };
	struct line l;

	CHECK(!sem_init(&processors, 0, 0));
	open_line(&l);
	ml_encode_queue_pace(&l.queue, &pace);
	l.queue.background = true;
	send(&l);
	take(&l, false);
	CHECK_EQ(l.taken, 0); /* there is other room, so the writer need not wait */
	send(&l);
	take(&l, true);
	CHECK_EQ(l.taken, 2);
	CHECK_EQ(l.queue.pace.pause, 7200 * ML_SECOND);
	/* during the pause the background crew gets nothing */
	send(&l);
	CHECK(!l.queue.parcels[(l.sent - 1) % l.queue.count].background);
	take(&l, true);
	CHECK_EQ(l.taken, 3);
	for (unsigned i = 0; i < l.queue.threads; i++)
		sem_post(&processors);
	close_line(&l);
	sem_destroy(&processors);
}
