/*
 * Any bytes as a search space: a description or the paper's table. What is accepted and
 * small is evaluated, written as C, and its table of combinations is read back.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/prune/variant_list.h"
#include "lib/prune/native_code.h"
#include "lib/prune/prune.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const struct ml_combos *t)
{
	struct ml_buf text = { 0 };
	struct ml_combos again;
	struct ml_err err;

	ml_combos_csv(t, &text);
	if (!ml_combos_parse(&again, "f", (const char *)text.data, text.size, &err) ||
	    again.total != t->total || again.count != t->count)
		abort();
	if (t->constraint_count < 9 &&
	    __builtin_popcount(ml_combos_smallest(t)) > (int)t->constraint_count)
		abort();
	ml_combos_release(&again);
	ml_buf_release(&text);
}

static void evaluate(const struct ml_space *s)
{
	struct ml_interpreter i;
	struct ml_prune p;
	struct ml_combos t;
	struct ml_err err;
	double all = 1;

	ml_interpreter_init(&i, s);
	ml_interpreter_estimate(&i);
	ml_interpreter_release(&i);
	for (size_t k = 0; k < s->param_count; k++)
		all *= (double)s->params[k].trips;
	if (all > 20000 || s->constraint_count > 8 ||
	    !ml_prune_open(&p, s, ML_PRUNE_INTERPRETER, NULL, NULL, &err))
		return;
	p.threads = 1;
	if (ml_prune_count(&p, &t, NULL, &err)) {
		struct ml_arena a = { 0 };
		struct ml_variant_list l;
		double *distances;

		read_back(&t);
		if (!ml_variant_list_nearest(&l, &distances, &p, &t, 3, &a, NULL, &err))
			abort();
		ml_arena_release(&a);
		ml_combos_release(&t);
	}
	ml_prune_close(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_space s;
	struct ml_combos t;
	struct ml_err err;
	char *copy = malloc(size + 1);

	/* a heap copy, so that the sanitizer sees a byte too far */
	memcpy(copy, data, size);
	if (ml_space_parse(&s, "f", copy, size, &err)) {
		struct ml_buf code = { 0 };

		ml_native_code(&s, &code);
		ml_buf_release(&code);
		evaluate(&s);
		ml_space_release(&s);
	} else if (!*err.text)
		abort();
	if (ml_combos_parse(&t, "f", copy, size, &err)) {
		read_back(&t);
		ml_combos_release(&t);
	}
	free(copy);
	return 0;
}
