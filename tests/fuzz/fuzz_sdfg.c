/* Any bytes as an .sdfg: read, counted, and simulated at small sizes. */
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/flow/count.h"
#include "lib/flow/flow.h"
#include "lib/flow/locality.h"
#include "lib/flow/open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_arena a = { 0 };
	struct ml_flow_counts counts;
	struct ml_err err;
	char *text = ml_arena_copy(&a, data, size);
	struct ml_flow *f = ml_flow_open_text("fuzz.sdfg", text, size, NULL, &err);

	if (f) {
		ml_flow_counts_make(&counts, f);
		int64_t *value = ml_arena_alloc(&a,
						(f->symbol_count + 1) * sizeof(*value));
		bool *known = ml_arena_alloc(&a, f->symbol_count + 1);
		for (size_t i = 0; i < f->symbol_count; i++) {
			value[i] = 3 + (int64_t)(i % 3);
			known[i] = true;
		}
		struct ml_locality l = { .walk = { .flow = f,
						   .container = f->container,
						   .value = value,
						   .known = known,
						   .line = 64,
						   .max = 20000 },
					 .threshold = 10 };
		ml_locality_run(&l, &err);
		ml_locality_release(&l);
		ml_flow_counts_release(&counts);
		ml_flow_close(f);
	}
	ml_arena_release(&a);
	return 0;
}
