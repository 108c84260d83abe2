/* Any bytes through each importer: as a file, and as the map of columns. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "record/import/import.h"
#include "record/import/import_probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The first byte chooses the importer (a letter beyond them: only
 * detection). Sizes up to 16 MiB and repetitions are right but slow, so inputs are
 * short, and text and models, which repeat, have a target of their own.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = { "lackey", "din", "csv", "csv", NULL };
	struct ml_import_options o = { .output = "/dev/null", .fetch = true };
	struct ml_import_result result;
	struct ml_err err;
	char path[40], map[100] = "";

	if (size < 1 || size > 2048)
		return 0;
	unsigned choice = (unsigned)(*data - 'a') % 5;
	o.format = formats[choice];
	data++;
	size--;
	if (choice == 3) {
		const uint8_t *end = memchr(data, '\n', size);

		if (!end || end - data >= (ptrdiff_t)sizeof(map))
			return 0;
		memcpy(map, data, (size_t)(end - data));
		o.columns = map;
		size -= (size_t)(end + 1 - data);
		data = end + 1;
	}
	if (choice == 4) {
		/* only detection */
		struct ml_import_probe probe;
		char text[2048] = "";

		memcpy(text, data, size);
		ml_import_probe_text(&probe, "fuzz", text);
		for (size_t i = 0; ml_importers[i]; i++)
			ml_importers[i]->detect(&probe);
		ml_import_probe_close(&probe);
		return 0;
	}
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o.input = path;
	ml_import_run(&o, ml_importers, &result, NULL, &err);
	close(fd);
	return 0;
}
