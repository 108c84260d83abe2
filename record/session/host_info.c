#include "record/session/host_info.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/file.h"
#include "record/reader/ring_reader.h"

/* Reads the first line of a small file; false if there is none. */
static bool first_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(text, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		text[strcspn(text, "\n")] = 0;
	return ok;
}

static void processor(struct ml_ring_reader *r)
{
	struct ml_arena a = { 0 };
	struct ml_err err;
	char *text;
	size_t size;

	if (ml_file_read("/proc/cpuinfo", 1 << 20, &a, &text, &size, &err)) {
		char *name = strstr(text, "model name");

		name = name ? strchr(name, ':') : NULL;
		if (name) {
			name += 2;
			name[strcspn(name, "\n")] = 0;
			ml_ring_reader_meta(r, "processor", name);
		}
	}
	ml_arena_release(&a);
}

/* "L1 Data 32K 8w 64B; L2 Unified 1024K 8w 64B": the caches of cpu0. */
static void caches(struct ml_ring_reader *r)
{
	char all[400] = "", path[100], level[16], type[16], size[16], ways[16], line[16];
	size_t n = 0;
	static const char base[] = "/sys/devices/system/cpu/cpu0/cache/index";

	for (int i = 0; i < 8; i++) {
		const char *names[] = { "level", "type", "size", "ways_of_associativity",
					"coherency_line_size" };
		char *values[] = { level, type, size, ways, line };
		bool ok = true;

		for (int k = 0; ok && k < 5; k++) {
			snprintf(path, sizeof(path), "%s%d/%s", base, i, names[k]);
			ok = first_line(path, values[k], 16);
		}
		if (!ok)
			break;
		int more = snprintf(all + n, sizeof(all) - n, "%sL%s %s %s %sw %sB",
				    n ? "; " : "", level, type, size, ways, line);
		if (more < 0 || (size_t)more >= sizeof(all) - n)
			break;
		n += (size_t)more;
	}
	if (n)
		ml_ring_reader_meta(r, "caches", all);
}

void ml_host_info(struct ml_ring_reader *r)
{
	struct utsname u;
	char text[300];

	if (!uname(&u)) {
		ml_ring_reader_meta(r, "host", u.nodename);
		snprintf(text, sizeof(text), "%s %s %s", u.sysname, u.release, u.machine);
		ml_ring_reader_meta(r, "system", text);
	}
	processor(r);
	caches(r);
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	ml_ring_reader_meta(r, "cpus", text);
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_PAGESIZE));
	ml_ring_reader_meta(r, "page size", text);
}
