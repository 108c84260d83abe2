/* Who encodes chunks, and when: they come out whole and in order whoever does. */
#include "lib/trace/encode_queue.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/trace/format.h"
#include "tests/test.h"

enum { STEPS = 100000, CHUNKS = 40 };

struct line {
	struct ml_encode_queue ahead;
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
	ml_encode_queue_init(&l->ahead, 2, 1);
	ml_shapes_add(&l->shapes, &shape);
}

static void close_line(struct line *l)
{
	ml_encode_queue_release(&l->ahead);
	ml_shapes_release(&l->shapes);
}

/* Chunks differ in how many references they have, and in which. */
static uint64_t refs_of(uint64_t chunk)
{
	return STEPS + chunk * 7 % 100;
}

static void send(struct line *l)
{
	struct ml_parcel *p = ml_encode_queue_now(&l->ahead);
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
	ml_encode_queue_send(&l->ahead, &l->shapes, false);
}

static void take(struct line *l, bool wait)
{
	struct ml_parcel *p;

	while ((p = ml_encode_queue_take(&l->ahead, wait))) {
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
		ml_encode_queue_done(&l->ahead);
	}
}

TEST(chunks_come_in_order_whoever_encodes_them)
{
	struct line l;

	open_line(&l);
	for (int i = 0; i < CHUNKS; i++) {
		l.ahead.quiet = i / 3 % 2;
		send(&l);
		take(&l, false);
	}
	take(&l, true);
	CHECK_EQ(l.taken, CHUNKS);
	CHECK(l.ahead.crew[0].started && l.ahead.crew[1].started);
	close_line(&l);
}

/* May a thread step back behind everything here? */
static bool may_step_back(void)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid)
		_exit(sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }) != 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void *spin(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
	}
	return NULL;
}

TEST(what_gets_no_processor_goes_to_those_who_do)
{
	unsigned spinners = 2 * ml_cpus();
	pthread_t *thread = ml_resize(NULL, spinners * sizeof(*thread));
	struct line l;
	int stop = 0;

	open_line(&l);
	l.ahead.quiet = true;
	for (unsigned i = 0; i < spinners; i++)
		CHECK(!pthread_create(&thread[i], NULL, spin, &stop));
	/* the others stop when it was noticed, as one that has begun must end too */
	for (int i = 0; i < CHUNKS && !l.ahead.again; i++) {
		send(&l);
		take(&l, false);
		if (i == CHUNKS - 1)
			CHECK(l.ahead.again || !may_step_back());
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < spinners; i++)
		pthread_join(thread[i], NULL);
	/* until then nothing is sent to where it would have to wait */
	l.ahead.again = UINT64_MAX;
	send(&l);
	CHECK(!l.ahead.parcels[(l.sent - 1) % l.ahead.count].back);
	take(&l, true);
	CHECK_EQ(l.taken, l.sent);
	close_line(&l);
	ml_free(thread);
}
