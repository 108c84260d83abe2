/* Any bytes as a line of mappings of perf script. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/import/perf_mapping.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_perf_mapping m;
	const char *at = (const char *)data;

	if (ml_perf_mapping_read(&m, at, at + size) &&
	    (m.low > m.high || m.path[0] != '/' || !memchr(m.path, 0, sizeof(m.path))))
		abort();
	return 0;
}
