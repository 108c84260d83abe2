#include "lib/samples/row_ranges.h"

#include <stddef.h>

#include "lib/base/pool.h"

enum { PARTS_MAX = 64, PARTS_A_CPU = 2 };

struct part {
	void (*work)(void *arg, uint64_t first, uint64_t end);
	void *arg;
	uint64_t first, end;
};

static void run(void *arg)
{
	struct part *p = arg;

	p->work(p->arg, p->first, p->end);
}

void ml_row_ranges(uint64_t rows, void (*work)(void *arg, uint64_t first, uint64_t end),
		   void *arg)
{
	unsigned cpus = ml_cpus();
	uint64_t parts = PARTS_A_CPU * (uint64_t)cpus;
	struct part list[PARTS_MAX];
	struct ml_pool pool;
	size_t n = 0;

	if (cpus == 1 || rows < ML_ROWS_ALONE) {
		work(arg, 0, rows);
		return;
	}
	parts = parts < PARTS_MAX ? parts : PARTS_MAX;
	uint64_t each = (rows / parts + 64) / 64 * 64;
	ml_pool_init(&pool, cpus);
	for (uint64_t at = 0; at < rows; at += each) {
		list[n] = (struct part){ work, arg, at,
					 rows - at < each ? rows : at + each };
		ml_pool_submit(&pool, run, &list[n++]);
	}
	ml_pool_release(&pool);
}
