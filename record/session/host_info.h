/*
 * The machine that a recording is made on, for the trace's own account of
 * itself: host name, system, processor, and its caches as the kernel lists them.
 */
#pragma once

struct ml_ring_reader;

void ml_host_info(struct ml_ring_reader *d);
