/* Any bytes as a machine; what is accepted prints and parses back to the same text. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/machine/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_buf text = { 0 }, first = { 0 }, second = { 0 };
	struct ml_machine m;
	struct ml_err err;

	/* The host is not foreign text, and asking hwloc takes milliseconds. */
	if (size > 1000 || (size > 3 && memmem(data, size, "ost", 3)))
		return 0;
	ml_buf_put(&text, data, size);
	ml_buf_u8(&text, 0);
	if (ml_machine_parse(&m, (const char *)text.data, &err)) {
		ml_machine_print(&m, &first);
		ml_buf_u8(&first, 0);
		if (!ml_machine_parse(&m, (const char *)first.data, &err))
			abort();
		ml_machine_print(&m, &second);
		ml_buf_u8(&second, 0);
		if (strcmp((const char *)first.data, (const char *)second.data))
			abort();
	}
	ml_buf_release(&text);
	ml_buf_release(&first);
	ml_buf_release(&second);
	return 0;
}
