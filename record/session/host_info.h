/*
 * Describes the recording machine in the metadata of a trace: host name, system,
 * processor, and its caches as the kernel lists them.
 */
#pragma once

struct ml_ring_reader;

void ml_host_info(struct ml_ring_reader *r);
