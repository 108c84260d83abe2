/* Any bytes as an .sdfg. */
#include "tests/fuzz/fuzz_flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_flow("fuzz.sdfg", data, size);
	return 0;
}
