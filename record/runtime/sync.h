/*
 * Reports that a thread waits for others, goes on or wakes them (enum ml_sync).
 */
#pragma once

#include "record/ring.h"

void sync_tell(enum ml_sync kind, const volatile void *object);
