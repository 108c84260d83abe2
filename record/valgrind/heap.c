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
	UInt process; /* in which it was reported last: forks are counted from 0 */
	Addr ip[FRAMES];
};

/* A live block; key is its address. */
struct block {
	struct block *next;
	UWord key;
	SizeT size;
	struct stack *stack;
};

static struct {
	VgHashTable *stacks, *blocks;
	UInt process;
	struct nest {
		UInt depth;          /* of HEAP_BEGIN */
		struct block *block; /* that the outermost freed, or NULL */
	} * nest;                    /* by ThreadId */
} self;

void heap_init(void)
{
	self.stacks = VG_(HT_construct)("memlamp.stacks");
	self.blocks = VG_(HT_construct)("memlamp.blocks");
	self.nest = VG_(calloc)("memlamp.nest", VG_N_THREADS, sizeof(*self.nest));
}

static Word compare_stacks(const void *a, const void *b)
{
	const struct stack *s = a, *t = b;

	if (s->frames != t->frames)
		return 1;
	return VG_(memcmp)(s->ip, t->ip, s->frames * sizeof(s->ip[0]));
}

/* Unwinding goes on beyond the program's first function, into whatever lies there. */
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

static void report(const struct block *b)
{
	struct stack *s = b->stack;
	uint64_t *w;

	declare(s);
	w = out_begin(ML_WORD_ALLOC, s->id, 2);
	w[0] = b->key;
	w[1] = b->size;
	out_end(w + 2);
}

/* The block at an address, which is live no longer, or NULL. */
static struct block *remove(Addr at)
{
	struct block *b = at ? VG_(HT_remove)(self.blocks, at) : NULL;
	uint64_t *w;

	if (b) {
		w = out_begin(ML_WORD_FREE, 0, 1);
		w[0] = at;
		out_end(w + 1);
	}
	return b;
}

static void add(struct block *b)
{
	/* Freed behind our back, by an allocator that we do not know. */
	struct block *stale = remove(b->key);

	if (stale)
		VG_(free)(stale);
	VG_(HT_add_node)(self.blocks, b);
	report(b);
}

static void allocated(ThreadId tid, Addr at, SizeT size)
{
	struct block *b = VG_(malloc)("memlamp.block", sizeof(*b));

	*b = (struct block){ .key = at, .size = size, .stack = present_stack(tid) };
	add(b);
}

static void end(ThreadId tid, Addr at, SizeT size)
{
	struct nest *nest = &self.nest[tid];
	struct block *old;

	if (nest->depth == 0 || --nest->depth > 0)
		return;
	old = nest->block;
	nest->block = NULL;
	if (at)
		allocated(tid, at, size);
	if (!at && size && old)
		add(old);
	else if (old)
		VG_(free)(old);
}

void heap_mapped(ThreadId tid, Addr at, SizeT size)
{
	struct stack *s;
	uint64_t *w;

	if (out_is_off() || out_options() & ML_RING_OPT_NO_HEAP ||
	    self.nest[tid].depth > 0)
		return;
	s = present_stack(tid);
	/* An allocator gets memory for its blocks, which are reported one by one. */
	for (UInt i = 0; i < s->frames; i++)
		if (instrument_is_own(s->ip[i]))
			return;
	declare(s);
	w = out_begin(ML_WORD_MMAP, s->id, 2);
	w[0] = at;
	w[1] = size;
	out_end(w + 2);
}

Bool heap_request(ThreadId tid, const UWord *args)
{
	struct nest *nest = &self.nest[tid];
	struct block *b;

	if (args[0] < HEAP_ALLOC || args[0] > HEAP_CLEAR)
		return False;
	if (out_is_off() || out_options() & ML_RING_OPT_NO_HEAP)
		return True;
	switch (args[0]) {
	case HEAP_ALLOC:
		if (nest->depth == 0)
			allocated(tid, args[1], args[2]);
		break;
	case HEAP_FREE:
		b = nest->depth == 0 ? remove(args[1]) : NULL;
		if (b)
			VG_(free)(b);
		break;
	case HEAP_BEGIN:
		if (nest->depth++ == 0)
			nest->block = remove(args[1]);
		break;
	case HEAP_END: end(tid, args[1], args[2]); break;
	case HEAP_CLEAR:
		if (nest->depth == 0)
			out_end(out_begin(ML_WORD_CLEAR, args[1] != 0, 0));
		break;
	}
	return True;
}

void heap_fork(ThreadId survivor)
{
	struct block *b;

	for (ThreadId t = 0; t < VG_N_THREADS; t++)
		if (t != survivor)
			self.nest[t] = (struct nest){ 0 };
	self.process++;
	if (out_is_off())
		return;
	VG_(HT_ResetIter)(self.blocks);
	while ((b = VG_(HT_Next)(self.blocks)) != NULL)
		report(b);
}
