/*
 * A system call that does not touch errno and that no library can interpose.
 */
#pragma once

long raw_syscall(long number, long a, long b, long c, long d, long e, long f);
