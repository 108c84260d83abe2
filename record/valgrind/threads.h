/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports threads and which of them runs. Valgrind reuses its thread numbers; ours count
 * from 1 in order of creation.
 */
#pragma once

#include "pub_tool_basics.h"

#include "record/ring.h"

void threads_init(void); /* once the core knows VG_N_THREADS */
void threads_track(void);
void threads_fork(ThreadId survivor); /* the only thread of a forked child */
UInt threads_alive(void);
/* Reports that a thread waits, goes on or wakes others. */
void threads_sync(ThreadId tid, enum ml_sync kind, Addr object);
void threads_name(ThreadId tid, const HChar *name);
