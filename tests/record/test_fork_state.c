/* The state that forked children inherit, and the blocks of realloc. */
#include "record/reader/fork_state.h"

#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/trace/trace.h"
#include "record/reader/ring_reader.h"
#include "record/reader/thread_merge.h"
#include "record/ring.h"
#include "tests/scratch.h"
#include "tests/test.h"

static struct ml_buf text(const char *s)
{
	struct ml_buf b = { 0 };

	ml_buf_put(&b, s, strlen(s) + 1);
	return b;
}

/* The state received for that fork, "" if there is none. */
static const char *taken(struct ml_fork_state *h, struct ml_fork fork, char out[20])
{
	struct ml_buf b = { 0 };

	out[0] = 0;
	if (ml_fork_state_receive(h, fork, &b))
		memcpy(out, b.data, b.size);
	ml_buf_release(&b);
	return out;
}

TEST(each_child_receives_the_state_of_its_own_fork_and_only_once)
{
	struct ml_fork_state h;
	struct ml_buf a = text("a"), b = text("b");
	char out[20];

	ml_fork_state_init(&h, NULL);
	CHECK(!ml_fork_state_is_pending(&h));
	ml_fork_state_publish(&h, (struct ml_fork){ 1, 10 }, &a);
	ml_fork_state_publish(&h, (struct ml_fork){ 1, 20 }, &b);
	CHECK_STR(taken(&h, (struct ml_fork){ 2, 10 }, out), "");
	CHECK_STR(taken(&h, (struct ml_fork){ 1, 20 }, out), "b");
	CHECK_STR(taken(&h, (struct ml_fork){ 1, 20 }, out), "");
	CHECK(ml_fork_state_is_pending(&h));
	CHECK_STR(taken(&h, (struct ml_fork){ 1, 10 }, out), "a");
	CHECK(!ml_fork_state_is_pending(&h));
	ml_fork_state_release(&h);
}

TEST(states_that_are_never_received_are_dropped_when_there_are_too_many)
{
	struct ml_fork_state h;
	char out[20];

	ml_fork_state_init(&h, NULL);
	for (uint64_t i = 0; i <= ML_RING_SLOTS; i++) {
		struct ml_buf b = text("x");

		ml_fork_state_publish(&h, (struct ml_fork){ 1, i }, &b);
	}
	CHECK_STR(taken(&h, (struct ml_fork){ 1, 0 }, out), "");
	CHECK_STR(taken(&h, (struct ml_fork){ 1, 1 }, out), "x");
	ml_fork_state_release(&h);
}

enum { SLOTS = 8 };

static struct ml_ring_control *ring(void)
{
	void *at = mmap(NULL, ML_RING_FILE_BYTES(SLOTS), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CHECK(at != MAP_FAILED);
	return at;
}

static void *leave_late(void *arg)
{
	struct ml_buf b = text("late");

	usleep(50000);
	ml_fork_state_publish(arg, (struct ml_fork){ 7, 1 }, &b);
	return NULL;
}

TEST(a_child_waits_while_its_parent_is_recorded)
{
	struct ml_ring_control *control = ring();
	struct ml_ring *slot = ml_ring_slot(control, 5);
	struct ml_fork_state h;
	pthread_t parent;
	char out[20];

	slot->birth = 7;
	control->top = 6;
	ml_fork_state_init(&h, control);
	pthread_create(&parent, NULL, leave_late, &h);
	CHECK_STR(taken(&h, (struct ml_fork){ 7, 1 }, out), "late");
	pthread_join(parent, NULL);
	slot->stop = 1;
	CHECK_STR(taken(&h, (struct ml_fork){ 7, 2 }, out), "");
	ml_fork_state_release(&h);
	munmap(control, ML_RING_FILE_BYTES(SLOTS));
}

struct guest {
	struct ml_ring_reader *reader;
	uint64_t words[1000];
	size_t count;
};

static void say(struct guest *g, enum ml_word type, uint32_t argument, unsigned count,
		const uint64_t *payload)
{
	g->words[g->count++] = ML_WORD(type, count, argument);
	memcpy(g->words + g->count, payload, count * sizeof(*payload));
	g->count += count;
}

#define SAY(g, type, argument, ...) \
	say(g, ML_WORD_##type, argument, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, \
	    (uint64_t[]){ __VA_ARGS__ })

/* A reference, so that time advances. */
static void touch(struct guest *g, uint64_t addr)
{
	g->words[g->count++] = (uint64_t)(ML_REF_WRITE << 4 | 3) << ML_REF_SHIFT |
			       0x400010;
	g->words[g->count++] = addr;
}

static const struct ml_record_options all = { .no_source = true };

static void open_guest(struct guest *g, const struct ml_record_options *options,
		       struct ml_fork_state *h)
{
	struct ml_err err;

	*g = (struct guest){ .reader = ml_ring_reader_open(scratch(), options, &err) };
	CHECK(g->reader);
	ml_ring_reader_fork_state(g->reader, h);
}

/* Returns how many references the trace has. */
static uint64_t close_guest(struct guest *g)
{
	struct ml_err err;

	CHECK_OK(ml_ring_reader_feed(g->reader, g->words, g->count, &err), &err);
	CHECK_OK(ml_ring_reader_finish(g->reader, false, &err), &err);
	CHECK(!ml_ring_reader_warning(g->reader));
	uint64_t refs = ml_ring_reader_count(g->reader).refs;
	ml_ring_reader_release(g->reader);
	return refs;
}

/* The blocks of a trace: "address+size from-until ...", with - for never. */
static const char *blocks(const char *path, char out[400])
{
	struct ml_trace t;
	struct ml_err err;
	size_t n = 0;

	CHECK_OK(ml_trace_open(&t, path, &err), &err);
	CHECK_OK(ml_trace_load_blocks(&t, &err), &err);
	out[0] = 0;
	for (size_t i = 0; i < t.block_count; i++) {
		const struct ml_block *b = &t.blocks[i];

		n += (size_t)sprintf(out + n, "%s%s%" PRIx64 "+%" PRIu64 " %" PRIu64 "-",
				     i ? " " : "", b->over ? "over " : "", b->addr,
				     b->size, b->from);
		if (b->until != ML_FOREVER)
			n += (size_t)sprintf(out + n, "%" PRIu64, b->until);
	}
	ml_trace_close(&t);
	return out;
}

TEST(a_child_inherits_the_blocks_that_live_at_the_fork)
{
	struct ml_fork_state h;
	struct guest parent, child;
	char out[400];

	ml_fork_state_init(&h, NULL);
	open_guest(&parent, &all, &h);
	SAY(&parent, STACK, 1, 0x400020);
	SAY(&parent, ALLOC, 1, 0x1000, 10);
	SAY(&parent, ALLOC, 1, 0x2000, 20);
	SAY(&parent, MMAP, 1, 0x10000, 0x4000);
	touch(&parent, 0x1000);
	SAY(&parent, FREE, 0, 0x1000);
	SAY(&parent, UNMAP, 0, 0x11000, 0x12000);
	SAY(&parent, REGION, 0, 0x2008, 8, 4, 2, 1, 'w');
	SAY(&parent, THREAD_NEW, 2, 1, 0x20000, 0x30000);
	SAY(&parent, THREAD_NEW, 3, 1, 0x30000, 0x40000);
	SAY(&parent, THREAD_END, 3, 0);
	SAY(&parent, THREAD, 1, 0);
	SAY(&parent, FORK, 0, 5, 6);
	SAY(&parent, ALLOC, 1, 0x3000, 30);
	close_guest(&parent);

	open_guest(&child, &all, &h);
	SAY(&child, FORK, 1, 5, 6);
	touch(&child, 0x2000);
	SAY(&child, FREE, 0, 0x2000);
	close_guest(&child);
	CHECK_STR(blocks(scratch(), out),
		  "2000+20 0-1 10000+4096 0- 12000+8192 0- over 20000+65536 0- "
		  "over 2008+8 0-");
	ml_fork_state_release(&h);
}

/* References of the child of a fork, which makes two. */
static uint64_t kept(const struct ml_record_options *options,
		     void (*before)(struct guest *))
{
	struct ml_fork_state h;
	struct guest parent, child;

	ml_fork_state_init(&h, NULL);
	open_guest(&parent, options, &h);
	before(&parent);
	SAY(&parent, FORK, 0, 5, 6);
	close_guest(&parent);
	open_guest(&child, options, &h);
	SAY(&child, FORK, 1, 5, 6);
	touch(&child, 0x1000);
	touch(&child, 0x2000);
	uint64_t refs = close_guest(&child);
	ml_fork_state_release(&h);
	return refs;
}

static void nothing(struct guest *g)
{
	touch(g, 0x1000);
}

static void stop(struct guest *g)
{
	SAY(g, RECORD, 0, 0);
}

static void mark(struct guest *g)
{
	SAY(g, MARK, 0, 'm');
	touch(g, 0x1000);
}

TEST(a_child_is_in_the_phases_and_states_of_the_thread_that_forked)
{
	struct ml_fork_state h;
	struct guest parent, child;
	struct ml_trace t;
	struct ml_err err;

	ml_fork_state_init(&h, NULL);
	open_guest(&parent, &all, &h);
	SAY(&parent, THREAD, 1, 0);
	SAY(&parent, MARK, ML_MARK_BEGIN, 'a');
	SAY(&parent, MARK, ML_MARK_BEGIN, 'b');
	SAY(&parent, MARK, ML_MARK_BEGIN, 'b');
	SAY(&parent, MARK, ML_MARK_END, 'b');
	SAY(&parent, MARK, ML_MARK_BEGIN, 'c');
	SAY(&parent, MARK, ML_MARK_END, 'c');
	SAY(&parent, MARK, ML_MARK_POINT, 'p');
	SAY(&parent, STATE, 0, 3, 's');
	SAY(&parent, STATE, 0, 4, 's');
	SAY(&parent, THREAD, 2, 0);
	SAY(&parent, MARK, ML_MARK_BEGIN, 'd');
	SAY(&parent, STATE, 0, 5, 's');
	SAY(&parent, THREAD, 1, 0);
	SAY(&parent, FORK, 0, 5, 6);
	close_guest(&parent);
	open_guest(&child, &all, &h);
	SAY(&child, THREAD, 1, 0);
	SAY(&child, FORK, 1, 5, 6);
	touch(&child, 0x1000);
	close_guest(&child);

	CHECK_OK(ml_trace_open(&t, scratch(), &err), &err);
	CHECK_EQ(t.tables.marks.count, 2);
	CHECK_STR(ml_tables_text(&t.tables, t.tables.marks.at[0].name), "a");
	CHECK_STR(ml_tables_text(&t.tables, t.tables.marks.at[1].name), "b");
	CHECK_EQ(t.tables.marks.at[1].kind, ML_MARK_BEGIN);
	CHECK_EQ(t.tables.states.count, 1);
	CHECK_EQ(t.tables.states.at[0].value, 4);
	CHECK_EQ(t.tables.states.at[0].time, 0);
	ml_trace_close(&t);
	ml_fork_state_release(&h);
}

TEST(a_child_is_recorded_if_its_parent_was)
{
	const struct ml_record_options from = { .no_source = true, .from_mark = "m" };

	CHECK_EQ(kept(&all, nothing), 2);
	CHECK_EQ(kept(&all, stop), 0);
	CHECK_EQ(kept(&from, mark), 2);
}

TEST(realloc_keeps_the_old_block_until_it_returns_and_the_new_one_lives_from_its_begin)
{
	struct guest g;
	char out[400];

	open_guest(&g, &all, NULL);
	SAY(&g, ALLOC, 0, 0x1000, 10);
	touch(&g, 0x1000);
	SAY(&g, ALLOCATING, ML_ALLOCATING_BEGIN, 0x1000);
	touch(&g, 0x1000);
	touch(&g, 0x2000);
	SAY(&g, ALLOC, 0, 0x2000, 20);
	touch(&g, 0x2000);
	close_guest(&g);
	CHECK_STR(blocks(scratch(), out), "1000+10 0-3 2000+20 1-");
}

TEST(a_block_that_grows_in_place_becomes_a_new_block)
{
	struct guest g;
	char out[400];

	open_guest(&g, &all, NULL);
	SAY(&g, ALLOC, 0, 0x1000, 10);
	touch(&g, 0x1000);
	SAY(&g, ALLOCATING, ML_ALLOCATING_BEGIN, 0x1000);
	SAY(&g, ALLOC, 0, 0x1000, 20);
	touch(&g, 0x1000);
	close_guest(&g);
	CHECK_STR(blocks(scratch(), out), "1000+10 0-1 1000+20 1-");
}

TEST(a_failed_realloc_keeps_the_block_and_a_realloc_to_0_frees_it)
{
	struct guest g;
	char out[400];

	open_guest(&g, &all, NULL);
	SAY(&g, ALLOC, 0, 0x1000, 10);
	SAY(&g, ALLOC, 0, 0x2000, 10);
	touch(&g, 0x1000);
	SAY(&g, ALLOCATING, ML_ALLOCATING_BEGIN, 0x1000);
	SAY(&g, ALLOCATING, ML_ALLOCATING_FAILED, 0);
	SAY(&g, ALLOCATING, ML_ALLOCATING_BEGIN, 0x2000);
	SAY(&g, ALLOCATING, ML_ALLOCATING_FREED, 0);
	touch(&g, 0x1000);
	close_guest(&g);
	CHECK_STR(blocks(scratch(), out), "1000+10 0- 2000+10 0-1");
}

TEST(realloc_does_not_end_a_block_that_another_thread_got_at_the_old_address)
{
	struct guest g;
	char out[400];

	open_guest(&g, &all, NULL);
	SAY(&g, THREAD, 1, 0);
	SAY(&g, ALLOC, 0, 0x1000, 10);
	touch(&g, 0x1000);
	SAY(&g, ALLOCATING, ML_ALLOCATING_BEGIN, 0x1000);
	SAY(&g, THREAD, 2, 0);
	touch(&g, 0x9000);
	SAY(&g, ALLOC, 0, 0x1000,
	    5); /* freed inside realloc, and allocated by another thread */
	SAY(&g, THREAD, 1, 0);
	SAY(&g, ALLOC, 0, 0x2000, 20);
	touch(&g, 0x2000);
	close_guest(&g);
	CHECK_STR(blocks(scratch(), out), "1000+10 0-2 1000+5 2- 2000+20 2-");
}
