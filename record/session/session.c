#include "record/session/session.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/growfile.h"
#include "lib/base/lock.h"
#include "record/ring.h"
#include "record/reader/fork_state.h"
#include "record/session/futex.h"
#include "record/session/host_info.h"
#include "record/session/launch.h"
#include "record/session/machine_idle.h"
#include "record/reader/process.h"
#include "record/session/record_pace.h"
#include "record/reader/ring_reader.h"
#include "record/reader/ring_slots.h"
#include "record/session/valgrind_log.h"
#include "record/session/worker.h"

enum {
	IDLE_CHECK_MS = 250,
	CHILD_SECONDS = 1, /* that a forked child may take to claim a slot */
};

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
	struct ml_worker *workers[ML_RING_SLOTS]; /* by slot, NULL: none reads it */
	unsigned running;
	struct ml_worker **all;
	size_t count, cap;
};

static double now(void)
{
	return (double)ml_now() / (double)ML_SECOND;
}

/* Do programs that were built by `memlamp cc` record themselves? */
static bool uses_hooks(const struct ml_session *s)
{
	return !s->valgrind && !s->options.fetch && !s->options.values;
}

static bool make_ring(struct state *s, struct ml_err *err)
{
	const struct ml_record_options *o = &s->session->options;
	/* tests ask for few slots */
	const char *few = getenv("MEMLAMP_SLOTS");
	unsigned long slots = few ? strtoul(few, NULL, 10) : ML_RING_SLOTS;

	return ml_ring_slots_open(
		&s->ring,
		slots && slots < ML_RING_SLOTS ? (uint32_t)slots : ML_RING_SLOTS,
		(o->fetch ? ML_RING_OPT_FETCH : 0u) |
			(o->no_heap ? ML_RING_OPT_NO_HEAP : 0u) |
			(o->values ? ML_RING_OPT_VALUES : 0u) |
			(o->split_strings ? ML_RING_OPT_SPLIT_STRINGS : 0u) |
			(o->only_in ? ML_RING_OPT_CALLS : 0u) |
			(uses_hooks(s->session) ? 0u : ML_RING_OPT_VALGRIND) |
			(o->period ? ML_RING_OPT_TIMED : 0u),
		o->period, err);
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
	struct ml_worker *w = ml_arena_alloc(&s->session->arena, sizeof(*w));
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
	if (w->reader && !pthread_create(&w->thread, NULL, ml_worker_run, w))
		return;
	/* no trace can be written: let the process run unrecorded */
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&r->tail, r->head, __ATOMIC_RELEASE);
	ml_futex_wake(&r->tail);
	w->done = ML_WORKER_UNRECORDED;
}

static void keep_timed(struct state *s, struct ml_worker *w)
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
		struct ml_worker *w = s->workers[i];
		int done = w ? __atomic_load_n(&w->done, __ATOMIC_ACQUIRE) : 0;

		if (!done)
			continue;
		/* a slot without a reader stays claimed as long as its process lives */
		if (done == ML_WORKER_UNRECORDED && !ml_worker_has_ended(w) &&
		    w->ring->state != ML_RING_CLOSED)
			continue;
		if (done == ML_WORKER_FINISHED) {
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

/* Do all recorded processes sleep? */
static bool all_sleep(const struct state *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->all[i]->collected && !ml_process_sleeps(s->all[i]->result.pid))
			return false;
	return true;
}

static void tick(struct state *s)
{
	uint64_t refs = 0, bytes = 0;

	if (!s->session->tick)
		return;
	if (s->session->rest && all_sleep(s)) {
		s->session->rest(s->session->tick_arg);
		return;
	}
	for (size_t i = 0; i < s->count; i++) {
		struct ml_worker *w = s->all[i];

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

static void program_ended(struct state *s)
{
	s->reaped = true;
	__atomic_store_n(&s->end, s->session->status + 1, __ATOMIC_RELEASE);
	ml_launch_ended();
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
			       ML_WORKER_RUNNING;
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
	return ml_launch_is_stopped() || !ml_fork_state_is_pending(&s->forks) ||
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
		if (ml_launch_is_stopped())
			stop_all(s);
		collect(s);
		if (is_over(s, &active))
			break;
		tick(s);
		check_idle(s);
		ml_futex_wait(&s->ring.control->bell, bell,
			      s->reaped ? 10 : ML_WORKER_TICK_MS / 2);
	}
	s->session->seconds = now() - start;
}

static bool launch(struct state *s, struct ml_err *err)
{
	const struct ml_session *x = s->session;

	s->log = memfd_create("memlamp-log", 0);
	struct ml_launch l = { .argv = x->argv,
			       .ring = s->ring.path,
			       .valgrind_lib = x->valgrind_lib,
			       .instrumented = x->instrumented,
			       .hooks = uses_hooks(x),
			       .log = s->log,
			       .options = &x->options };
	return ml_launch_start(&l, &s->child, err);
}

/* Nothing was recorded: the reason is in Valgrind's log. */
static bool explain(const struct state *s, struct ml_err *err)
{
	char text[600] = "";
	size_t n = ml_valgrind_log_read(s->log, text, sizeof(text));

	if (s->session->options.period)
		return ml_fail(
			err, ML_USAGE,
			"no load was timed: %s was not built by memlamp cc and has "
			"started no program that was",
			s->session->argv[0]);
	if (WIFEXITED(s->session->status) && WEXITSTATUS(s->session->status) == 127 &&
	    !n && !s->session->instrumented)
		return ml_fail(err, ML_IO, "%s was not recorded: is valgrind installed?",
			       s->session->argv[0]);
	return ml_fail(err, ML_IO, "%s was not recorded%s%s", s->session->argv[0],
		       n ? ": " : "", text);
}

/* Checks before anything runs that the program exists and the trace can be written. */
static bool check(struct state *s, struct ml_err *err)
{
	struct ml_session *x = s->session;

	if (!ml_process_check(x->argv[0], err))
		return false;
	x->instrumented = uses_hooks(x) && (ml_process_is_instrumented(x->argv[0]) ||
					    ml_process_launches_instrumented(x->argv));
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
		if (!session->instrumented)
			session->complaint = ml_valgrind_log_complaint(s.log,
								       &session->arena);
		session->ended_by = ml_launch_end_signal();
		if (!s.count)
			ok = explain(&s, err);
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
