/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/heap.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"

#include "record/valgrind/instrument.h"
#include "record/valgrind/out.h"

enum { FRAMES = 16 };

/* A call stack; key is the hash of its frames. */
struct stack {
	struct stack *next;
	UWord key;
	UInt id, frames;
	UInt process; /* in which it was declared last: number of forks before */
	Addr ip[FRAMES];
};

static struct {
	VgHashTable *stacks;
	UInt process;
	UInt *depth; /* of HEAP_BEGIN, by ThreadId */
} self;

void heap_init(void)
{
	self.stacks = VG_(HT_construct)("memlamp.stacks");
	self.depth = VG_(calloc)("memlamp.depth", VG_N_THREADS, sizeof(*self.depth));
}

static Word compare_stacks(const void *a, const void *b)
{
	const struct stack *s = a, *t = b;

	if (s->frames != t->frames)
		return 1;
	return VG_(memcmp)(s->ip, t->ip, s->frames * sizeof(s->ip[0]));
}

/* Unwinding continues beyond the first function of the program, into arbitrary memory. */
static Bool is_code(Addr at)
{
	const NSegment *segment = VG_(am_find_nsegment)(at);

	return segment && segment->hasX;
}

/* The stack of the caller of the wrapper, or of mmap. */
static struct stack *present_stack(ThreadId tid)
{
	Addr ips[1 + FRAMES]; /* the wrapper or mmap comes first */
	UInt count = VG_(get_StackTrace)(tid, ips, 1 + FRAMES, NULL, NULL, 0);
	struct stack wanted = { 0 };
	struct stack *s;

	for (UInt i = 1; i < count && is_code(ips[i]); i++) {
		wanted.ip[wanted.frames++] = ips[i];
		wanted.key = (wanted.key ^ ips[i]) * 0x9e3779b97f4a7c15;
		wanted.key ^= wanted.key >> 29;
	}
	s = VG_(HT_gen_lookup)(self.stacks, &wanted, compare_stacks);
	if (!s) {
		wanted.id = VG_(HT_count_nodes)(self.stacks) + 1;
		wanted.process = self.process - 1;
		s = VG_(malloc)("memlamp.stack", sizeof(*s));
		*s = wanted;
		VG_(HT_add_node)(self.stacks, s);
	}
	return s;
}

static void declare(struct stack *s)
{
	uint64_t *w;

	if (s->process == self.process)
		return;
	s->process = self.process;
	w = out_begin(ML_WORD_STACK, s->id, s->frames);
	for (UInt i = 0; i < s->frames; i++)
		*w++ = s->ip[i];
	out_end(w);
}

/* A message of type ALLOC or MMAP. */
static void report(enum ml_word type, struct stack *s, Addr at, SizeT size)
{
	uint64_t *w;

	declare(s);
	w = out_begin(type, s->id, 2);
	w[0] = at;
	w[1] = size;
	out_end(w + 2);
}

static void tell(enum ml_word type, UInt argument, Addr at)
{
	uint64_t *w = out_begin(type, argument, 1);

	w[0] = at;
	out_end(w + 1);
}

static void begin(ThreadId tid, Addr old)
{
	if (self.depth[tid]++ == 0)
		tell(ML_WORD_ALLOCATING, ML_ALLOCATING_BEGIN, old);
}

static void end(ThreadId tid, Addr at, SizeT size)
{
	if (self.depth[tid] == 0 || --self.depth[tid] > 0)
		return;
	if (at)
		report(ML_WORD_ALLOC, present_stack(tid), at, size);
	else
		tell(ML_WORD_ALLOCATING,
		     size ? ML_ALLOCATING_FAILED : ML_ALLOCATING_FREED, 0);
}

void heap_mapped(ThreadId tid, Addr at, SizeT size)
{
	struct stack *s;

	if (out_is_off() || out_options() & ML_RING_OPT_NO_HEAP || self.depth[tid] > 0)
		return;
	s = present_stack(tid);
	/* An allocator maps memory for its blocks, which are reported one by one. */
	for (UInt i = 0; i < s->frames; i++)
		if (instrument_is_own(s->ip[i]))
			return;
	report(ML_WORD_MMAP, s, at, size);
}

Bool heap_request(ThreadId tid, const UWord *args)
{
	Bool alone = self.depth[tid] == 0;

	if (args[0] < HEAP_ALLOC || args[0] > HEAP_END)
		return False;
	if (out_is_off() || out_options() & ML_RING_OPT_NO_HEAP)
		return True;
	switch (args[0]) {
	case HEAP_ALLOC:
		if (alone)
			report(ML_WORD_ALLOC, present_stack(tid), args[1], args[2]);
		break;
	case HEAP_FREE:
		if (alone)
			tell(ML_WORD_FREE, 0, args[1]);
		break;
	case HEAP_BEGIN: begin(tid, args[1]); break;
	case HEAP_END: end(tid, args[1], args[2]); break;
	}
	return True;
}

void heap_fork(void)
{
	VG_(memset)(self.depth, 0, VG_N_THREADS * sizeof(*self.depth));
	self.process++;
}
