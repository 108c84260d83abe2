/*
 * Model traces: the references of textbook access patterns, without those that a real
 * program makes besides. A model is one line of text or a small file:
 *
 *	steps     step { ; step }         a line end separates steps too; # comments
 *	step      repeat N ( steps )
 *	          sweep BASE COUNT ELEM            COUNT neighbouring elements, in order
 *	          stride BASE COUNT ELEM STRIDE    COUNT elements, STRIDE bytes apart
 *	          random BASE SIZE COUNT ELEM      COUNT elements drawn from SIZE bytes
 *	          chase BASE NODES NODESIZE COUNT  COUNT pointers of 8 bytes, through a
 *	                                           cycle of all nodes in random order
 *	          matmul N [ELEM]                  C += A * B, N by N, elements of 8 bytes
 *	          transpose N [ELEM]               B[j][i] = A[i][j]
 *
 * Sizes and addresses are bytes; decimal, 0x hexadecimal, and K, M, G for powers
 * of 1024. Options follow the numbers, in any order:
 *
 *	r w m        sweep, stride, random: read (the default), write, or read then write
 *	repeat N     sweep, stride, random, chase: the whole step N times
 *	seed N       random, chase: another sequence
 *	name X       of the region (sweep, stride, random, chase; A, B and C are fixed)
 *	order ijk    matmul: the loops from outside to inside, ijk ikj jik jki kij kji
 *	block B      matmul, transpose: all loops tiled by B
 *	register     matmul: the element that the inner loop does not change is kept in a
 *	             register
 *	pad P        matmul, transpose: rows are P elements longer
 *	base ADDR    matmul, transpose: of A (1M); each array starts on the next page
 *
 * matmul reads A[i][k], B[k][j] and C[i][j] and writes C[i][j] in each inner step.
 * With `register` the element that is constant in the inner loop is accessed once for
 * each inner loop: A or B is read before the loop; C (k innermost) is written after
 * it, and read just before that write when the loops are tiled.
 *
 * The model registers every array as a region with its dimensions. The same text gives
 * the same references on every machine; a repeated step repeats them exactly.
 * Held by tests/trace/test_model.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

struct ml_writer;

struct ml_model {
	const char *name; /* in messages, and the file name of sites */
	struct ml_model_step *steps;
	uint64_t refs;        /* number of references */
	uint64_t nodes;       /* of the largest chase; running it needs 4 bytes a node */
	struct ml_buf source; /* the text with one step a line, as the trace stores it */
	struct ml_arena arena;

	const struct ml_work *work; /* or NULL */
};

/* Parses the text. Messages have the form "name:line: reason 'word'". */
bool ml_model_init(struct ml_model *m, const char *name, const char *text, size_t size,
		   struct ml_err *err);
void ml_model_release(struct ml_model *m); /* also after init failed */

/* Does the text start like a model? */
bool ml_model_detect(const char *text, size_t size);

bool ml_model_run(struct ml_model *m, struct ml_writer *w, struct ml_err *err);
