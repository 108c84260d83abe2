/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/threads.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include <stddef.h>

#include "libvex_guest_amd64.h"

#include "record/valgrind/instrument.h"
#include "record/valgrind/maps.h"
#include "record/valgrind/out.h"

enum { SLICE = 5000 }; /* superblocks that a thread runs while others wait */

static struct {
	UInt count, alive;   /* threads so far, and at present */
	UInt *number;        /* by ThreadId */
	UInt *parent;        /* by ThreadId */
	ThreadId running;    /* as reported last, 0 at first */
	Bool uninstrumented; /* the code has been discarded, to run without
				instrumentation */
} self;

void threads_init(void)
{
	self.number = VG_(calloc)("memlamp.threads", VG_N_THREADS, sizeof(*self.number));
	self.parent = VG_(calloc)("memlamp.threads", VG_N_THREADS, sizeof(*self.parent));
}

static void created(ThreadId parent, ThreadId child)
{
	self.number[child] = ++self.count;
	self.alive++;
	self.parent[child] = parent == VG_INVALID_THREADID ? 0 : self.number[parent];
	if (self.running == child)
		self.running = VG_INVALID_THREADID;
}

static void announce(ThreadId tid)
{
	Addr high = VG_(thread_get_stack_max)(tid);
	SizeT size = VG_(thread_get_stack_size)(tid);
	uint64_t *w;

	if (out_is_off())
		return;
	w = out_begin(ML_WORD_THREAD_NEW, self.number[tid], 3);
	w[0] = self.parent[tid];
	w[1] = size ? high + 1 - size : 0;
	w[2] = size ? high + 1 : 0;
	out_end(w + 3);
}

static void first_instruction(ThreadId tid)
{
	announce(tid);
	if (self.number[tid] == 1)
		maps_all();
}

static void ended(ThreadId tid)
{
	self.alive--;
	if (!out_is_off())
		out_end(out_begin(ML_WORD_THREAD_END, self.number[tid], 0));
}

/*
 * A thread runs for 100,000 superblocks before Valgrind lets another one run: about a
 * million references. References of threads that run at the same time on a real machine
 * then lie too far apart to be put together again, and a thread that spins fills the
 * trace. So the tool shortens the slices. The core has set the counter of superblocks
 * just before; it takes a lower one for superblocks that ran already.
 */
static void shorten_slice(ThreadId tid)
{
	enum { OFFSET = offsetof(VexGuestAMD64State, host_EvC_COUNTER) };
	UInt left;

	VG_(get_shadow_regs_area)(tid, (UChar *)&left, 0, OFFSET, sizeof(left));
	if (left <= SLICE)
		return;
	left = SLICE;
	VG_(set_shadow_regs_area)(tid, 0, OFFSET, sizeof(left), (const UChar *)&left);
}

static void runs(ThreadId tid, ULong blocks)
{
	if (self.alive > 1)
		shorten_slice(tid);
	if (tid == self.running || out_is_off())
		return;
	self.running = tid;
	out_end(out_begin(ML_WORD_THREAD, self.number[tid], 0));
}

/* After the end of the recording the program runs without instrumentation. */
static void rests(ThreadId tid, ULong blocks)
{
	out_poll();
	if (out_is_off() && !self.uninstrumented) {
		self.uninstrumented = True;
		instrument_restart();
	}
}

void threads_track(void)
{
	VG_(track_pre_thread_ll_create)(created);
	VG_(track_pre_thread_first_insn)(first_instruction);
	VG_(track_pre_thread_ll_exit)(ended);
	VG_(track_start_client_code)(runs);
	VG_(track_stop_client_code)(rests);
}

void threads_fork(ThreadId survivor)
{
	self.count = self.alive = 0;
	self.running = VG_INVALID_THREADID;
	self.uninstrumented = False;
	created(VG_INVALID_THREADID, survivor);
	announce(survivor);
	runs(survivor, 0);
}

void threads_sync(ThreadId tid, enum ml_sync kind, Addr object)
{
	uint64_t *w;

	if (out_is_off() || self.alive < 2)
		return;
	w = out_begin(ML_WORD_SYNC, (UInt)kind | self.number[tid] << 8, 1);
	w[0] = object;
	out_end(w + 1);
}

UInt threads_alive(void)
{
	return self.alive;
}

void threads_name(ThreadId tid, const HChar *name)
{
	uint64_t *w;

	if (out_is_off())
		return;
	w = out_begin(ML_WORD_THREAD_NAME, self.number[tid], out_text_words(name));
	out_end(out_text(w, name));
}
