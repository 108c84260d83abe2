#include "record/import/perf_mapping.h"

#include <stdio.h>
#include <string.h>

/*
 * "prog 1 2.3: PERF_RECORD_MMAP2 1/1: [0x1000(0x2000) @ 0x1000 fd:01 9 0]: r-xp /bin/x".
 * Without MMAP2 the protection is one letter: x or -, or r for data.
 */
bool ml_perf_mapping_read(struct ml_perf_mapping *m, const char *at, const char *end)
{
	const char *bracket = memchr(at, '[', (size_t)(end - at));
	unsigned long long low, size, offset;
	char line[ML_PERF_MAPPING_PATH + 200], prot[8];

	if (!bracket || (size_t)(end - bracket) >= sizeof(line))
		return false;
	memcpy(line, bracket, (size_t)(end - bracket));
	line[end - bracket] = 0;
	const char *rest = strstr(line, "]: ");
	if (!rest || sscanf(line, "[0x%llx(0x%llx) @ %llx", &low, &size, &offset) != 3 ||
	    sscanf(rest, "]: %7s %1023[^\n]", prot, m->path) != 2 || m->path[0] != '/' ||
	    !strcmp(m->path, "//anon") || low + size < low)
		return false;
	m->low = low;
	m->high = low + size;
	m->offset = offset;
	m->prot = (uint8_t)(1 | (strchr(prot, 'w') ? 2 : 0) |
			    (strchr(prot, 'x') ? 4 : 0));
	return true;
}
