/*
 * Errors caused by files, input or options. A function that may fail for such a reason
 * returns bool and takes a struct ml_err as its last parameter. When it returns false,
 * the struct holds a kind, and a sentence that names the file, the place and the value.
 * Held by tests/base/test_err.c.
 */
#pragma once

#include <stdbool.h>

enum ml_err_kind {
	ML_OK,
	ML_USAGE,  /* the user asked for something impossible */
	ML_FORMAT, /* a file or text is malformed */
	ML_IO,     /* a system call failed */
	ML_STOPPED /* the user asked to stop (Ctrl-C) */
};

struct ml_err {
	enum ml_err_kind kind;
	char text[1000];
};

/* Formats the sentence. Returns false, so that callers can return its result. A sentence
 * that is too long ends in dots. */
bool ml_fail(struct ml_err *err, enum ml_err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with kind ML_IO, and with ": " and the text of errno appended. */
bool ml_fail_errno(struct ml_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A flag that a signal handler or another thread sets to stop long work. NULL: the work
 * cannot be stopped.
 */
static inline bool ml_stopped(const volatile bool *stop)
{
	return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static inline void ml_stop(volatile bool *stop)
{
	__atomic_store_n(stop, true, __ATOMIC_RELAXED);
}
