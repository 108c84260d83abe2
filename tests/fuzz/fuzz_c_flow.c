/* Any text as a C file. Inputs are short: libclang takes a millisecond for each. */
#include "tests/fuzz/fuzz_flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= 4096)
		fuzz_flow("fuzz.c", data, size);
	return 0;
}
