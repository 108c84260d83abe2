/* Any bytes as a sequence of symbols and as a triangle of distances, and their cycles. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/sequence_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void of_symbols(const char *text, size_t size, uint32_t width)
{
	struct ml_symbol_list l;
	struct ml_windows w;
	struct ml_cycles c;
	struct ml_err err;
	size_t from = 0;

	if (!ml_symbol_list_parse(&l, text, size, "fuzz", &err))
		return;
	ml_windows_init(&w, width);
	for (size_t i = 0; i <= l.break_count; i++) {
		size_t to = i < l.break_count ? l.breaks[i] : l.count;

		ml_windows_break(&w);
		ml_windows_add(&w, l.symbols + from, to - from);
		from = to;
	}
	struct ml_cycles_options o = { .coordinates = 3, .max_points = 60 };

	if (w.count && ml_cycles_init(&c, &w, l.names.count, &o, NULL, &err)) {
		double angle[8];

		for (size_t i = 0; i < c.found.count; i++)
			if (!c.found.at[i].refused)
				ml_cycles_angles(&c, &c.found.at[i], 0, 3, angle, 8);
		ml_cycles_release(&c);
	}
	ml_windows_release(&w);
	ml_symbol_list_release(&l);
}

static void of_triangle(const char *text, size_t size)
{
	struct ml_triangle t;
	struct ml_cycles c;
	struct ml_err err;

	if (!ml_triangle_parse(&t, text, size, "fuzz", &err))
		return;
	if (t.points < 40 &&
	    ml_cycles_of_distances(&c, t.values, t.points, INFINITY, NULL, NULL, &err))
		ml_cycles_release(&c);
	ml_triangle_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size > 4096)
		return 0;
	of_symbols((const char *)data + 1, size - 1, ML_WINDOW_MIN + data[0] % 16);
	of_triangle((const char *)data, size);
	return 0;
}
