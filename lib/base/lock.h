/*
 * A lock on a path, held by one process of this user at a time. Two recordings that write
 * the same file, or two ensembles that read, add to and replace the same file, would lose
 * what the other one wrote. The lock is the name of an abstract socket: it leaves no file
 * behind and ends with its process, however that ends.
 */
#pragma once

#include <stdbool.h>

struct ml_err;

struct ml_lock {
	int fd; /* -1: not locked */
};

/* False: another process holds the lock. Where locking is not possible, it does nothing,
 * nor for pipes and devices, which several may write. */
bool ml_lock_take(struct ml_lock *l, const char *path, struct ml_err *err);
void ml_lock_release(struct ml_lock *l);
