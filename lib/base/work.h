/*
 * Long work, seen from the caller that waits for its end: the caller can withdraw the
 * request, and hears how far the work is. A function that may run for long takes a
 * `const struct ml_work *`; NULL, and zero bytes, mean that the caller waits for ever
 * and does not look.
 *
 *	for (each batch) {
 *		if (!ml_work_goes_on(work, err))
 *			return false;
 *		...
 *		ml_work_progress(work, "simulating", done, total);
 *	}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_work {
	bool (*cancelled)(void *arg); /* any thread may call it; NULL: never */
	/* What is being done, and how much of it; total 0 is not known. One thread at a
	 * time calls it. NULL: nobody looks. */
	void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
	void *arg; /* of both */
};

static inline bool ml_work_cancelled(const struct ml_work *w)
{
	return w && w->cancelled && w->cancelled(w->arg);
}

/* False, with a sentence of kind ML_STOPPED, once the work is cancelled. */
static inline bool ml_work_goes_on(const struct ml_work *w, struct ml_err *err)
{
	return !ml_work_cancelled(w) || ml_fail(err, ML_STOPPED, "stopped");
}

/* The same work without its progress, for a part of it that does not count alone. */
static inline struct ml_work ml_work_silent(const struct ml_work *w)
{
	return w ? (struct ml_work){ .cancelled = w->cancelled, .arg = w->arg }
		 : (struct ml_work){ 0 };
}

static inline void ml_work_progress(const struct ml_work *w, const char *what,
				    uint64_t done, uint64_t total)
{
	if (w && w->progress)
		w->progress(w->arg, what, done, total);
}
