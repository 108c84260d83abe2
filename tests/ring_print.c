/*
 * A consumer of record/ring.h for tests and for looking at what a producer
 * says: makes a ring, runs a command whose argument @ is replaced by the ring's
 * path, checks the stream of each process and prints its totals.
 *
 *	ring_print [-dfhlm] [-o FILE] [-s N] [-x N] COMMAND ... @ ...
 *
 *	-d  discard everything unread, to measure the producer alone
 *	-f  ask for instruction fetches
 *	-h  ask for no heap blocks
 *	-l  print references as `valgrind --tool=lackey --trace-mem=yes` does
 *	-m  print messages
 *	-o FILE  print references and messages there (the command uses stdout too)
 *	-s N  ask for no more after N segments
 *	-x N  exit after N segments, as if killed, and leave the command alone
 */
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/ring.h"

struct counts {
	uint64_t kind[3];
};

struct shape {
	unsigned slots, bases, exits;
	uint64_t *words;       /* the payload */
	struct counts *counts; /* of each exit and of the whole, without "maybe" slots */
	bool maybe;
};

struct process {
	uint32_t pid, parent;
	struct shape *shapes;
	size_t room;
	uint64_t messages[32], steps, words, cut;
	uint64_t blocks; /* live */
	struct counts counts;
	int32_t exit;
	bool active;
};

static struct options {
	bool discard, lackey, messages;
	long stop_after, die_after; /* segments; -1 never */
} options = { .stop_after = -1, .die_after = -1 };

static FILE *output;
enum { SLOTS = 256 };

static uint8_t *file;
static unsigned long problems;
static long segments;

static struct ml_ring *slot_at(unsigned i)
{
	return (struct ml_ring *)(file + ML_RING_PAGE + (size_t)i * ML_RING_SLOT_BYTES);
}

static void problem(const struct process *p, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "ring_print: process %u: ", p->pid);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (++problems > 20)
		exit(1);
}

static const uint64_t *shape_slot(const struct shape *s, unsigned i)
{
	return s->words + 3 + s->bases + 3 * (size_t)i;
}

static uint64_t shape_exit(const struct shape *s, unsigned i)
{
	return s->words[3 + s->bases + 3 * (size_t)s->slots + i];
}

static void count_slots(struct shape *s, struct counts *c, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		uint64_t what = shape_slot(s, i)[2];

		if (what >> 18 & 1)
			s->maybe = true;
		else
			c->kind[what >> 16 & 3]++;
	}
}

static void check_shape(const struct process *p, uint32_t id, const struct shape *s)
{
	unsigned bases = 0, slots = 0;
	uint64_t *first = calloc(s->bases + 1, sizeof(*first));

	for (unsigned i = 0; i < s->slots; i++) {
		const uint64_t *slot = shape_slot(s, i);
		unsigned base = (unsigned)(slot[2] >> 32) & 0xffff;

		if (base == 0xffff)
			continue;
		if (base >= s->bases)
			problem(p, "shape %u: slot %u has base %u of %u", id, i, base,
				s->bases);
		else if (!first[base]++ && slot[1])
			problem(p,
				"shape %u: slot %u is the first of its base but has an offset",
				id, i);
		if (!(slot[2] & 0xffff))
			problem(p, "shape %u: slot %u is empty", id, i);
	}
	for (unsigned b = 0; b < s->bases; b++)
		if (!first[b])
			problem(p, "shape %u: base %u is not used", id, b);
	free(first);
	for (unsigned e = 0; e < s->exits; e++) {
		unsigned sl = (uint32_t)shape_exit(s, e);
		unsigned ba = (unsigned)(shape_exit(s, e) >> 32);

		if (sl <= slots || ba > s->bases || (e > 0 && ba <= bases) ||
		    ba >= s->bases)
			problem(p, "shape %u: exit %u after %u slots, %u bases", id, e,
				sl, ba);
		slots = sl;
		bases = ba;
	}
}

static void add_shape(struct process *p, uint32_t id, const uint64_t *w, unsigned count)
{
	struct shape *s;
	unsigned from = 0;

	if (id >= p->room) {
		size_t room = 2 * (size_t)id + 64;

		p->shapes = realloc(p->shapes, room * sizeof(*s));
		memset(p->shapes + p->room, 0, (room - p->room) * sizeof(*s));
		p->room = room;
	}
	s = &p->shapes[id];
	if (s->words)
		problem(p, "shape %u is declared twice", id);
	s->slots = w[1] & 0xffff;
	s->bases = w[1] >> 16 & 0xffff;
	s->exits = w[1] >> 32 & 0xffff;
	if (count != 3 + s->bases + 3 * s->slots + s->exits + (w[1] >> 48)) {
		problem(p, "shape %u has %u words", id, count);
		return;
	}
	s->words = malloc(count * sizeof(*w));
	memcpy(s->words, w, count * sizeof(*w));
	s->counts = calloc(s->exits + 1u, sizeof(*s->counts));
	check_shape(p, id, s);
	for (unsigned e = 0; e <= s->exits; e++) {
		unsigned to = e < s->exits ? (uint32_t)shape_exit(s, e) : s->slots;

		if (e > 0)
			s->counts[e] = s->counts[e - 1];
		count_slots(s, &s->counts[e], from, to);
		from = to;
	}
}

/* References of a step, one by one. */
static void unroll(struct process *p, const struct shape *s, unsigned slots,
		   const uint64_t *bases)
{
	for (unsigned i = 0; i < slots; i++) {
		const uint64_t *slot = shape_slot(s, i);
		unsigned base = (unsigned)(slot[2] >> 32) & 0xffff;
		unsigned kind = slot[2] >> 16 & 3;
		uint64_t addr = slot[1] + (base == 0xffff ? 0 : bases[base]);

		if (slot[2] >> 18 & 1) {
			if (!bases[base])
				continue;
			p->counts.kind[kind]++;
		}
		if (options.lackey)
			fprintf(output, "%s %08" PRIx64 ",%u\n",
				kind == 0   ? " L"
				: kind == 1 ? " S"
					    : "I ",
				addr, (unsigned)(slot[2] & 0xffff));
	}
}

static void step(struct process *p, uint32_t id, const uint64_t *bases, unsigned count)
{
	const struct shape *s = id < p->room ? &p->shapes[id] : NULL;
	unsigned e = 0;

	if (!s || !s->words) {
		problem(p, "step of unknown shape %u", id);
		return;
	}
	if (count == s->bases) {
		e = s->exits;
	} else {
		while (e < s->exits && shape_exit(s, e) >> 32 != count)
			e++;
		if (e == s->exits)
			problem(p, "shape %u has no exit with %u of %u bases", id, count,
				s->bases);
		p->cut++;
	}
	p->steps++;
	for (unsigned k = 0; k < 3; k++)
		p->counts.kind[k] += s->counts[e].kind[k];
	if (s->maybe || options.lackey)
		unroll(p, s, e < s->exits ? (uint32_t)shape_exit(s, e) : s->slots, bases);
}

static const char *const names[] = {
	[ML_WORD_SHAPE] = "shape",
	[ML_WORD_THREAD] = "thread",
	[ML_WORD_THREAD_NEW] = "thread-new",
	[ML_WORD_THREAD_END] = "thread-end",
	[ML_WORD_THREAD_NAME] = "thread-name",
	[ML_WORD_MAP] = "map",
	[ML_WORD_UNMAP] = "unmap",
	[ML_WORD_STACK] = "stack",
	[ML_WORD_ALLOC] = "alloc",
	[ML_WORD_FREE] = "free",
	[ML_WORD_MMAP] = "mmap",
	[ML_WORD_REGION] = "region",
	[ML_WORD_UNREGION] = "unregion",
	[ML_WORD_MARK] = "mark",
	[ML_WORD_STATE] = "state",
	[ML_WORD_RECORD] = "record",
	[ML_WORD_LOST] = "lost",
	[ML_WORD_EXEC] = "exec",
	[ML_WORD_EXIT] = "exit",
};

/* How many words come before the text at the end of a message; -1: it has none. */
static int text_at(unsigned type)
{
	switch (type) {
	case ML_WORD_THREAD_NAME:
	case ML_WORD_MARK: return 0;
	case ML_WORD_STATE: return 1;
	case ML_WORD_MAP: return 3;
	case ML_WORD_REGION: return 5;
	default: return -1;
	}
}

static void print_message(const struct process *p, unsigned type, uint32_t arg,
			  const uint64_t *w, unsigned count)
{
	int text = text_at(type);

	if (type == ML_WORD_SHAPE)
		return;
	fprintf(output, "%u %s %u", p->pid, names[type], arg);
	for (unsigned i = 0; i < count && (text < 0 || i < (unsigned)text); i++)
		fprintf(output, " %" PRIx64, w[i]);
	fprintf(output, "%s%s\n", text < 0 ? "" : " ",
		text < 0 ? "" : (const char *)(w + text));
}

static void message(struct process *p, uint64_t head, const uint64_t *w)
{
	unsigned type = ML_WORD_TYPE(head);

	if (type == ML_WORD_CODE)
		return; /* says nothing of what ran */
	if (type <= ML_WORD_STEP || type > ML_WORD_EXIT) {
		problem(p, "word %016" PRIx64 " is no header", head);
		return;
	}
	p->messages[type]++;
	if (type == ML_WORD_SHAPE)
		add_shape(p, ML_WORD_ARG(head), w, ML_WORD_COUNT(head));
	if (type == ML_WORD_EXIT)
		p->exit = (int32_t)ML_WORD_ARG(head);
	if (options.messages)
		print_message(p, type, ML_WORD_ARG(head), w, ML_WORD_COUNT(head));
}

static void decode(struct process *p, const uint64_t *at, const uint64_t *end)
{
	p->words += (uint64_t)(end - at);
	while (at < end) {
		uint64_t head = *at++;

		if (!(head >> 63)) {
			problem(p, "word %016" PRIx64 " stands where a header should",
				head);
			return;
		}
		if (ML_WORD_TYPE(head) == ML_WORD_STEP || ml_word_is_brief(head)) {
			uint64_t base[ML_RING_MARGIN];
			unsigned bases = 0;

			if (ml_word_is_brief(head))
				base[bases++] = ML_WORD_VALUE(head);
			while (at < end && !(*at >> 63) && bases < ML_RING_MARGIN)
				base[bases++] = *at++;
			step(p, ml_word_shape(head), base, bases);
		} else {
			if (ML_WORD_COUNT(head) > (size_t)(end - at)) {
				problem(p, "message %016" PRIx64 " runs over its segment",
					head);
				return;
			}
			message(p, head, at);
			at += ML_WORD_COUNT(head);
		}
	}
}

static const uint64_t *segment(const struct ml_ring *r, uint32_t number)
{
	return (const uint64_t *)((const uint8_t *)r + ML_RING_PAGE) +
	       (size_t)(number % ML_RING_SEGMENTS) * ML_RING_SEGMENT_WORDS;
}

static bool consume(struct process *p, struct ml_ring *r)
{
	uint32_t head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE), tail = r->tail;

	if (head == tail)
		return false;
	for (; tail != head; tail++) {
		const uint64_t *at = segment(r, tail);

		if (!options.discard)
			decode(p, at, at + r->used[tail % ML_RING_SEGMENTS]);
		if (segments == options.die_after)
			_exit(0);
		if (segments == options.stop_after)
			r->stop = 1;
		segments++;
		__atomic_store_n(&r->tail, tail + 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &r->tail, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
	return true;
}

/* What a finished producer has not published. */
static void consume_rest(struct process *p, struct ml_ring *r)
{
	const uint64_t *at = segment(r, r->head);
	uint64_t low = r->data + (uint64_t)((const uint8_t *)at - (const uint8_t *)r) -
		       ML_RING_PAGE;

	if (!options.discard && r->cur >= low &&
	    r->cur <= low + 8 * ML_RING_SEGMENT_WORDS)
		decode(p, at, at + (r->cur - low) / 8);
}

/*
 * /proc/PID/stat would not do: it says Z as soon as the first thread is gone, though
 * others may run on.
 */
static bool lives(uint32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool alive = fd >= 0 && poll(&p, 1, 0) == 0;

	if (fd >= 0)
		close(fd);
	return alive;
}

static void finish(struct process *p, const char *how)
{
	fprintf(stderr,
		"process %u (of %u) %s, exit %d: %" PRIu64 " reads, %" PRIu64
		" writes, %" PRIu64 " fetches; %" PRIu64 " steps (%" PRIu64
		" cut), %" PRIu64 " words;",
		p->pid, p->parent, how, p->exit, p->counts.kind[0], p->counts.kind[1],
		p->counts.kind[2], p->steps, p->cut, p->words);
	for (unsigned i = 0; i <= ML_WORD_EXIT; i++)
		if (p->messages[i])
			fprintf(stderr, " %" PRIu64 " %s", p->messages[i], names[i]);
	fputc('\n', stderr);
	for (size_t i = 0; i < p->room; i++) {
		free(p->shapes[i].words);
		free(p->shapes[i].counts);
	}
	free(p->shapes);
	memset(p, 0, sizeof(*p));
}

/* One look at a slot. True if something was read. */
static bool serve(struct process *p, struct ml_ring *r)
{
	uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
	bool dead, busy;

	if (state != ML_RING_OPEN && state != ML_RING_CLOSED)
		return false;
	if (!p->active) {
		p->active = true;
		p->pid = r->pid;
		p->parent = r->parent;
		p->exit = -1;
	}
	dead = state == ML_RING_OPEN && r->head == r->tail && !lives(r->pid);
	busy = consume(p, r);
	if (state == ML_RING_CLOSED || (dead && !busy)) {
		consume_rest(p, r);
		finish(p, dead ? "died" : "closed");
		r->head = r->tail = 0;
		__atomic_store_n(&r->state, ML_RING_FREE, __ATOMIC_RELEASE);
		return true;
	}
	return busy;
}

static pid_t start(char **argv, int fd)
{
	char path[64];
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	for (char **a = argv; *a; a++) {
		char *at = strchr(*a, '@');

		if (at && !at[1]) {
			char *with = malloc(strlen(*a) + sizeof(path));

			sprintf(with, "%.*s%s", (int)(at - *a), *a, path);
			*a = with;
		}
	}
	pid = fork();
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	return pid;
}

static struct ml_ring_control *make_ring(int *fd, uint32_t opts)
{
	struct ml_ring_control *control;

	*fd = memfd_create("ring", MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, ML_RING_FILE_BYTES(SLOTS)) != 0)
		exit(1);
	file = mmap(NULL, ML_RING_FILE_BYTES(SLOTS), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE, *fd, 0);
	if (file == MAP_FAILED)
		exit(1);
	control = (struct ml_ring_control *)file;
	control->magic = ML_RING_MAGIC;
	control->version = ML_RING_VERSION;
	control->companion = (uint32_t)getpid();
	control->options = opts;
	control->slots = SLOTS;
	return control;
}

int main(int argc, char **argv)
{
	static struct process processes[SLOTS];
	uint32_t opts = 0;
	int c, fd, status = 0;
	bool gone = false;
	pid_t child;

	output = stdout;
	while ((c = getopt(argc, argv, "+dfhlmo:s:x:")) != -1) {
		switch (c) {
		case 'd': options.discard = true; break;
		case 'f': opts |= ML_RING_OPT_FETCH; break;
		case 'h': opts |= ML_RING_OPT_NO_HEAP; break;
		case 'l': options.lackey = true; break;
		case 'm': options.messages = true; break;
		case 'o': output = fopen(optarg, "w"); break;
		case 's': options.stop_after = atol(optarg); break;
		case 'x': options.die_after = atol(optarg); break;
		default: return 2;
		}
	}
	if (optind == argc || !output)
		return 2;
	make_ring(&fd, opts);
	signal(SIGINT, SIG_IGN);
	child = start(argv + optind, fd);
	for (;;) {
		bool busy = false, open = false;

		for (unsigned i = 0; i < SLOTS; i++) {
			busy |= serve(&processes[i], slot_at(i));
			open |= processes[i].active;
		}
		if (!gone && waitpid(child, &status, WNOHANG) == child)
			gone = true;
		else if (gone && !open && !busy)
			break;
		if (!busy)
			usleep(100);
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "killed by signal %d\n", WTERMSIG(status));
	else
		fprintf(stderr, "exit status %d\n", WEXITSTATUS(status));
	return problems > 0;
}
