/*
 * The graph of the recorded code: its blocks, and which block follows which. It is made of
 * all superblocks of a trace (lib/trace/control.h), which overlap: a block begins wherever
 * some code is entered and ends behind a branch or before another block.
 *
 * Where an indirect jump went is known from the steps that followed each other: its
 * edges are added by ml_code_graph_join.
 * Held by tests/analyse/test_loops.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

struct ml_trace;

#define ML_NO_CODE UINT32_MAX

enum ml_block_end {
	ML_BLOCK_GOES_ON, /* falls through or branches within the function */
	ML_BLOCK_JUMPS,   /* somewhere that is not known */
	ML_BLOCK_CALLS,
	ML_BLOCK_RETURNS
};

struct ml_code_block {
	uint64_t at;
	uint64_t branch;      /* address of the branch that ends it; 0: none */
	uint64_t target;      /* of a call or jump; 0: not known */
	uint32_t behind;      /* the block that a call returned to; ML_NO_CODE */
	uint32_t name;        /* of the function by its symbol; 0: not known */
	uint32_t site;        /* of its first instruction with one; 0: none */
	uint32_t branch_site; /* of that branch; 0: none */
	uint8_t end;          /* enum ml_block_end */
	bool silent;          /* it makes no references */
	bool called;          /* some call goes to it */
	bool landed; /* a jump out of another function went to it, though none calls it */
	bool returned; /* it ran behind a return, or behind a call that is not seen */
	bool entered;  /* a superblock begins with it */
	uint16_t next_count, next_cap;
	uint32_t *next; /* blocks that may follow it within a function */
};

/* A run of a superblock: which blocks it goes through. */
struct ml_code_visit {
	uint32_t block;
	uint16_t slots; /* of the superblock, up to the end of the block */
};

struct ml_code_run {
	uint32_t visits;
	const struct ml_code_visit *visit;
};

struct ml_code_graph {
	const struct ml_trace *trace;
	struct ml_code_block *block; /* by address */
	size_t blocks;
	struct ml_code_run *run; /* by superblock */
	struct ml_arena arena;
};

void ml_code_graph_open(struct ml_code_graph *g, const struct ml_trace *t);
void ml_code_graph_release(struct ml_code_graph *g);

/* The block that begins at an address; ML_NO_CODE: none. */
uint32_t ml_code_graph_at(const struct ml_code_graph *g, uint64_t at);
/* The blocks that a path of one superblock enters first and leaves last. */
uint32_t ml_code_graph_first(const struct ml_code_graph *g, uint32_t path);
uint32_t ml_code_graph_last(const struct ml_code_graph *g, uint32_t path);

/* The run of a path of one superblock, up to the visit of its last slot. */
struct ml_code_run ml_code_graph_run(const struct ml_code_graph *g, uint32_t path);

/*
 * Behind block `from` the block `to` ran, and no reference was made between them. Adds the
 * edge of an indirect jump that went there, if one did, unless it left the function.
 */
void ml_code_graph_join(struct ml_code_graph *g, uint32_t from, uint32_t to);
/* All is joined: calls that never returned lead nowhere. */
void ml_code_graph_settle(struct ml_code_graph *g);

/*
 * The blocks between `from` and `to` along which no reference is made, by the shortest
 * way: how many, and the blocks without both ends. -1: there is no such way. *leaves: some
 * way leads to a jump out of the function.
 */
enum { ML_CODE_SILENT = 64 };
int ml_code_graph_silent(const struct ml_code_graph *g, uint32_t from, uint32_t to,
			 uint32_t way[ML_CODE_SILENT], bool *leaves);
