/*
 * The machine that a recording is made on, for the trace's own account of
 * itself: host name, system, processor, and its caches as the kernel lists them.
 */
#pragma once

struct ml_drain;

void ml_machine_meta(struct ml_drain *d);
