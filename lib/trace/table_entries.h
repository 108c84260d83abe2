/*
 * The entries of the tables of a trace: the places of instructions in the source, the
 * regions of memory, threads, mappings, marks, state variables, gaps. tables.h has the
 * lists of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ML_FOREVER UINT64_MAX

/* A place in the source. Inlined code has several, innermost first. */
struct ml_frame {
	uint32_t func, file; /* names; file is a path */
	uint32_t line;       /* 0 is unknown */
};

struct ml_site {
	uint64_t ip;            /* instruction address in the recorded process */
	uint32_t object;        /* name: path of the program or library, or empty */
	uint32_t frame, frames; /* index of the innermost frame; number of frames */
	bool user;              /* in the user's own code, not in a system library */
	uint8_t accessors; /* of the frames, the innermost ones that only fetch or store
			      for the frame behind them; less than frames */
	bool streaming;    /* its stores are known to be streaming (non-temporal) */
};

enum ml_region_kind {
	ML_REGION_OTHER,      /* of no known kind: region 0 */
	ML_REGION_GLOBAL,     /* a variable of static storage */
	ML_REGION_HEAP,       /* the blocks that one call stack allocated */
	ML_REGION_STACK,      /* thread x function; region_lookup.h makes these */
	ML_REGION_REGISTERED, /* named by the program or by a registration file */
	ML_REGION_MMAP, /* memory that one call stack mapped, or an anonymous mapping */
	ML_REGION_SECTION, /* data of a program or library that no symbol names */
	ML_REGION_CODE,    /* machine code, and constants between functions */
	ML_REGION_KINDS
};

const char *ml_region_kind_name(enum ml_region_kind kind); /* "heap" */

struct ml_field {
	uint32_t name, type;   /* names */
	uint64_t offset, size; /* bytes */
};

enum { ML_DIMS = 4 };

struct ml_region {
	enum ml_region_kind kind;
	uint32_t name;         /* for people: A, grid, "parse:112" */
	uint32_t type;         /* name of the element type, "double", or empty */
	uint32_t object;       /* name: its program or library, or empty */
	uint32_t file, line;   /* of the declaration or allocation; file is a name */
	uint32_t func;         /* name: the function that allocates or owns it */
	uint64_t elem;         /* bytes of an element; 0 is unknown */
	uint32_t dims;         /* 0: no shape known, one dimension */
	uint64_t dim[ML_DIMS]; /* elements, slowest first: double A[10][20] is 10, 20 */
	/* An array of Fortran: its first index is the last of dim, and low has the lower
	 * bounds, in the order of dim. Without dims the shape is not known. */
	bool column_major;
	int64_t low[ML_DIMS];
	/* Fields of one element: first index into fields, number; ordered by offset. */
	uint32_t field, fields;
	/* Call stack of the allocation: first index into stacks, number of sites;
	 * innermost first. */
	uint32_t stack, depth;
	uint16_t thread; /* of a stack region: its thread */
};

/*
 * A block of memory that is an instance of a region from time `from` until `until`. A
 * global variable has one block, which lives forever. Where a registered block overlaps
 * a heap block, the registered block counts.
 */
struct ml_block {
	uint64_t addr, size;
	uint64_t from, until; /* time; until is ML_FOREVER while it lives */
	uint32_t region;
	uint16_t thread; /* the thread that allocated it */
	bool over;       /* registered: hides the blocks that it overlaps */
};

struct ml_thread {
	uint16_t id, parent;
	uint32_t name;
	uint64_t from, until;           /* time */
	uint64_t stack_low, stack_high; /* addresses; 0, 0 unknown */
};

enum ml_mapping_kind {
	ML_MAPPING_FILE,
	ML_MAPPING_ANON,
	ML_MAPPING_HEAP,  /* brk */
	ML_MAPPING_STACK, /* the main thread's */
	ML_MAPPING_OTHER,
	ML_MAPPING_NONE, /* the range was unmapped */
};

struct ml_mapping {
	uint64_t time, low, high, offset; /* offset into the file */
	uint32_t path;                    /* name */
	enum ml_mapping_kind kind;
	uint8_t prot; /* 1 read, 2 write, 4 execute */
};

enum ml_mark_kind { ML_MARK_POINT, ML_MARK_BEGIN, ML_MARK_END };

struct ml_mark {
	uint64_t time;
	uint32_t name;
	enum ml_mark_kind kind;
	uint16_t thread;
};

struct ml_state {
	uint64_t time;
	int64_t value;
	uint32_t name;
	uint16_t thread;
};

enum ml_gap_reason {
	ML_GAP_SKIPPED,  /* --skip, --from-mark, --only-in, --no-stack, memlamp_stop */
	ML_GAP_SAMPLING, /* --every */
	ML_GAP_FAULT,    /* a signal interrupted a step */
	ML_GAP_LOST,     /* a buffer overflowed or the recorder failed */
	ML_GAP_LIMIT,    /* --limit: the trace ends, the program continued */
};

/* References that are missing just before `time`. */
struct ml_gap {
	uint64_t time, count; /* count 0 is unknown */
	enum ml_gap_reason reason;
};

/*
 * One thread waited for another: the references of `thread` from `time` on come behind
 * those that thread `of` made before `until`, in whatever order threads are simulated.
 */
struct ml_wait {
	uint64_t time, until; /* until is at most time */
	uint16_t thread, of;
};

/* key = value: command, cwd, back end, machine, exit status... (format.md lists them) */
struct ml_meta {
	uint32_t key, value;
};
