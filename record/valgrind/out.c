/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/out.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "record/valgrind/core.h"

enum {
	CLAIM_WAIT_MS = 5000, /* for a slot to become free */
	CLAIM_SLEEP_MS = 20,
	SINK_WORDS = 2 * ML_RING_MARGIN,
	TIMED_OUT = 110, /* errno of the kernel; Valgrind has no name for it */
};

/* Receives the words that are discarded. */
static uint64_t sink[SINK_WORDS];
static struct ml_ring no_slot;

static struct {
	struct ml_ring_control *control; /* NULL: no ring */
	struct ml_ring *slot;
	uint64_t limit;  /* address; a step may begin at or below it */
	uint64_t *begin; /* of the segment, or of the sink, that is being filled */
	uint64_t *end;
	uint64_t last;         /* while sinking: the former cur in the ring, or 0 */
	uint64_t parent, fork; /* birth of the slot and clock of the last fork; 0: none */
	Int terminal;          /* the program's standard error, or -1 */
	Bool sinking;          /* words go into the sink */
	Bool off;
} out;

uint64_t *out_cur(void)
{
	return &out.slot->cur;
}

uint64_t *out_limit(void)
{
	return &out.limit;
}

Bool out_is_off(void)
{
	return out.off;
}

UInt out_options(void)
{
	return out.control ? out.control->options : 0;
}

/*
 * Prints to the standard error of the program: `memlamp record` redirects Valgrind's log,
 * so that a crash does not mix it into the output of the program.
 */
static void say(const HChar *fmt, ...)
{
	HChar text[300];
	va_list ap;
	UInt n;

	va_start(ap, fmt);
	n = VG_(vsnprintf)(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (out.terminal >= 0)
		VG_(write)(out.terminal, text, (Int)n);
}

static void open_terminal(void)
{
	SysRes r = VG_(dup)(2);

	out.terminal = sr_isError(r) ? -1 : VG_(safe_fd)((Int)sr_Res(r));
}

static Int futex(UInt *word, Int operation, UInt value,
		 const struct vki_timespec *timeout)
{
	SysRes r = VG_(do_syscall)(__NR_futex, (RegWord)word, (RegWord)operation, value,
				   (RegWord)timeout, 0, 0, 0, 0);

	return sr_isError(r) ? -(Int)sr_Err(r) : (Int)sr_Res(r);
}

static void wake(UInt *word)
{
	futex(word, VKI_FUTEX_WAKE, 0x7fffffff, NULL);
}

static void fill(uint64_t *begin, UInt words)
{
	out.begin = begin;
	out.end = begin + words;
	out.limit = (uint64_t)(out.end - ML_RING_MARGIN);
	out.slot->cur = (uint64_t)begin;
}

static void fill_segment(UInt number)
{
	uint64_t *data = (uint64_t *)out.slot->data;

	fill(data + number % ML_RING_SEGMENTS * ML_RING_SEGMENT_WORDS,
	     ML_RING_SEGMENT_WORDS);
}

static void fill_sink(void)
{
	out.sinking = True;
	fill(sink, SINK_WORDS);
}

static void turn_off(void)
{
	if (!out.sinking)
		out.last = out.slot->cur;
	out.off = True;
	fill_sink();
}

/* A field of /proc/PID/stat by number; the second field may contain any bytes. */
static Bool read_stat(UInt pid, UInt field, HChar *value, SizeT size)
{
	HChar path[40], text[1024], *at;
	Int fd, n;
	SizeT i;

	VG_(sprintf)(path, "/proc/%u/stat", pid);
	fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
	if (fd < 0)
		return False;
	n = VG_(read)(fd, text, sizeof(text) - 1);
	VG_(close)(fd);
	if (n <= 0)
		return False;
	text[n] = 0;
	at = VG_(strrchr)(text, ')');
	for (i = 2; at && i < field; i++)
		at = VG_(strchr)(at + 1, ' ');
	if (!at)
		return False;
	at++;
	for (i = 0; i + 1 < size && at[i] && at[i] != ' '; i++)
		value[i] = at[i];
	value[i] = 0;
	return True;
}

static Bool lives(UInt pid)
{
	HChar state[4];

	return read_stat(pid, 3, state, sizeof(state)) && state[0] != 'Z' &&
	       state[0] != 'X';
}

static Bool stop_wanted(void)
{
	return __atomic_load_n(&out.slot->stop, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&out.control->stop, __ATOMIC_RELAXED);
}

/* Waits until segment `head` is free. False: the companion will never free it. */
static Bool wait_for_room(UInt head)
{
	const struct vki_timespec turn = { .tv_nsec = ML_RING_WAIT_MS * 1000000 };
	struct ml_ring *slot = out.slot;

	for (;;) {
		UInt tail = ml_ring_want(&slot->tail_wanted, head - ML_RING_SEGMENTS + 1,
					 &slot->tail);

		if (stop_wanted())
			return False;
		if (head - tail < ML_RING_SEGMENTS)
			return True;
		if (futex(&slot->tail, VKI_FUTEX_WAIT, tail, &turn) == -TIMED_OUT &&
		    !ml_ring_is_read(out.control)) {
			say("memlamp: the recording process is gone; "
			    "the program goes on unrecorded\n");
			return False;
		}
	}
}

/*
 * cur moves on only after head: a process that is killed in between leaves cur in a
 * published segment, where the companion does not look for an unfinished one.
 */
void out_full(void)
{
	struct ml_ring *slot = out.slot;
	UInt head;

	if (out.sinking) {
		fill_sink();
		return;
	}
	head = slot->head;
	slot->used[head % ML_RING_SEGMENTS] = (UInt)((uint64_t *)slot->cur - out.begin);
	head++;
	if (ml_ring_advance(&slot->head, head, &slot->head_wanted))
		wake(&slot->head);
	if (wait_for_room(head)) {
		fill_segment(head);
	} else {
		turn_off();
		out.last = 0; /* its segment is published already */
	}
}

void out_poll(void)
{
	if (out.control && !out.off && stop_wanted())
		turn_off();
}

uint64_t *out_begin(enum ml_word type, UInt argument, UInt count)
{
	uint64_t *at = (uint64_t *)out.slot->cur;
	UInt room = out.sinking ? SINK_WORDS : ML_RING_SEGMENT_WORDS;

	tl_assert(count < room && count <= 0xffffff);
	if (at + 1 + count > out.end) {
		out_full();
		at = (uint64_t *)out.slot->cur;
	}
	*at = ML_WORD(type, count, argument);
	return at + 1;
}

void out_end(const uint64_t *end)
{
	__atomic_store_n(&out.slot->cur, (uint64_t)end, __ATOMIC_RELEASE);
}

UInt out_text_words(const HChar *text)
{
	return (UInt)(VG_(strlen)(text) / 8 + 1);
}

uint64_t *out_text(uint64_t *at, const HChar *text)
{
	UInt words = out_text_words(text);

	at[words - 1] = 0;
	VG_(memcpy)(at, text, VG_(strlen)(text));
	return at + words;
}

static void *map(Int fd, Off64T offset, SizeT size)
{
	SysRes r = VG_(am_shared_mmap_file_float_valgrind)(
		size, VKI_PROT_READ | VKI_PROT_WRITE, fd, offset);

	return sr_isError(r) ? NULL : (void *)sr_Res(r);
}

/* Claims a free slot; returns its number, or -1. */
static Int claim_any(void)
{
	UInt slots = out.control->slots;

	for (Int waited = 0; waited < CLAIM_WAIT_MS; waited += CLAIM_SLEEP_MS) {
		UInt i = ml_ring_claim(out.control, slots);

		if (i < slots)
			return (Int)i;
		if (out.control->stop || !ml_ring_is_read(out.control))
			return -1;
		VG_(poll)(NULL, 0, CLAIM_SLEEP_MS);
	}
	say("memlamp: more than %u processes at once; this one goes unrecorded\n", slots);
	return -1;
}

/* Fills in the header of the slot and opens it. */
static void open_slot(void)
{
	struct ml_ring *slot = out.slot;

	slot->pid = (UInt)VG_(getpid)();
	slot->parent = (UInt)VG_(getppid)();
	slot->thread = 0;
	slot->birth = __builtin_ia32_rdtsc();
	slot->data = (uint64_t)slot + ML_RING_PAGE;
	slot->stop = 0;
	slot->head = 0;
	slot->tail = 0;
	out.sinking = False;
	out.off = False;
	fill_segment(0);
	__atomic_store_n(&slot->state, ML_RING_OPEN, __ATOMIC_RELEASE);
	__atomic_fetch_add(&out.control->bell, 1, __ATOMIC_RELEASE);
	wake(&out.control->bell);
}

/*
 * The ring is /proc/PID/fd/N of the companion. The program that the companion started
 * must be recorded. A process further down may outlive the companion or belong to another
 * user; it goes on unrecorded.
 */
static Bool cannot_open(const HChar *path)
{
	UInt companion = 0;

	if (VG_(strncmp)(path, "/proc/", 6) == 0)
		companion = (UInt)VG_(strtoll10)(path + 6, NULL);
	if (!companion || companion == (UInt)VG_(getppid)()) {
		say("memlamp: %s: cannot open the ring\n", path);
		return False;
	}
	if (lives(companion))
		say("memlamp: %s: cannot open the ring; "
		    "this process goes unrecorded\n",
		    path);
	out.off = True;
	return True;
}

Bool out_open(const HChar *path)
{
	Int fd, number;

	open_terminal();
	out.slot = &no_slot;
	fill_sink();
	if (!path)
		return True;
	fd = VG_(fd_open)(path, VKI_O_RDWR, 0);
	if (fd < 0)
		return cannot_open(path);
	out.control = map(fd, 0, ML_RING_PAGE);
	if (!out.control || out.control->magic != ML_RING_MAGIC ||
	    out.control->version != ML_RING_VERSION) {
		say("memlamp: %s: not a ring of version %d\n", path, ML_RING_VERSION);
		return False;
	}
	number = claim_any();
	if (number >= 0) {
		out.slot = map(fd, (Off64T)ML_RING_SLOT_OFFSET(number),
			       ML_RING_SLOT_BYTES);
		if (!out.slot) {
			say("memlamp: %s: cannot map slot %d\n", path, number);
			return False;
		}
		open_slot();
	} else {
		out.off = True;
	}
	VG_(close)(fd);
	return True;
}

static void tell_fork(UInt child)
{
	uint64_t *w = out_begin(ML_WORD_FORK, child, 2);

	w[0] = out.parent;
	w[1] = out.fork;
	out_end(w + 2);
}

void out_before_fork(void)
{
	out.fork = 0;
	if (!out.control || out.off)
		return;
	out.parent = out.slot->birth;
	out.fork = __builtin_ia32_rdtsc();
	tell_fork(0);
	out_full(); /* the child waits until the companion has read this */
	wake(&out.slot->head);
}

void out_inherit(void)
{
	if (out.fork && !out.off)
		tell_fork(1);
}

/*
 * Puts slot number i where the slot of the parent is mapped: the mapping of the control
 * page once more, longer, of which the end moves there. So the ring need not be opened
 * again, which the child of a program with another root or another user could not.
 */
static Bool remap_slot(UInt i)
{
	RegWord before = ML_RING_SLOT_OFFSET(i);
	SysRes r = VG_(do_syscall)(__NR_mremap, (RegWord)out.control, 0,
				   before + ML_RING_SLOT_BYTES, VKI_MREMAP_MAYMOVE, 0, 0,
				   0, 0);
	RegWord at;

	if (sr_isError(r))
		return False;
	at = sr_Res(r);
	r = VG_(do_syscall)(__NR_mremap, at + before, ML_RING_SLOT_BYTES,
			    ML_RING_SLOT_BYTES, VKI_MREMAP_MAYMOVE | VKI_MREMAP_FIXED,
			    (RegWord)out.slot, 0, 0, 0);
	VG_(do_syscall)(__NR_munmap, at, before, 0, 0, 0, 0, 0, 0);
	return !sr_isError(r);
}

/* The child keeps nothing that it writes. */
static void go_unrecorded(void)
{
	SysRes r;

	__atomic_fetch_add(&out.slot->unrecorded, 1, __ATOMIC_RELAXED);
	r = VG_(am_do_mmap_NO_NOTIFY)(
		(Addr)out.slot, ML_RING_SLOT_BYTES, VKI_PROT_READ | VKI_PROT_WRITE,
		VKI_MAP_PRIVATE | VKI_MAP_FIXED | VKI_MAP_ANONYMOUS, (UInt)-1, 0);
	tl_assert(!sr_isError(r));
	turn_off();
	out.last = 0;
}

void out_fork(void)
{
	Int number;

	if (!out.control || out.slot == &no_slot)
		return;
	number = claim_any();
	if (number >= 0 && remap_slot((UInt)number)) {
		open_slot();
		return;
	}
	if (number >= 0)
		ml_ring_unclaim(out.control, (UInt)number);
	go_unrecorded();
}

void out_close(void)
{
	struct ml_ring *slot = out.slot;

	if (!out.control || slot == &no_slot)
		return;
	if (out.sinking)
		slot->cur = out.last;
	out.slot = &no_slot; /* the slot may serve another process from now on */
	out.off = True;
	fill_sink();
	__atomic_store_n(&slot->state, ML_RING_CLOSED, __ATOMIC_RELEASE);
	__atomic_fetch_add(&out.control->bell, 1, __ATOMIC_RELEASE);
	wake(&out.control->bell);
	wake(&slot->head);
}
