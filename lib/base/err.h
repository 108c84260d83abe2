/*
 * What a failed call says. The world being wrong is the only thing reported
 * here: a function that can fail for such a reason returns bool and takes a
 * struct ml_err last; on false the struct holds a kind and a sentence naming
 * the file, the place and the value.
 */
#pragma once

#include <stdbool.h>

enum ml_err_kind {
	ML_OK,
	ML_USAGE,  /* the caller asked for something that makes no sense */
	ML_FORMAT, /* the bytes are not what they should be */
	ML_IO,     /* the system refused */
	ML_STOPPED /* the user asked to stop (Ctrl-C) */
};

struct ml_err {
	enum ml_err_kind kind;
	char text[1000];
};

/* Formats the sentence and returns false, so that callers can return it. */
bool ml_fail(struct ml_err *err, enum ml_err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the reason of errno behind it; the kind is ML_IO. */
bool ml_fail_errno(struct ml_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A flag by which work is told to stop, by a signal handler or another thread; NULL is
 * one that nobody sets.
 */
static inline bool ml_stopped(const volatile bool *stop)
{
	return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static inline void ml_stop(volatile bool *stop)
{
	__atomic_store_n(stop, true, __ATOMIC_RELAXED);
}
