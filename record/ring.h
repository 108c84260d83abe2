/*
 * The ring: how a recorded program hands its references to memlamp. This header is the
 * whole contract; a producer can be written from it. It is also all that producers
 * include: no libc, no other header of ours.
 *
 * Two sides. A *producer* runs inside the recorded program (a *guest*): a process under
 * Valgrind, or a thread of a program built by `memlamp cc`. The *companion* is the
 * process of `memlamp record`. It reads all rings and writes the traces.
 *
 * Memory. The companion makes one shared file, a memfd, which guests open as
 * /proc/PID/fd/N. Valgrind's tool gets this path by its option --ring, a program built by
 * `memlamp cc` by the environment variable MEMLAMP_RING. The file holds a control page
 * and control->slots slots. A slot serves one producer. It holds a header page (struct
 * ml_ring), a ring of segments of 64-bit words, and stamps. The file is sparse: only
 * slots that were claimed take memory.
 *
 * Life of a producer:
 *
 * 1. Claim. It checks magic and version of the control page and calls ml_ring_claim. It
 *    fills in the header (pid, parent, thread, segments, data, birth, cur = data; stop,
 *    head and tail 0), stores the state OPEN with release order, adds 1 to control->bell
 *    and makes a futex wake on it. All other fields of a free slot are 0. If no slot
 *    becomes free, the producer gives up and goes on unrecorded. It then adds 1 to
 *    `unrecorded` in the slot of the first thread of its process, or of the process that
 *    forked it.
 *
 * 2. Write. It stores words at `cur`, then stores the new `cur` with release order. A
 *    step or message counts once `cur` is behind it, and lies in one segment as a whole:
 *    where it does not fit, the segment is published first. A producer that cannot know
 *    the length of a step in advance begins one only while at least ML_RING_MARGIN words
 *    are free.
 *
 * 3. Publish. It stores used[head % segments] = words of the segment, then moves head on
 *    by 1 (ml_ring_advance) and makes a futex wake on head if that says so. The producer
 *    of a thread instead adds 1 to control->pulse, and makes a futex wake on it if
 *    control->sleepers is not 0. Then the producer waits while head - tail == segments
 *    (see Waiting), and sets `cur` to the beginning of segment head % segments. `cur`
 *    moves after head: of a producer killed in between, the companion finds `cur` in a
 *    published segment and reads nothing twice.
 *
 * 4. Stop. Once slot->stop or control->stop is 1 the producer stores nothing more into
 *    the segments, and the program goes on unrecorded. The companion ignores a `cur` that
 *    lies outside of the segment being filled.
 *
 * 5. Close. Behind its last message it stores the state CLOSED with release order. The
 *    producer of a process also adds 1 to control->bell and makes futex wakes on bell and
 *    head, the producer of a thread a pulse as in 3. From then on the slot belongs to the
 *    companion, which reads the rest, zeroes the header and makes the slot FREE.
 *
 * A producer that dies without closing loses nothing: a pidfd tells the companion of the
 * death, and the companion reads the published segments and the last one up to `cur`.
 *
 * Waiting. Before a side sleeps it publishes the index it waits for (ml_ring_want); the
 * other side makes the futex call only if that index is reached, as most calls would wake
 * no sleeper. A producer sleeps at most ML_RING_WAIT_MS at a time. When the time is over
 * it checks that the companion is alive (ml_ring_is_read), and goes on unrecorded if not.
 * Neither side needs a descriptor, a path or a process number for any of this: a program
 * may close all files, change its root and its user, and have other numbers.
 *
 * Order of threads. A process under Valgrind has one slot (thread 0), and messages
 * ML_WORD_THREAD in it name the running thread. A program built by `memlamp cc` has a
 * slot for each thread (from 1); record/reader/thread_merge.h puts their words in order
 * by the clock. The clock is the time stamp counter of the processor. Producers of
 * threads note it at the beginning of each ML_RING_STAMP_BYTES of segments in the stamps
 * of the slot, and in messages ML_WORD_STAMP around calls that synchronise threads.
 *
 * First messages of a process: ABOUT (command, folder), THREAD_NEW and THREAD of its
 * first thread, and a MAP for each mapping, in any order; in a forked child then FORK 1.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	ML_RING_VERSION = 8,
	ML_RING_SLOTS = 8192, /* at most */
	ML_RING_SEGMENTS = 32,
	ML_RING_SEGMENT_WORDS = 32 * 1024, /* 256 KiB: two segments fit an L2 cache */
	ML_RING_MARGIN = 4096, /* words that one step and its messages may need at most */
	ML_RING_BATCH = 4,     /* segments that the companion sleeps for */
	ML_RING_WAIT_MS = 100,
	ML_RING_STAMP_BYTES = 4096, /* bytes of a segment that share one stamp */
	ML_RING_SEGMENT_STAMPS = ML_RING_SEGMENT_WORDS * 8 / ML_RING_STAMP_BYTES,
};

#define ML_RING_MAGIC 0x31676e69726c6d00u /* "\0mlring1" */

/* 64-bit words of a pthread_mutex_t, by which processors differ. */
#if defined(__x86_64__)
#define ML_RING_MUTEX 5
#else
#define ML_RING_MUTEX 6
#endif

/* Control page, at offset 0. */
struct ml_ring_control {
	uint64_t magic;
	uint32_t version;
	uint32_t companion; /* pid of `memlamp record` */
	uint32_t bell;      /* futex: bumped when a slot opens or closes */
	uint32_t stop;      /* 1: the companion accepts no more words, from any slot */
	uint32_t options;   /* ML_RING_OPT_* */
	uint32_t pulse;    /* futex: bumped when the slot of a thread has a new segment */
	uint32_t sleepers; /* atomic: threads of the companion that wait for a pulse */
	uint32_t slots;    /* how many of them the file has */
	uint32_t top;      /* atomic: the slots from here on were never claimed */
	uint32_t hint;     /* atomic: the first free slot, probably */
	uint32_t period;   /* with ML_RING_OPT_TIMED: one access of so many is timed */
	uint32_t pad[3];
	uint64_t alive
		[ML_RING_MUTEX]; /* a robust mutex of libc, which the companion holds: when it
			      ends, in whatever way, the kernel sets ML_RING_OWNER_DIED
			      in the first 32 bits */
	uint64_t claimed[ML_RING_SLOTS / 64]; /* atomic: bit i: slot i has an owner */
};

#define ML_RING_OWNER_DIED 0x40000000u /* FUTEX_OWNER_DIED of the kernel */

enum {
	ML_RING_OPT_FETCH = 1,     /* record instruction fetches too */
	ML_RING_OPT_NO_HEAP = 2,   /* do not report allocations */
	ML_RING_OPT_CALLS = 4,     /* report entries of functions, and returns */
	ML_RING_OPT_TIMED = 8,     /* report no references but those that are timed */
	ML_RING_OPT_VALGRIND = 16, /* use Valgrind also for programs that were built by
				      `memlamp cc` */
	ML_RING_OPT_VALUES = 32,   /* report the range of the values stored (Valgrind) */
	ML_RING_OPT_SPLIT_STRINGS = 64, /* report each element of repeated string
					   instructions (Valgrind) */
};

enum ml_ring_state {
	ML_RING_FREE, /* or claimed, and not open yet */
	ML_RING_OPEN,
	ML_RING_CLOSED, /* the producer is done; everything up to cur is valid */
};

/* Header of a slot, one page; the segments follow at the next page. */
struct ml_ring {
	uint32_t state; /* enum ml_ring_state; atomic */
	uint32_t pid, parent;
	uint32_t thread; /* number of the producing thread, from 1; 0: a whole process */
	uint64_t data;   /* address of the first segment in the producer */
	uint64_t cur;    /* address in the producer of the next word to be written */
	uint32_t stop;   /* 1: set by the companion, which accepts no more words */
	uint32_t segments;   /* how many of them the producer uses; 0: all */
	uint32_t taken;      /* the companion's: thread_merge reads this slot already */
	uint32_t unrecorded; /* atomic; of the first thread: threads and children of the
				process that found no free slot */
	uint64_t birth; /* the clock when the process claimed its first slot, unique; the
			   same in the slots of all its threads */
	uint32_t pad3[2];
	uint32_t head;        /* futex, atomic: segments published */
	uint32_t tail_wanted; /* atomic: the producer may sleep until tail is this */
	uint32_t pad1[14];
	uint32_t tail;        /* futex, atomic: segments consumed */
	uint32_t head_wanted; /* atomic: the companion may sleep until head is this */
	uint32_t pad2[14];
	uint32_t used[ML_RING_SEGMENTS]; /* words of each published segment */
};

/*
 * Moves head or tail on to `to`. True: the caller has to make a futex wake on the index.
 * No wake is missed: the sleeper stores `wanted` before it loads the index for the last
 * time, so either the sleeper sees the new index or this load sees `wanted`.
 */
static inline bool ml_ring_advance(uint32_t *index, uint32_t to, const uint32_t *wanted)
{
	__atomic_store_n(index, to, __ATOMIC_SEQ_CST);
	return __atomic_load_n(wanted, __ATOMIC_SEQ_CST) == to;
}

/* Asks for a futex wake when the index is `to`; returns its present value. */
static inline uint32_t ml_ring_want(uint32_t *wanted, uint32_t to, const uint32_t *index)
{
	__atomic_store_n(wanted, to, __ATOMIC_SEQ_CST);
	return __atomic_load_n(index, __ATOMIC_SEQ_CST);
}

enum {
	ML_RING_PAGE = 4096,
	ML_RING_DATA_BYTES = ML_RING_SEGMENTS * ML_RING_SEGMENT_WORDS * 8,
	ML_RING_STAMPS = ML_RING_SEGMENTS * ML_RING_SEGMENT_STAMPS,
	/* A slot: header, segments, stamps. A stamp is the clock when the producer began
	 * to write the ML_RING_STAMP_BYTES that it stands for. Only threads stamp. */
	ML_RING_SLOT_BYTES = ML_RING_PAGE + ML_RING_DATA_BYTES + ML_RING_STAMPS * 8,
};
/* Where slot number i begins in the file. */
#define ML_RING_SLOT_OFFSET(i)    (ML_RING_PAGE + (uint64_t)(i)*ML_RING_SLOT_BYTES)
#define ML_RING_FILE_BYTES(slots) ML_RING_SLOT_OFFSET(slots)

/* Slot number i of a ring file that is mapped as a whole at control. */
static inline struct ml_ring *ml_ring_slot(struct ml_ring_control *control, unsigned i)
{
	return (struct ml_ring *)(void *)((char *)control + ML_RING_SLOT_OFFSET(i));
}

/* Claims a free slot below `limit`, from the hint on; `limit`: there is none. */
static inline uint32_t ml_ring_claim(struct ml_ring_control *control, uint32_t limit)
{
	uint32_t hint = __atomic_load_n(&control->hint, __ATOMIC_RELAXED);
	uint32_t words = (limit + 63) / 64, i = limit;

	for (uint32_t n = 0; n < words && i == limit; n++) {
		uint32_t word = (hint / 64 + n) % words;
		uint64_t all = word + 1 == words && limit % 64
				       ? ((uint64_t)1 << limit % 64) - 1
				       : ~(uint64_t)0;
		uint64_t taken = __atomic_load_n(&control->claimed[word],
						 __ATOMIC_RELAXED);

		while (~taken & all && i == limit) {
			uint32_t bit = (uint32_t)__builtin_ctzll(~taken & all);

			taken = __atomic_fetch_or(&control->claimed[word],
						  (uint64_t)1 << bit, __ATOMIC_ACQ_REL);
			if (!(taken >> bit & 1))
				i = word * 64 + bit;
		}
	}
	if (i == limit)
		return limit;
	uint32_t top = __atomic_load_n(&control->top, __ATOMIC_RELAXED);
	while (top <= i &&
	       !__atomic_compare_exchange_n(&control->top, &top, i + 1, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&control->hint, i + 1, __ATOMIC_RELAXED);
	return i;
}

/* Gives slot i back, whose header is zero again. */
static inline void ml_ring_unclaim(struct ml_ring_control *control, uint32_t i)
{
	__atomic_fetch_and(&control->claimed[i / 64], ~((uint64_t)1 << i % 64),
			   __ATOMIC_ACQ_REL);
	if (i < __atomic_load_n(&control->hint, __ATOMIC_RELAXED))
		__atomic_store_n(&control->hint, i, __ATOMIC_RELAXED);
}

/* Is the companion alive? */
static inline bool ml_ring_is_read(const struct ml_ring_control *control)
{
	const uint32_t *owner = (const uint32_t *)(const void *)control->alive;

	return !(__atomic_load_n(owner, __ATOMIC_RELAXED) & ML_RING_OWNER_DIED);
}

/*
 * Words. Addresses of the program have their top bit clear, so a word with the top bit
 * set is a header:
 *
 *   bit 63     1
 *   bits 56-62 type (enum ml_word)
 *   bits 32-55 number of payload words that follow (0 for STEP)
 *   bits 0-31  argument
 *
 * STEP: the superblock with the shape `argument` ran. The values of its bases follow, in
 * order, one word each, up to the next header. Fewer words than the shape has bases mean
 * that the superblock was left by an early exit (see ML_WORD_SHAPE). All other types are
 * messages with a counted payload, whose words may have any bits.
 *
 * Most steps are brief: an address has 47 bits, so the first base fits into the header
 * beside the number of the shape.
 *
 *   bit 63     1
 *   bits 48-62 ML_BRIEF + number of the shape; as a type this is larger than any other
 *   bit 47     0, so that adding to the value does not carry into the number
 *   bits 0-46  value of the first base
 */
enum ml_word {
	ML_WORD_STEP = 1,
	ML_WORD_SHAPE,      /* declares shape number `argument`; payload: see below */
	ML_WORD_THREAD,     /* thread `argument` (from 1) runs from here on */
	ML_WORD_THREAD_NEW, /* argument: thread; payload: parent, stack low, stack high */
	ML_WORD_THREAD_END, /* argument: thread */
	ML_WORD_THREAD_NAME, /* argument: thread; payload: text */
	ML_WORD_MAP,   /* argument: ML_MAP_* | prot << 8; payload: low, high, file offset,
			  text path */
	ML_WORD_UNMAP, /* payload: low, high */
	ML_WORD_STACK, /* declares call stack number `argument`; payload: return addresses
			  minus one, innermost first */
	ML_WORD_ALLOC, /* argument: call stack; payload: address, size */
	ML_WORD_FREE,  /* payload: address */
	ML_WORD_MMAP,  /* the program itself mapped memory, which lives until UNMAP;
			  argument: call stack; payload: address, size */
	ML_WORD_REGION,   /* argument: 0 a registered region, 1 the stack of a thread that
			     a fork left behind; payload: address, bytes, element size,
			     rows, cols, text name */
	ML_WORD_UNREGION, /* payload: address */
	ML_WORD_MARK,     /* argument: 0 point, 1 begin, 2 end; payload: text name */
	ML_WORD_STATE,    /* payload: value, text name */
	ML_WORD_RECORD,   /* argument: 1 start recording, 0 stop */
	ML_WORD_LOST,     /* argument: enum ml_lost; payload: count (0: unknown) */
	ML_WORD_EXEC,  /* another program is about to replace the process; argument 1: one
			  that cannot be recorded */
	ML_WORD_EXIT,  /* argument: exit status of the process */
	ML_WORD_STAMP, /* payload: the clock; the words before it were written earlier,
			  the words behind it later */
	ML_WORD_BLOCK, /* ALLOC or MMAP with the call stack itself; argument: 0 allocated,
			  1 mapped; payload: address, size, return addresses minus one,
			  innermost first, perhaps a 0 as padding */
	ML_WORD_ABOUT, /* argument: 0 command, 1 working folder; payload: text */
	ML_WORD_ALLOCATING, /* argument: enum ml_allocating; payload: with BEGIN the block
			       that the new one replaces, or 0 */
	ML_WORD_FORK,    /* argument 0: the thread is about to fork; 1: sent by the child,
			    behind its mappings; payload: birth of the parent's slot, clock
			    before the fork */
	ML_WORD_INHERIT, /* of no producer: by this the companion hands the state of the
			    parent's filter to a child; argument: ML_INHERIT_*; payload:
			    stack pointer at the entry of the function of --only-in */
	ML_WORD_TIMED, /* a reference whose load was timed (record/arch/timed_load.h); payload:
			  both words of the reference, as below, clock, ticks, and
			  TSC_AUX before | after << 32 */
	ML_WORD_SYSTEM, /* a system call is about to read memory (argument 0) or to write
			   it (1); payload: address, size */
	ML_WORD_SYNC,   /* argument: enum ml_sync | thread << 8; payload: object */
	ML_WORD_VALUES,
	/* the values that one instruction stored, at the end; argument:
			   for how many widths of 2, 4 and 8 bytes; payload: address of
			   the instruction, the smallest and the largest value for each */
	ML_WORD_CODE, /* the flow of control of a superblock whose first shape is number
			   `argument`; stands before its shapes; payload: see below */
};

/*
 * Threads that wait for each other. The object is an address or another number that is
 * the same for those that wait and those that wake them. A thread sends WAIT before it
 * waits and WOKEN (at a barrier LEAVE) behind it, and WAKE before it wakes others. WOKEN
 * without WAIT is behind the last WAKE: of a parent that creates a thread, of a thread
 * that ends and is joined. At a barrier the
 * last thread that arrives wakes the others; no thread sends WAKE. Mutexes send nothing:
 * which thread is first has no meaning there.
 */
enum ml_sync { ML_SYNC_WAIT, ML_SYNC_WOKEN, ML_SYNC_WAKE, ML_SYNC_LEAVE };

enum {
	ML_INHERIT_RECORDING = 1, /* the program has not stopped the recording */
	ML_INHERIT_MARKED = 2,    /* between --from-mark and --to-mark */
	ML_INHERIT_INSIDE = 4,    /* inside the function of --only-in */
};

/*
 * An allocation in more than one step: realloc, or an allocator that writes to the new
 * block. References between BEGIN and the thread's next ALLOC or BLOCK count for the new
 * block where they touch it. The block of the payload, whose contents the new one takes
 * over, lives until that ALLOC or BLOCK.
 */
enum ml_allocating {
	ML_ALLOCATING_FAILED, /* no new block; the old one lives on */
	ML_ALLOCATING_BEGIN,
	ML_ALLOCATING_FREED, /* no new block, and the old one is freed */
};

/*
 * Programs built by `memlamp cc` know no superblocks. Their producers write each
 * reference as a pair of words:
 *
 *   word 0  bit 63 clear, bits 48-62 enum ml_ref_kind << 4 | log2 of the size in bytes
 *           (never 0), bits 0-47 return address of the hook's call
 *   word 1  address of the reference
 *
 * Kinds ENTRY and RETURN are no references: a function was entered or is about to return,
 * and word 1 is the stack pointer of its caller.
 *
 * In the slot of a thread every message has an even number of words, header included: a
 * zero behind the payload, counted with it, fills up. So pairs stay aligned to 16 bytes
 * and never cross a stamp.
 */
enum ml_ref_kind {
	ML_REF_READ = 1,
	ML_REF_WRITE,
	ML_REF_MODIFY, /* a read, then a write */
	ML_REF_ENTRY,
	ML_REF_RETURN,
};
enum { ML_REF_SHIFT = 48 };

/* Text payload: zero-terminated bytes, padded with zeros to whole words. */

enum ml_lost {
	ML_LOST_FAULT =
		1, /* a signal cut a step short; its last references are missing */
};

enum ml_map_kind {
	ML_MAP_FILE,
	ML_MAP_ANON,
	ML_MAP_BRK,
	ML_MAP_STACK, /* the main thread's */
	ML_MAP_OTHER, /* vdso and the like */
};

#define ML_WORD(type, count, arg) \
	(1ull << 63 | (uint64_t)(type) << 56 | (uint64_t)(count) << 32 | (uint32_t)(arg))
#define ML_WORD_TYPE(w)  ((unsigned)((w) >> 56) & 0x7f)
#define ML_WORD_COUNT(w) ((unsigned)((w) >> 32) & 0xffffff)
#define ML_WORD_ARG(w)   ((uint32_t)(w))

enum { ML_BRIEF = 0x2000, ML_BRIEF_SHAPES = 0x8000 - ML_BRIEF, ML_BRIEF_SHIFT = 48 };
_Static_assert((int)ML_WORD_CODE < ML_BRIEF >> 8, "the last type is no brief step");
#define ML_WORD_BRIEF(shape) ((0x8000ull | (ML_BRIEF + (shape))) << ML_BRIEF_SHIFT)
/* The value of a base in a word: in a brief header or alone. */
#define ML_WORD_VALUE(w) ((w) & (((uint64_t)1 << ML_BRIEF_SHIFT) - 1))

static inline bool ml_word_is_brief(uint64_t w)
{
	return w >> ML_BRIEF_SHIFT >= (0x8000 | ML_BRIEF);
}

/* The header of a step without the value that a brief one contains. */
static inline uint64_t ml_word_head(uint64_t w)
{
	return ml_word_is_brief(w) ? w - ML_WORD_VALUE(w) : w;
}

/* The number of the shape in the header of a step. */
static inline uint32_t ml_word_shape(uint64_t w)
{
	uint32_t brief = (uint32_t)(w >> ML_BRIEF_SHIFT) - (0x8000 | ML_BRIEF);

	return ml_word_is_brief(w) ? brief : ML_WORD_ARG(w);
}

/*
 * A shape describes the references of one superblock (Valgrind's unit of code: one entry,
 * several exits): a list of slots (one reference each, in program order), the bases whose
 * values the producer writes when the superblock runs, its early exits, and the
 * superblock's effects on integer registers. The companion uses registers to predict
 * addresses, never to compute them.
 *
 * The number of base values in a step tells by which exit the superblock was left. Where
 * two exits have the same number of bases, the superblock has several shapes: the
 * producer overwrites the header of the step with the number of the next shape when it
 * passes the first of the two exits.
 *
 * Payload of ML_WORD_SHAPE:
 *
 *   word 0  address of the first instruction
 *   word 1  bits 0-15 slots, 16-31 bases, 32-47 exits, 48-63 effects
 *   word 2  bits 0-15 mask of registers with unknown new values, 16-23 how the
 *           superblock ends (enum ml_shape_end), 24 its steps are brief (its first base
 *           is written before any exit, and its number is below ML_BRIEF_SHAPES)
 *   bases    one word each: bits 0-7 register r (0xff none), 32-63 signed d: the value of
 *            the base was register r at entry + d
 *   slots    three words each: instruction address; offset; bits 0-15 size,
 *            16-17 kind (0 read, 1 write, 2 fetch), 18 "maybe", 19 a call instruction
 *            pushes its return address, 20 a streaming (non-temporal) store, 32-47 base
 *            (0xffff none). The address of the reference is offset + the value of the
 *            base, or offset alone without a base. A "maybe" slot has a base of its
 *            own; the value 0 means that the access did not happen.
 *   exits    one word each: bits 0-31 slots, 32-63 bases before the exit. Bases increase
 *            strictly from exit to exit and are fewer than the shape's, except that an
 *            exit may come before the first base.
 *   effects  one word each: bits 0-7 register r, 8-23 base b, 32-63 signed d:
 *            at the end register r holds the value of base b + d
 *
 * The value of a base is the address of the first slot that uses it (the offset of that
 * slot is 0), so it is an address that the program touches and its top bit is clear.
 * Registers are numbered as in the instruction set: rax 0, rcx 1, rdx 2, rbx 3, rsp 4,
 * rbp 5, rsi 6, rdi 7, r8 to r15.
 */
enum ml_shape_end {
	ML_END_JUMP,
	ML_END_CALL,
	ML_END_RETURN,
	ML_END_SYSCALL,
};

/*
 * The flow of control of a superblock, for the analysis. Superblocks without references
 * are declared too: they make no steps, but the code of others branches to them.
 *
 * Payload of ML_WORD_CODE:
 *
 *   word 0    address of the first instruction
 *   word 1    bits 0-15 slots of all its shapes, 16-31 branches, 32-47 how many shapes
 *             it has (0: it makes no references)
 *   branches  three words each: address of the instruction; address of its target, 0 if
 *             that is not known; bits 0-15 slots before it is left here, 16-47
 *             instructions so far, this one included, 48-55 length of the instruction,
 *             56-63 enum ml_branch
 *   slots     16 bits each: instructions before that of the slot; zeros fill the last word
 *
 * All branches but the last are either ML_BRANCH_IF, or a jump or call that Valgrind has
 * followed: the superblock goes on at the target. An instruction that repeats itself does
 * not branch.
 */
enum ml_branch {
	ML_BRANCH_FALL,   /* no branch: the superblock ends, the code goes on at target */
	ML_BRANCH_IF,     /* goes to the target or on */
	ML_BRANCH_JUMP,   /* target 0: indirect */
	ML_BRANCH_CALL,   /* the same */
	ML_BRANCH_RETURN, /* its target is not known */
};
