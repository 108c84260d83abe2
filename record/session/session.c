#include "record/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/growfile.h"
#include "lib/base/lock.h"
#include "lib/trace/trace.h"
#include "record/session/ring_reader.h"
#include "record/session/ring_slots.h"
#include "record/session/thread_merge.h"
#include "record/session/fork_state.h"
#include "record/session/host_info.h"
#include "record/session/process.h"
#include "record/session/machine_idle.h"
#include "record/session/record_pace.h"

enum {
	TICK_MS = 100,
	IDLE_CHECK_MS = 250,
	CHILD_SECONDS = 1, /* that a forked child may take to claim a slot */
};

/* A recorded process and the thread that reads its ring. */
struct worker {
	pthread_t thread;
	struct ml_ring_reader *reader;
	struct ml_ring *ring;
	struct ml_ring_control *control;
	const uint64_t *data;
	size_t consumed; /* words of the segment being filled that were read already */
	struct ml_thread_merge slots; /* of a program built by `memlamp cc` */
	bool by_thread;               /* each thread of the process has a slot */
	const int *child_end; /* state.end of the program that we started; or NULL */
	struct ml_recording result;
	double start;
	int pidfd;      /* readable when the process has ended; -1: it has ended */
	int replaced;   /* atomic: the process runs another program now, or all stops */
	int done;       /* atomic; see enum done */
	bool collected; /* the reader is gone */
	uint64_t birth; /* of the process */
};

enum done { RUNNING, FINISHED, UNRECORDED };

struct state {
	struct ml_session *session;
	struct ml_ring_slots ring;
	struct ml_fork_state forks;
	struct ml_machine_idle idle;
	int log; /* Valgrind's log */
	pid_t child;
	bool reaped;
	int end;             /* atomic: status of the child + 1, 0 while it lives */
	struct ml_lock lock; /* of the trace */
	struct worker *workers[ML_RING_SLOTS]; /* by slot, NULL: none reads it */
	unsigned running;
	struct worker **all;
	size_t count, cap;
};

static double now(void)
{
	return (double)ml_now() / (double)ML_SECOND;
}

/* Sleeps until *word differs from `seen`, a futex wake comes, or the time is over. */
static void futex_wait(uint32_t *word, uint32_t seen, int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &t, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps until the pulse differs from the one seen, or the time is over. */
static void wait_for_pulse(struct ml_ring_control *c, uint32_t seen)
{
	__atomic_fetch_add(&c->sleepers, 1, __ATOMIC_SEQ_CST);
	futex_wait(&c->pulse, seen, TICK_MS);
	__atomic_fetch_sub(&c->sleepers, 1, __ATOMIC_SEQ_CST);
}

static bool make_ring(struct state *s, struct ml_err *err)
{
	const struct ml_record_options *o = &s->session->options;
	/* tests ask for few slots */
	const char *few = getenv("MEMLAMP_SLOTS");
	unsigned long slots = few ? strtoul(few, NULL, 10) : ML_RING_SLOTS;

	return ml_ring_slots_open(&s->ring,
				  slots && slots < ML_RING_SLOTS ? (uint32_t)slots
								 : ML_RING_SLOTS,
				  (o->fetch ? ML_RING_OPT_FETCH : 0u) |
					  (o->no_heap ? ML_RING_OPT_NO_HEAP : 0u) |
					  (o->values ? ML_RING_OPT_VALUES : 0u) |
					  (o->only_in ? ML_RING_OPT_CALLS : 0u) |
					  (o->period ? ML_RING_OPT_TIMED : 0u),
				  o->period, err);
}

/* Reads the published segments. */
static bool read_segments(struct worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;
	uint32_t tail = r->tail;

	while (tail != __atomic_load_n(&r->head, __ATOMIC_ACQUIRE)) {
		uint32_t at = tail % ML_RING_SEGMENTS;
		uint32_t used = r->used[at];

		if (used > ML_RING_SEGMENT_WORDS)
			used = ML_RING_SEGMENT_WORDS;
		size_t done = w->consumed < used ? w->consumed : used;
		if (!ml_ring_reader_feed(w->reader,
					 w->data + (size_t)at * ML_RING_SEGMENT_WORDS +
						 done,
					 used - done, err))
			return false;
		w->consumed = 0;
		if (ml_ring_advance(&r->tail, ++tail, &r->tail_wanted))
			futex_wake(&r->tail);
	}
	return true;
}

/* The words of the segment that the process was filling when it ended. */
static bool read_rest(struct worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;
	uint64_t bytes = (uint64_t)(r->head % ML_RING_SEGMENTS) * ML_RING_SEGMENT_WORDS *
			 8;
	uint64_t used = r->cur - (r->data + bytes);

	if (!read_segments(w, err))
		return false;
	if (used > ML_RING_SEGMENT_WORDS * 8 || used / 8 < w->consumed)
		return true; /* cur lies elsewhere */
	return ml_ring_reader_feed(w->reader, w->data + bytes / 8 + w->consumed,
				   used / 8 - w->consumed, err);
}

/* The words up to the last step, which its producer may still be writing. */
static size_t whole_steps(const uint64_t *w, size_t count)
{
	size_t at = 0, last = 0;

	while (at < count) {
		last = at;
		if (ML_WORD_TYPE(w[at]) != ML_WORD_STEP && !ml_word_is_brief(w[at])) {
			at += 1 + (size_t)ML_WORD_COUNT(w[at]);
			if (at <= count)
				last = at;
			continue;
		}
		for (at++; at < count && !(w[at] >> 63);)
			at++;
	}
	return last;
}

/*
 * Reads what the process has written of a segment that it has not published, so that a
 * slow process loses no more than a fast one when memlamp is killed.
 */
static bool read_unpublished(struct worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;
	uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
	size_t words = (size_t)(head % ML_RING_SEGMENTS) * ML_RING_SEGMENT_WORDS;
	uint64_t cur = __atomic_load_n(&r->cur, __ATOMIC_ACQUIRE);
	uint64_t used = (cur - (r->data + words * 8)) / 8;

	if (head != r->tail || head != __atomic_load_n(&r->head, __ATOMIC_ACQUIRE) ||
	    cur < r->data + words * 8 || used > ML_RING_SEGMENT_WORDS ||
	    used <= w->consumed)
		return true;
	const uint64_t *from = w->data + words + w->consumed;
	size_t count = whole_steps(from, (size_t)used - w->consumed);
	w->consumed += count;
	return ml_ring_reader_feed(w->reader, from, count, err);
}

static bool has_ended(const struct worker *w)
{
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };

	return w->pidfd < 0 || poll(&p, 1, 0) > 0;
}

static bool is_closed(const struct worker *w)
{
	return __atomic_load_n(&w->ring->state, __ATOMIC_ACQUIRE) == ML_RING_CLOSED ||
	       __atomic_load_n(&w->replaced, __ATOMIC_ACQUIRE);
}

/* Reads the ring of a process until the process closes its slot or is gone. */
static bool read_process(struct worker *w, struct ml_err *err)
{
	struct ml_ring *r = w->ring;

	for (;;) {
		/* asked first: a process closes its slot before it ends */
		bool gone = has_ended(w);
		bool closed = is_closed(w);

		if (!read_segments(w, err))
			return false;
		if (ml_ring_reader_full(w->reader) && !r->stop)
			__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
		if (closed || gone) {
			bool ok = read_rest(w, err);
			/* a process that became an unrecorded program closes nothing */
			w->result.killed = gone && !closed &&
					   !ml_ring_reader_replaced(w->reader);
			return ok;
		}
		uint32_t head = ml_ring_want(&r->head_wanted, r->tail + ML_RING_BATCH,
					     &r->head);
		/* the slot may have closed meanwhile: that futex wake came too early */
		if (head == r->tail && !is_closed(w))
			futex_wait(&r->head, head, TICK_MS);
		if (!read_unpublished(w, err))
			return false;
		if (!ml_ring_reader_flush(w->reader, err))
			return false;
	}
}

/* How the program ended that we started; of other processes the end is not known. */
static void note_end(struct worker *w)
{
	int end = 0;
	char status[16];

	if (!w->child_end)
		return;
	/* it has ended, but the supervisor calls waitpid only a few times a second */
	while (!(end = __atomic_load_n(w->child_end, __ATOMIC_ACQUIRE)))
		usleep(1000);
	end--;
	if (!WIFSIGNALED(end) || WTERMSIG(end) == SIGKILL)
		return;
	snprintf(status, sizeof(status), "%d", 128 + WTERMSIG(end));
	ml_ring_reader_meta(w->reader, "exit status", status);
	w->result.killed = false;
}

/* The same for a process whose threads have a slot each (thread_merge.h). */
static bool read_threads(struct worker *w, struct ml_err *err)
{
	struct ml_ring_control *c = w->control;

	for (;;) {
		uint32_t pulse = __atomic_load_n(&c->pulse, __ATOMIC_ACQUIRE);
		bool gone = has_ended(w);
		bool replaced = __atomic_load_n(&w->replaced, __ATOMIC_ACQUIRE);

		if (!ml_thread_merge_round(&w->slots, gone || replaced, err) ||
		    !ml_ring_reader_flush(w->reader, err))
			return false;
		if (ml_ring_reader_full(w->reader))
			ml_thread_merge_stop(&w->slots);
		if (gone || replaced) {
			w->result.killed = gone && !ml_ring_reader_exited(w->reader) &&
					   !ml_ring_reader_replaced(w->reader);
			if (w->result.killed)
				note_end(w);
			return true;
		}
		wait_for_pulse(c, pulse);
	}
}

static void discard_threads(struct worker *w)
{
	while (!has_ended(w)) {
		ml_thread_merge_stop(&w->slots);
		wait_for_pulse(w->control, w->control->pulse);
	}
}

/* Discards further words, so that the process does not wait for a reader. */
static void discard(struct worker *w)
{
	struct ml_ring *r = w->ring;

	if (w->by_thread) {
		discard_threads(w);
		return;
	}
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != ML_RING_CLOSED &&
	       !has_ended(w)) {
		uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);

		__atomic_store_n(&r->tail, head, __ATOMIC_RELEASE);
		futex_wake(&r->tail);
		futex_wait(&r->head, head, TICK_MS);
	}
}

/* The references that a file holds, of which a write failed. */
static uint64_t refs_in(const char *path)
{
	struct ml_trace t;
	struct ml_err err;

	if (!ml_trace_is(path) || !ml_trace_open(&t, path, &err))
		return 0;
	uint64_t count = t.count;
	ml_trace_close(&t);
	return count;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct ml_recording *x = &w->result;
	struct ml_ring_reader_count count;

	x->ok = w->by_thread ? read_threads(w, &x->err) : read_process(w, &x->err);
	if (x->ok) {
		char seconds[32];

		snprintf(seconds, sizeof(seconds), "%.3f", now() - w->start);
		ml_ring_reader_meta(w->reader, "seconds", seconds);
		x->ok = ml_ring_reader_finish(w->reader, x->killed, &x->err);
	} else {
		discard(w);
	}
	count = ml_ring_reader_count(w->reader);
	struct stat st;
	x->refs = x->ok ? count.refs : refs_in(x->path);
	x->bytes = stat(x->path, &st) ? count.bytes : (uint64_t)st.st_size;
	__atomic_store_n(&w->done, FINISHED, __ATOMIC_RELEASE);
	futex_wake(&w->control->bell);
	return NULL;
}

/* "out.mlt" becomes "out.1234.mlt", and "out.1234-2.mlt" for the next program of that
 * process. */
static const char *trace_path(struct state *s, pid_t pid)
{
	const char *path = s->session->output;
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t same = 0;

	if (!s->count)
		return path;
	for (size_t i = 0; i < s->count; i++)
		same += s->all[i]->result.pid == pid;
	int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
	if (same)
		return ml_arena_printf(&s->session->arena, "%.*s.%d-%zu%s", stem, path,
				       pid, same + 1, path + stem);
	return ml_arena_printf(&s->session->arena, "%.*s.%d%s", stem, path, pid,
			       path + stem);
}

static void describe(struct state *s, struct ml_ring_reader *reader,
		     const struct ml_ring *r, const char *command)
{
	char text[PATH_MAX];

	ml_ring_reader_meta(reader, "command", command);
	if (ml_process_cwd((pid_t)r->pid, text, sizeof(text)))
		ml_ring_reader_meta(reader, "cwd", text);
	snprintf(text, sizeof(text), "%u", r->pid);
	ml_ring_reader_meta(reader, "process", text);
	snprintf(text, sizeof(text), "%u", r->parent);
	ml_ring_reader_meta(reader, "parent process", text);
	ml_ring_reader_meta(reader, "back end", r->thread ? "cc" : "valgrind");
	ml_ring_reader_meta(reader, "complete",
			    s->session->options.of || s->session->options.period
				    ? "no: samples"
				    : "yes");
	ml_ring_reader_meta(reader, "version", ML_VERSION);
	ml_host_info(reader);
}

/* A new process has claimed a slot. */
static void attach(struct state *s, unsigned slot)
{
	struct worker *w = ml_arena_alloc(&s->session->arena, sizeof(*w));
	struct ml_ring *r = ml_ring_slot(s->ring.control, slot);

	w->start = now();
	w->ring = r;
	w->birth = r->birth;
	w->control = s->ring.control;
	w->by_thread = r->thread != 0;
	w->child_end = (pid_t)r->pid == s->child ? &s->end : NULL;
	w->data = (const uint64_t *)(void *)((char *)r + ML_RING_PAGE);
	w->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)r->pid, 0);
	for (unsigned i = 0, top = ml_ring_slots_top(&s->ring); i < top; i++)
		if (s->workers[i] && s->workers[i]->result.pid == (pid_t)r->pid)
			__atomic_store_n(&s->workers[i]->replaced, 1, __ATOMIC_RELEASE);
	w->result.pid = (pid_t)r->pid;
	w->result.path = trace_path(s, w->result.pid);
	w->result.command = ml_process_command((pid_t)r->pid, !w->by_thread,
					       &s->session->arena);
	w->reader = ml_ring_reader_open(w->result.path, &s->session->options,
					&w->result.err);
	s->all = ml_grow(s->all, &s->cap, s->count + 1, sizeof(*s->all));
	s->all[s->count++] = w;
	s->workers[slot] = w;
	s->running++;
	if (w->reader && w->by_thread)
		ml_thread_merge_init(&w->slots, &s->ring, r, w->reader);
	if (w->reader) {
		/* a program under Valgrind may produce more than encoders can compress
		 * well */
		struct ml_encode_pace pace = ml_record_pace(!w->by_thread);

		ml_ring_reader_pace(w->reader, &pace);
		ml_ring_reader_fork_state(w->reader, &s->forks);
		describe(s, w->reader, r, w->result.command);
	}
	if (w->reader && !pthread_create(&w->thread, NULL, work, w))
		return;
	/* no trace can be written: let the process run unrecorded */
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&r->tail, r->head, __ATOMIC_RELEASE);
	futex_wake(&r->tail);
	w->done = UNRECORDED;
}

static void keep_timed(struct state *s, struct worker *w)
{
	const struct ml_buf *timed = ml_ring_reader_timed(w->reader);

	if (timed->size)
		w->result.timed = (const struct ml_timed_ref *)(const void *)
			ml_arena_copy(&s->session->arena, (const char *)timed->data,
				      timed->size);
}

/* Frees the slots whose trace is finished. */
static void collect(struct state *s)
{
	for (unsigned i = 0, top = ml_ring_slots_top(&s->ring); i < top; i++) {
		struct worker *w = s->workers[i];
		int done = w ? __atomic_load_n(&w->done, __ATOMIC_ACQUIRE) : 0;

		if (!done)
			continue;
		/* a slot without a reader stays claimed as long as its process lives */
		if (done == UNRECORDED && !has_ended(w) &&
		    w->ring->state != ML_RING_CLOSED)
			continue;
		if (done == FINISHED) {
			pthread_join(w->thread, NULL);
			const char *warning = ml_ring_reader_warning(w->reader);
			if (warning)
				w->result.warning = ml_arena_strdup(&s->session->arena,
								    warning);
			if (ml_ring_reader_uninstrumented(w->reader))
				w->result.uninstrumented = ml_arena_strdup(
					&s->session->arena,
					ml_ring_reader_uninstrumented(w->reader));
			keep_timed(s, w);
			if (ml_ring_reader_command(w->reader))
				w->result.command = ml_arena_strdup(
					&s->session->arena,
					ml_ring_reader_command(w->reader));
			ml_ring_reader_release(w->reader);
			ml_thread_merge_release(&w->slots);
		}
		if (w->by_thread)
			ml_thread_merge_free(&s->ring, w->birth);
		if (w->pidfd >= 0)
			close(w->pidfd);
		w->collected = true;
		ml_ring_slots_free(&s->ring, w->ring);
		s->workers[i] = NULL;
		s->running--;
	}
}

static void tick(struct state *s)
{
	uint64_t refs = 0, bytes = 0;

	if (!s->session->tick)
		return;
	for (size_t i = 0; i < s->count; i++) {
		struct worker *w = s->all[i];

		if (!w->collected && w->reader) {
			struct ml_ring_reader_count c = ml_ring_reader_count(w->reader);

			refs += c.refs;
			bytes += c.bytes;
		} else {
			refs += w->result.refs;
			bytes += w->result.bytes;
		}
	}
	s->session->tick(s->session->tick_arg, refs, bytes);
}

/* Tells the ring readers whether the machine is idle apart from the recording. */
static void check_idle(struct state *s)
{
	if (ml_now() < s->idle.at + IDLE_CHECK_MS * ML_MS)
		return;
	bool idle = ml_machine_idle_look(&s->idle, s->child);
	for (unsigned i = 0, top = ml_ring_slots_top(&s->ring); i < top; i++)
		if (s->workers[i] && s->workers[i]->reader)
			ml_ring_reader_idle(s->workers[i]->reader, idle);
}

/*
 * Signals that ask the companion to end are forwarded to the program; the companion then
 * finishes the trace. Once the program has ended while processes that it started are
 * still recorded, a signal ends the recording. A signal handler can only reach variables.
 */
static volatile sig_atomic_t forward_to, stop_asked, asked_by;

static void forward(int signal, siginfo_t *info, void *context)
{
	(void)context;
	/* Ctrl-C in a terminal has reached the program already */
	if (signal == SIGINT && forward_to && info->si_code > 0)
		return;
	asked_by = signal;
	if (forward_to)
		kill((pid_t)forward_to, signal);
	else
		stop_asked = 1;
}

static void program_ended(struct state *s)
{
	s->reaped = true;
	__atomic_store_n(&s->end, s->session->status + 1, __ATOMIC_RELEASE);
	forward_to = 0;
}

/* Ends the recording of all processes; the traces hold the words so far. */
static void stop_all(struct state *s)
{
	__atomic_store_n(&s->ring.control->stop, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0, top = ml_ring_slots_top(&s->ring); i < top; i++)
		if (s->workers[i])
			__atomic_store_n(&s->workers[i]->replaced, 1, __ATOMIC_RELEASE);
}

/* Has the recording of this process begun, and ended? */
static bool is_done(const struct state *s, uint64_t birth)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->all[i]->birth == birth)
			return __atomic_load_n(&s->all[i]->done, __ATOMIC_ACQUIRE) !=
			       RUNNING;
	return false;
}

/* Attaches to processes that have claimed a slot since. Threads of a process are found by
 * its worker; those that come too late must not wait for a reader. */
static void find_processes(struct state *s)
{
	struct ml_ring_owner x;

	for (uint32_t i = 0, top = ml_ring_slots_top(&s->ring); i < top; i++) {
		if (s->workers[i] || !ml_ring_slots_look(&s->ring, i, &x))
			continue;
		if (x.thread <= 1)
			attach(s, i);
		else if (!x.taken && is_done(s, x.birth))
			ml_ring_slot(s->ring.control, i)->stop = 1;
	}
}

/*
 * Has the recording of all processes ended? A forked child may not have claimed its slot
 * yet when its parent ends; how long that takes depends on the load of the machine.
 * *active is the time when a process was last recorded.
 */
static bool is_over(struct state *s, double *active)
{
	if (!s->reaped || s->running) {
		*active = now();
		return false;
	}
	return stop_asked || !ml_fork_state_is_pending(&s->forks) ||
	       now() - *active > CHILD_SECONDS;
}

static void supervise(struct state *s)
{
	double start = now(), active = start;

	for (;;) {
		uint32_t bell = __atomic_load_n(&s->ring.control->bell, __ATOMIC_ACQUIRE);

		if (!s->reaped &&
		    waitpid(s->child, &s->session->status, WNOHANG) == s->child)
			program_ended(s);
		find_processes(s);
		if (stop_asked)
			stop_all(s);
		collect(s);
		if (is_over(s, &active))
			break;
		tick(s);
		check_idle(s);
		futex_wait(&s->ring.control->bell, bell, s->reaped ? 10 : TICK_MS / 2);
	}
	s->session->seconds = now() - start;
}

static void exec_program(const struct state *s)
{
	const struct ml_session *x = s->session;
	char ring[80], log[80];
	const char *argv[32];
	size_t n = 0, count = 0;

	while (x->argv[count])
		count++;
	if (x->instrumented) {
		setenv("MEMLAMP_RING", s->ring.path, 1);
		unsetenv("MEMLAMP");
		execvp(x->argv[0], x->argv);
		_exit(127);
	}
	snprintf(ring, sizeof(ring), "--ring=%s", s->ring.path);
	snprintf(log, sizeof(log), "--log-file=/proc/%d/fd/%d", getppid(), s->log);
	argv[n++] = "valgrind";
	argv[n++] = x->options.no_heap ? "--tool=memlamp-noheap" : "--tool=memlamp";
	argv[n++] = "-q";
	argv[n++] = ring;
	argv[n++] = log;
	argv[n++] = "--trace-children=yes";
	argv[n++] = "--vgdb=no";
	argv[n++] = "--max-threads=4000"; /* 500 by default */
	/* of generated code; the tool decides on code of files */
	argv[n++] = "--px-default=allregs-at-mem-access";
	argv[n++] = "--run-libc-freeres=no"; /* those references are not the program's */
	argv[n++] = "--run-cxx-freeres=no";
	argv[n++] = "--read-inline-info=no"; /* the companion reads it later */
	argv[n++] = "--sigill-diagnostics=no";
	/* else one thread may run for many millions of references before another does */
	argv[n++] = "--fair-sched=try";
	if (x->options.only_in)
		argv[n++] = "--vex-guest-chase=no"; /* functions start superblocks */
	const char **all = ml_resize(NULL, (n + count + 1) * sizeof(*all));
	memcpy(all, argv, n * sizeof(*all));
	memcpy(all + n, x->argv, (count + 1) * sizeof(*all));
	setenv("VALGRIND_LIB", x->valgrind_lib, 1);
	/* Debian's valgrind is a script that changes the environment of the program and
	 * runs this */
	execvp("valgrind.bin", (char **)all);
	execvp("valgrind", (char **)all);
	_exit(127);
}

static bool launch(struct state *s, struct ml_err *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN },
			 pass = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO };
	sigset_t block, old;

	s->log = memfd_create("memlamp-log", 0);
	/* the child starts with the signal mask and handlers of before */
	sigfillset(&block);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	s->child = fork();
	if (s->child < 0) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return ml_fail_errno(err, "cannot start a process");
	}
	if (!s->child) {
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		signal(SIGXFSZ, SIG_DFL);
		exec_program(s);
	}
	asked_by = 0;
	forward_to = s->child;
	sigaction(SIGINT, &pass, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL); /* the writer reports it as an error */
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return true;
}

/* Valgrind's log; returns its length. */
static ssize_t read_log(const struct state *s, char *text, size_t room)
{
	ssize_t n = pread(s->log, text, room - 1, 0);

	n = n > 0 ? n : 0;
	text[n] = 0;
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = 0;
	return n;
}

/* Removes the marks "==PID== " at the beginning of lines, and joins the lines. */
static void join_lines(char *text)
{
	char *to = text;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		char *mark = !strncmp(line, "==", 2) ? strstr(line + 2, "== ") : NULL;
		if (mark)
			line = mark + 3;
		while (*line == ' ')
			line++;
		if (to > text && *line)
			*to++ = ' ';
		while (*line)
			*to++ = *line++;
	}
	*to = 0;
}

/*
 * What Valgrind itself says, as of too many threads or too deep a stack. That a program
 * was ended by a signal of its own is no complaint, except that Valgrind raises SIGILL at
 * instructions that it does not know.
 */
static void note_complaint(const struct state *s)
{
	char text[1500];

	if (s->session->instrumented || s->log < 0 || !read_log(s, text, sizeof(text)))
		return;
	bool unknown = strstr(text, "(SIGILL)");
	char *end = strstr(text, "Process terminating with default action");
	if (end)
		*end = 0;
	join_lines(text);
	if (!*text && unknown)
		strcpy(text, "an instruction that it does not know, perhaps of AVX-512");
	/* the mark of the line that was cut off is left */
	if (*text && strncmp(text, "==", 2) != 0)
		s->session->complaint = ml_arena_strdup(&s->session->arena, text);
}

/* Nothing was recorded: the reason is in Valgrind's log. */
static bool explain(const struct state *s, struct ml_err *err)
{
	char text[600] = "";
	ssize_t n = read_log(s, text, sizeof(text));

	if (s->session->options.period)
		return ml_fail(
			err, ML_USAGE,
			"no load was timed: %s was not built by memlamp cc and has "
			"started no program that was",
			s->session->argv[0]);
	if (WIFEXITED(s->session->status) && WEXITSTATUS(s->session->status) == 127 &&
	    n <= 0 && !s->session->instrumented)
		return ml_fail(err, ML_IO, "%s was not recorded: is valgrind installed?",
			       s->session->argv[0]);
	return ml_fail(err, ML_IO, "%s was not recorded%s%s", s->session->argv[0],
		       n > 0 ? ": " : "", n > 0 ? text : "");
}

/* Checks before anything runs that the program exists and the trace can be written. */
static bool check(struct state *s, struct ml_err *err)
{
	struct ml_session *x = s->session;

	if (!ml_process_check(x->argv[0], err))
		return false;
	x->instrumented = !x->valgrind && !x->options.fetch && !x->options.values &&
			  ml_process_is_instrumented(x->argv[0]);
	x->instrumented |= x->options.period != 0; /* or starts a program that is */
	if (!x->instrumented && !x->valgrind_lib)
		return ml_fail(err, ML_IO,
			       "the Valgrind tool is not installed with memlamp");
	return ml_growfile_check(x->output, err) &&
	       ml_lock_take(&s->lock, x->output, err);
}

bool ml_session_run(struct ml_session *session, struct ml_err *err)
{
	struct state s = {
		.session = session, .ring = { .fd = -1 }, .log = -1, .lock = { .fd = -1 }
	};
	bool ok = check(&s, err) && make_ring(&s, err) && launch(&s, err);

	if (ok) {
		ml_fork_state_init(&s.forks, s.ring.control);
		supervise(&s);
		ml_fork_state_release(&s.forks);
		session->recordings = ml_arena_alloc(
			&session->arena, (s.count + 1) * sizeof(*session->recordings));
		for (size_t i = 0; i < s.count; i++)
			session->recordings[i] = s.all[i]->result;
		session->count = s.count;
		note_complaint(&s);
		session->ended_by = asked_by;
		if (!s.count) {
			ok = explain(&s, err);
		}
	}
	ml_free(s.all);
	ml_ring_slots_close(&s.ring);
	ml_lock_release(&s.lock);
	if (s.log >= 0)
		close(s.log);
	return ok;
}

void ml_session_release(struct ml_session *s)
{
	ml_arena_release(&s->arena);
}
