/*
 * How the encoders of a recording share the machine with the recorded program: their
 * priorities, and how long the writer waits for the threads of lowest priority
 * (lib/trace/chunk/encode_queue.h has the mechanism). machine_idle.h says when the background
 * crew is of use.
 * Held by tests/record/test_record_pace.c.
 */
#pragma once

#include <stdbool.h>

#include "lib/trace/chunk/encode_queue.h"

/* may_hurry: the trace may grow where the program would otherwise wait for encoders. */
struct ml_encode_pace ml_record_pace(bool may_hurry);
