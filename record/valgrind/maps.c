/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/maps.h"

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_tooliface.h"

#include "record/valgrind/out.h"

static struct {
	Bool reported; /* the first mappings; earlier changes are ignored */
} self;

static void map(enum ml_map_kind kind, UInt prot, Addr low, Addr high, uint64_t offset,
		const HChar *path)
{
	uint64_t *w;

	if (out_is_off() || !self.reported)
		return;
	w = out_begin(ML_WORD_MAP, (UInt)kind | prot << 8, 3 + out_text_words(path));
	w[0] = low;
	w[1] = high;
	w[2] = offset;
	out_end(out_text(w + 3, path));
}

/* The part of a segment between two addresses. */
static void map_segment(const NSegment *s, Addr low, Addr high)
{
	UInt prot = (UInt)s->hasR | (UInt)s->hasW << 1 | (UInt)s->hasX << 2;
	const HChar *path = s->kind == SkFileC ? VG_(am_get_filename)(s) : NULL;

	if (s->kind == SkFileC)
		map(ML_MAP_FILE, prot, low, high, (uint64_t)s->offset + (low - s->start),
		    path ? path : "");
	else
		map(s->isCH ? ML_MAP_BRK : ML_MAP_ANON, prot, low, high, 0, "");
}

void maps_all(void)
{
	Addr stack = VG_(thread_get_stack_max)(1);
	Int count;
	Addr *starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &count);

	self.reported = True;
	for (Int i = 0; i < count; i++) {
		const NSegment *s = VG_(am_find_nsegment)(starts[i]);

		/* The main thread's stack grows without further notice. */
		if (s->start <= stack && stack <= s->end)
			map(ML_MAP_STACK, 3, stack + 1 - VG_(thread_get_stack_size)(1),
			    stack + 1, 0, "");
		else
			map_segment(s, s->start, s->end + 1);
	}
	VG_(free)(starts);
}

static void map_range(Addr low, Addr high)
{
	while (low < high) {
		const NSegment *s = VG_(am_find_nsegment)(low);
		Addr end;

		if (!s)
			return;
		end = s->end + 1 < high ? s->end + 1 : high;
		if (s->kind == SkFileC || s->kind == SkAnonC || s->kind == SkShmC)
			map_segment(s, low, end);
		low = end;
	}
}

static void new_mmap(Addr at, SizeT size, Bool r, Bool w, Bool x, ULong debuginfo)
{
	map_range(at, at + size);
}

static void new_brk(Addr at, SizeT size, ThreadId tid)
{
	map(ML_MAP_BRK, 3, at, at + size, 0, "");
}

static void moved(Addr from, Addr to, SizeT size)
{
	map_range(to, to + size);
}

static void unmapped(Addr at, SizeT size)
{
	uint64_t *w;

	if (out_is_off() || !self.reported)
		return;
	w = out_begin(ML_WORD_UNMAP, 0, 2);
	w[0] = at;
	w[1] = at + size;
	out_end(w + 2);
}

void maps_track(void)
{
	VG_(track_new_mem_mmap)(new_mmap);
	VG_(track_new_mem_brk)(new_brk);
	VG_(track_copy_mem_remap)(moved);
	VG_(track_die_mem_munmap)(unmapped);
	VG_(track_die_mem_brk)(unmapped);
}
