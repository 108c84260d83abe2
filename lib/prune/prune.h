/*
 * Evaluates a search space: how many variants fail which constraints, and which variants
 * those are. Native code does it where it pays and a compiler is there, the interpreter
 * otherwise; both give the same answers.
 * Held by tests/prune/test_prune.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/prune/combos.h"
#include "lib/prune/interpret.h"
#include "lib/prune/native.h"
#include "lib/prune/space.h"

struct ml_work;

enum ml_prune_engine {
	ML_PRUNE_AUTO, /* native where the space is large */
	ML_PRUNE_INTERPRETER,
	ML_PRUNE_NATIVE /* fails where it cannot be compiled */
};

/* Any thread may use an open one; the space must stay. */
struct ml_prune {
	const struct ml_space *space;
	struct ml_native native;
	bool is_native;
	bool too_small;   /* auto: the interpreter is as fast as compiling */
	char reason[200]; /* auto: why it is not native although it should be; or "" */
	unsigned threads; /* 0: one for each processor */
};

bool ml_prune_open(struct ml_prune *p, const struct ml_space *s,
		   enum ml_prune_engine engine, const char *cc,
		   const struct ml_work *work, struct ml_err *err);
void ml_prune_close(struct ml_prune *p);

/* The combination table of all variants. */
bool ml_prune_count(const struct ml_prune *p, struct ml_combos *t,
		    const struct ml_work *work, struct ml_err *err);

/*
 * The variants whose mask agrees with want in the bits of care, in order; row gets one
 * value for each parameter and ends the walk by false.
 */
bool ml_prune_select(const struct ml_prune *p, uint32_t care, uint32_t want,
		     bool (*row)(void *arg, const int64_t *values), void *arg,
		     const struct ml_work *work, struct ml_err *err);
