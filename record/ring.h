/*
 * How a recorded program hands its references to the companion process.
 *
 * `memlamp record` makes one shared memory file (a memfd, which guests open as
 * /proc/PID/fd/N): a control page, then SLOTS slots. A slot serves one
 * producer: a process under Valgrind, or a thread of a program built by
 * `memlamp cc`. A producer takes a free slot by changing its state from FREE to
 * CLAIMED, fills in who it is, sets OPEN, bumps control->bell and wakes it.
 *
 * A process whose threads have a slot each is one producer to the companion: it
 * puts their words in order by the clock (record/session/thread_merge.h).
 *
 * A slot is a ring of segments of 64-bit words. The producer writes words at
 * `cur`; when fewer than ML_RING_MARGIN words are left it publishes the
 * segment: used[head % SEGMENTS] = words, head++; then waits while
 * head - tail == SEGMENTS, in turns of ML_RING_WAIT_MS, asking each time
 * whether the companion still lives. Who sleeps says before for which head or
 * tail, and is woken when it is reached: calls to the system that wake nobody
 * would be most of them. `cur` lies in the shared header, so after
 * the producer's death, however sudden, the companion also reads the unfinished
 * segment up to `cur`, and nothing that was written is lost.
 *
 * This header is all that guests include: no libc, no other header of ours.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	ML_RING_VERSION = 4,
	ML_RING_SLOTS = 256,
	ML_RING_SEGMENTS = 32,
	ML_RING_SEGMENT_WORDS = 32 * 1024, /* 256 KiB: two segments fit an L2 cache */
	ML_RING_MARGIN = 4096, /* words that one step and its messages may need at most */
	ML_RING_BATCH = 4,     /* segments that the companion sleeps for */
	ML_RING_WAIT_MS = 100,
	ML_RING_STAMP_BYTES = 4096, /* of a segment, for which there is one stamp */
	ML_RING_SEGMENT_STAMPS = ML_RING_SEGMENT_WORDS * 8 / ML_RING_STAMP_BYTES,
};

#define ML_RING_MAGIC 0x31676e69726c6d00u /* "\0mlring1" */

/* Control page, at offset 0. */
struct ml_ring_control {
	uint64_t magic;
	uint32_t version;
	uint32_t companion; /* pid of `memlamp record` */
	uint32_t bell;      /* futex: bumped when a slot opens or closes */
	uint32_t stop;      /* 1: the companion wants no more from anyone */
	uint32_t options;   /* ML_RING_OPT_* */
	uint32_t pulse;    /* futex: bumped when the slot of a thread has a new segment */
	uint32_t sleepers; /* atomic: how many of the companion's wait for a pulse */
	uint32_t pad[7];
};

enum {
	ML_RING_OPT_FETCH = 1,   /* record instruction fetches too */
	ML_RING_OPT_NO_HEAP = 2, /* do not report allocations */
	ML_RING_OPT_CALLS = 4,   /* report entries of functions, and returns */
};

enum ml_ring_state {
	ML_RING_FREE,
	ML_RING_CLAIMED,
	ML_RING_OPEN,
	ML_RING_CLOSED, /* the producer is done; everything up to cur is valid */
};

/* Header of a slot, one page; the segments follow at the next page. */
struct ml_ring {
	uint32_t state; /* enum ml_ring_state; atomic */
	uint32_t pid, parent;
	uint32_t thread; /* whose slot it is, from 1; 0: of the whole process */
	uint64_t data; /* address of the first segment in the producer's address space */
	uint64_t cur;  /* address in the producer of the next word to be written */
	uint32_t stop; /* 1: set by the companion: write no more into this slot */
	uint32_t segments; /* how many of them the producer uses; 0: all */
	uint32_t taken;    /* the companion's: it has seen the slot of this thread */
	uint32_t pad0;
	uint64_t birth; /* the clock when the process got it; no other has the same. 0: of
			   a thread that is not the first */
	uint32_t pad3[2];
	uint32_t head;        /* futex, atomic: segments published */
	uint32_t tail_wanted; /* atomic: the producer may be asleep until tail is this */
	uint32_t pad1[14];
	uint32_t tail;        /* futex, atomic: segments consumed */
	uint32_t head_wanted; /* atomic: the companion may be asleep until head is this */
	uint32_t pad2[14];
	uint32_t used[ML_RING_SEGMENTS]; /* words of each published segment */
};

/*
 * Moves head or tail on to `to`. True: the other side is to be woken. It asked before it
 * looked for the last time, so either it saw this or this sees that it asked.
 */
static inline bool ml_ring_move(uint32_t *word, uint32_t to, const uint32_t *wanted)
{
	__atomic_store_n(word, to, __ATOMIC_SEQ_CST);
	return __atomic_load_n(wanted, __ATOMIC_SEQ_CST) == to;
}

/* Asks to be woken when the word is `to`; what it is now. */
static inline uint32_t ml_ring_want(uint32_t *wanted, uint32_t to, const uint32_t *word)
{
	__atomic_store_n(wanted, to, __ATOMIC_SEQ_CST);
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

enum {
	ML_RING_PAGE = 4096,
	ML_RING_DATA_BYTES = ML_RING_SEGMENTS * ML_RING_SEGMENT_WORDS * 8,
	ML_RING_STAMPS = ML_RING_SEGMENTS * ML_RING_SEGMENT_STAMPS,
	/* header, segments, then the stamps: the clock (of all threads the same) when
	 * the producer began to write each 4096 bytes of the segments. Only the slots
	 * of threads have them. */
	ML_RING_SLOT_BYTES = ML_RING_PAGE + ML_RING_DATA_BYTES + ML_RING_STAMPS * 8,
};
/* Where slot number i begins in the file. */
#define ML_RING_SLOT_OFFSET(i) (ML_RING_PAGE + (uint64_t)(i)*ML_RING_SLOT_BYTES)
#define ML_RING_FILE_BYTES     ML_RING_SLOT_OFFSET(ML_RING_SLOTS)

/* Slot number i of a ring file that is mapped as a whole at control. */
static inline struct ml_ring *ml_ring_slot(struct ml_ring_control *control, unsigned i)
{
	return (struct ml_ring *)(void *)((char *)control + ML_RING_SLOT_OFFSET(i));
}

/*
 * The words. An address that the program may touch has its top bit clear, so a
 * word with the top bit set is a header:
 *
 *   bit 63     1
 *   bits 56-62 type (enum ml_word)
 *   bits 32-55 number of payload words that follow (0 for STEP)
 *   bits 0-31  argument
 *
 * STEP: the shape `argument` ran. Its bases follow, in order, one word each,
 * and end at the next header: fewer words than the shape has bases mean that it
 * was left by an early exit (see ML_WORD_SHAPE). Everything else is a message with
 * a counted payload, whose words may have any bits.
 *
 * Most steps are told in brief: addresses have 47 bits, so there is room for the first
 * base beside the number of the shape.
 *
 *   bit 63     1
 *   bits 48-62 ML_BRIEF + number of the shape; as a type that is more than any
 *   bit 47     0, so that what is added to the value does not reach the number
 *   bits 0-46  value of the first base
 */
enum ml_word {
	ML_WORD_STEP = 1,
	ML_WORD_SHAPE,      /* a new shape, id in the argument; see below */
	ML_WORD_THREAD,     /* what follows is done by thread `argument` (from 1) */
	ML_WORD_THREAD_NEW, /* argument: thread; payload: parent, stack low, stack high */
	ML_WORD_THREAD_END, /* argument: thread */
	ML_WORD_THREAD_NAME, /* argument: thread; payload: text */
	ML_WORD_MAP,   /* argument: ML_MAP_* | prot << 8; payload: low, high, file offset,
			  text path */
	ML_WORD_UNMAP, /* payload: low, high */
	ML_WORD_STACK, /* a new call stack, id in the argument; payload: return addresses
			  minus one, innermost first */
	ML_WORD_ALLOC, /* argument: stack id; payload: address, size */
	ML_WORD_FREE,  /* payload: address */
	ML_WORD_MMAP, /* argument: stack id; payload: address, size: mapped by the program
			 itself, until UNMAP */
	ML_WORD_REGION,   /* argument: 0 registered, 1 a stack that is nobody's any more;
			     payload: address, bytes, element size, rows, cols, text name */
	ML_WORD_UNREGION, /* payload: address */
	ML_WORD_MARK,     /* argument: 0 point, 1 begin, 2 end; payload: text name */
	ML_WORD_STATE,    /* payload: value, text name */
	ML_WORD_RECORD,   /* argument: 1 start recording, 0 stop */
	ML_WORD_LOST,     /* argument: enum ml_lost; payload: count (0 is unknown) */
	ML_WORD_EXEC,  /* the process is about to be replaced by another program; argument
			  1: by one that is not recorded */
	ML_WORD_EXIT,  /* argument: exit status of the process */
	ML_WORD_STAMP, /* payload: the clock; what was told before happened before it,
			  what is told behind it after it */
	ML_WORD_BLOCK, /* argument: 0 allocated, 1 mapped by the program itself; payload:
			  address, size, return addresses minus one, innermost first,
			  perhaps a 0 behind them */
	ML_WORD_ABOUT, /* argument: 0 command, 1 folder it runs in; payload: text */
	ML_WORD_MAKE,  /* argument: enum ml_make; payload: with BEGIN a block, or 0 */
	ML_WORD_FORK,  /* argument 0: the thread goes to fork; 1: here begins the child,
			  behind what it tells of its mappings; payload: birth of the
			  parent's slot, clock */
	ML_WORD_KEEP,  /* of no guest: what the companion kept of the references of a
			  child's parent at the fork; argument: ML_KEEP_*; payload: stack
			  pointer of the caller of the function that it was inside */
};

enum {
	ML_KEEP_RECORDING = 1, /* not stopped by the program */
	ML_KEEP_MARKED = 2,    /* inside the marks that were asked for */
	ML_KEEP_INSIDE = 4,    /* inside the function that was asked for */
};

/*
 * A thread makes a block in more than one step. What it does to the block from BEGIN on
 * counts for it, and the block of the payload, whose contents it takes over, lives until
 * it is there: until the thread's next ALLOC or BLOCK.
 */
enum ml_make {
	ML_MAKE_FAILED, /* all is as it was before BEGIN */
	ML_MAKE_BEGIN,
	ML_MAKE_FREED, /* there is no new block, nor the old one any more */
};

/*
 * Programs built by `memlamp cc` know no superblocks. They tell each reference by a
 * pair of words:
 *
 *   word 0  bit 63 clear, bits 48-62 what it is (never 0), bits 0-47 the address behind
 *           the call that tells it
 *   word 1  address of the reference
 *
 * What it is: enum ml_ref_kind << 4 | log2 of the size in bytes. Kinds ENTRY and RETURN
 * are no references: a function was entered or is about to return, and word 1 is the
 * stack pointer of its caller.
 *
 * In the slot of a thread all messages have an even number of words in all (a zero
 * behind the payload is counted with it), so pairs stay aligned to 16 bytes.
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
_Static_assert((int)ML_WORD_KEEP < ML_BRIEF >> 8, "the last type is no brief step");
#define ML_WORD_BRIEF(shape) ((0x8000ull | (ML_BRIEF + (shape))) << ML_BRIEF_SHIFT)
/* The value of a base in a word, whether it has a header or not. */
#define ML_WORD_VALUE(w) ((w) & (((uint64_t)1 << ML_BRIEF_SHIFT) - 1))

static inline bool ml_word_is_brief(uint64_t w)
{
	return w >> ML_BRIEF_SHIFT >= (0x8000 | ML_BRIEF);
}

/* A header without the value that may be in it. */
static inline uint64_t ml_word_head(uint64_t w)
{
	return ml_word_is_brief(w) ? w - ML_WORD_VALUE(w) : w;
}

/* The shape that ran, of a step. */
static inline uint32_t ml_word_shape(uint64_t w)
{
	uint32_t brief = (uint32_t)(w >> ML_BRIEF_SHIFT) - (0x8000 | ML_BRIEF);

	return ml_word_is_brief(w) ? brief : ML_WORD_ARG(w);
}

/*
 * A shape is what one superblock does to memory: a list of slots (one
 * reference each, in program order), the bases whose values the producer
 * writes when it runs, the exits by which it may be left early, and what is
 * known of the integer registers afterwards (used to predict addresses, never
 * to compute them). A superblock that comes further without a new base is another
 * shape from there on, and its step gets another header: so it is always the
 * last one that tells how far it came. Payload of ML_WORD_SHAPE:
 *
 *   word 0  address of the first instruction
 *   word 1  bits 0-15 slots, 16-31 bases, 32-47 exits, 48-63 effects
 *   word 2  bits 0-15 registers changed in an unknown way (mask), 16-23 how the
 *           superblock ends (enum ml_shape_end), 24 its steps are told in brief (it
 *           has a base, which is told before it can be left, and its number is less
 *           than ML_BRIEF_SHAPES), 32-63 index + 1 of the slot that pushes the return
 *           address of the last call instruction, 0 if there is no call
 *   bases    one word each: bits 0-7 register r (0xff none), 32-63 signed d: the
 *            base's value was register r at entry + d
 *   slots    three words each: instruction address; offset; bits 0-15 size,
 *            16-17 kind (0 read, 1 write, 2 fetch), 18 "maybe", 32-47 base (0xffff
 *            none). The address of the reference is offset + the base's value, or
 *            offset alone without a base. A "maybe" slot has a base of its own
 *            whose value 0 says that the access did not happen.
 *   exits    one word each: bits 0-31 slots, 32-63 bases done when it is left
 *            there. Bases increase strictly from exit to exit and are fewer than
 *            the shape's, except that an exit may come before the first base.
 *   effects  one word each: bits 0-7 register r, 8-23 base b, 32-63 signed d:
 *            at the end register r holds the value of base b + d
 *
 * The value of a base is the address of the first slot that uses it (that
 * slot's offset is 0), so it is an address the program touches and its top bit
 * is clear. Registers are numbered as in the instruction set: rax 0, rcx 1,
 * rdx 2, rbx 3, rsp 4, rbp 5, rsi 6, rdi 7, r8 to r15.
 */
enum ml_shape_end {
	ML_END_JUMP,
	ML_END_CALL,
	ML_END_RETURN,
	ML_END_SYSCALL,
};
