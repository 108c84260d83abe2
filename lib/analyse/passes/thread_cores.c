#include "lib/analyse/passes/thread_cores.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/trace/tables.h"

/* Notes the threads of a list of the writer: "1-4 7". */
static void note_listed(bool *listed, const char *list)
{
	for (char *end; *list; list = end) {
		uint64_t from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return; /* no list of the writer */
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < ML_THREAD_NUMBERS; from++)
			listed[from] = true;
	}
}

void ml_thread_cores_init(struct ml_thread_cores *c, uint16_t *core, uint32_t cores,
			  const struct ml_tables *t)
{
	struct ml_arena a = { 0 };
	bool *listed = ml_arena_alloc(&a, ML_THREAD_NUMBERS * sizeof(*listed));

	*c = (struct ml_thread_cores){ core, cores, 0 };
	for (size_t i = 0; i < t->threads.count; i++)
		listed[t->threads.at[i].id] = true;
	const char *list = ml_tables_meta_find(t, "threads");
	if (list)
		note_listed(listed, list);
	for (uint32_t i = 0; i < ML_THREAD_NUMBERS; i++)
		if (listed[i])
			ml_thread_cores_find(c, (uint16_t)i);
	ml_arena_release(&a);
}

size_t ml_thread_count(const struct ml_tables *t)
{
	const char *told = ml_tables_meta_find(t, "thread count");
	size_t count = 0;

	if (told)
		return strtoul(told, NULL, 10);

	for (size_t i = 0; i < t->threads.count; i++) {
		size_t k = 0;

		while (t->threads.at[k].id != t->threads.at[i].id)
			k++;
		count += k == i;
	}
	return count;
}
