#include "lib/flow/run/experiment.h"

#include <string.h>

#include "lib/base/pool.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/layout.h"
#include "lib/flow/run/print.h"

static bool given(const char *text)
{
	return text && *text;
}

static bool apply_layouts(struct ml_experiment *x, const struct ml_flow *f,
			  struct ml_flow_container *c, struct ml_err *err)
{
	char *at = given(x->layout) ? ml_arena_strdup(&x->arena, x->layout) : NULL;

	for (char *next; at; at = next) {
		next = strchr(at, ';');
		if (next)
			*next++ = 0;
		if (!ml_layout_apply(&x->arena, f, c, at, err))
			return false;
	}
	return true;
}

struct side_run {
	struct ml_experiment_side *side;
	bool machine, ok;
	struct ml_err err;
};

static void run_one(void *arg)
{
	struct side_run *r = arg;

	r->ok = r->machine ? ml_served_run(&r->side->served, &r->err)
			   : ml_locality_run(&r->side->locality, &r->err);
}

/* Values of symbols that the changed flow has more are not known. */
static void values_for(struct ml_experiment *x, struct ml_flow_walk *w,
		       const struct ml_flow *f, const int64_t *value, const bool *known)
{
	size_t n = w->flow->symbol_count;
	int64_t *v = ml_arena_alloc(&x->arena, (n + 1) * sizeof(*v));
	bool *k = ml_arena_alloc(&x->arena, (n + 1) * sizeof(*k));

	memcpy(v, value, f->symbol_count * sizeof(*v));
	memcpy(k, known, f->symbol_count * sizeof(*k));
	w->value = v;
	w->known = k;
}

/* Locality and machine walk on their own, so two processors share the work. */
static bool run_side(struct ml_experiment *x, struct ml_experiment_side *side,
		     struct ml_flow_walk walk, const struct ml_flow_walk *places,
		     struct ml_err *err)
{
	struct side_run run[2] = { { .side = side }, { .side = side, .machine = true } };
	struct ml_work silent = ml_work_silent(x->work);
	size_t first = x->only_machine ? 1 : 0, last = x->has_machine ? 1 : 0;

	side->locality.walk = side->served.walk = walk;
	ml_flow_walk_place_as(&side->locality.walk, places);
	ml_flow_walk_place_as(&side->served.walk, places);
	side->locality.threshold = x->threshold;
	side->served.walk.work = &silent;
	side->served.machine = x->simulated;
	side->served.causes = !x->no_causes;
	side->served.each = side->served.keep = x->keep;
	side->served.calls = x->calls;
	if (first == last) {
		run_one(&run[first]);
	} else {
		struct ml_pool pool;

		ml_pool_init(&pool, 1);
		ml_pool_submit(&pool, run_one, &run[1]);
		run_one(&run[0]);
		ml_pool_release(&pool);
	}
	side->served.walk.work = x->work;
	for (size_t i = first; i <= last; i++)
		if (!run[i].ok) {
			*err = run[i].err;
			return false;
		}
	return true;
}

/* Runs one side at the addresses that `places` gives. */
static bool run_as(struct ml_experiment *x, struct ml_experiment_side *side,
		   struct ml_flow_walk walk, struct ml_flow_walk places,
		   struct ml_err *err)
{
	bool ok = ml_flow_walk_place(&places, err) &&
		  run_side(x, side, walk, &places, err);

	ml_flow_walk_release(&places);
	return ok;
}

static bool prepare(struct ml_experiment *x, struct ml_err *err)
{
	x->has_machine = given(x->machine);
	if (x->has_machine && !ml_machine_parse(&x->simulated, x->machine, err))
		return false;
	if (!x->line)
		x->line = x->has_machine ? x->simulated.level[0].line : 64;
	if (x->line > 1 << 20)
		return ml_fail(err, ML_USAGE, "line must be 1 to 1048576 bytes");
	if (x->only_machine && !x->has_machine)
		return ml_fail(err, ML_USAGE, "there is no machine to simulate");
	return true;
}

bool ml_experiment_run(struct ml_experiment *x, const struct ml_flow *f,
		       struct ml_err *err)
{
	struct ml_flow_container *c = ml_layout_copy(&x->arena, f);
	bool moves = given(x->tile) || given(x->order);
	int64_t *value;
	bool *known;

	x->flow = f;
	x->changes = moves || given(x->layout);
	if (!prepare(x, err) || !apply_layouts(x, f, c, err) ||
	    !ml_flow_values(f, x->set, &x->arena, &value, &known, err))
		return false;
	if (moves) {
		if (!ml_transform_make(&x->transform, f, x->tile, x->order, 0, err))
			return false;
		x->flow = x->transform.flow;
	}
	struct ml_flow_walk walk = { .flow = f,
				     .container = f->container,
				     .value = value,
				     .known = known,
				     .line = x->line,
				     .max = x->max,
				     .root = x->root,
				     .work = x->work };
	if (x->changes && !x->only_changed && !run_as(x, &x->before, walk, walk, err))
		return false;
	/* addresses are those of the original's accesses */
	struct ml_flow_walk places = walk;
	walk.container = places.container = c;
	walk.flow = x->flow;
	walk.root = moves ? x->transform.now[x->root] : x->root;
	values_for(x, &walk, f, value, known);
	x->now.locality.keep = x->keep;
	bool ok = run_as(x, &x->now, walk, places, err);
	if (!ok || !moves || x->only_changed || x->no_legality)
		return ok;
	return ml_legality_check(&x->legality, f, x->tile, x->order, value, known,
				 x->work, &x->arena, err);
}

static void release_side(struct ml_experiment_side *s)
{
	ml_locality_release(&s->locality);
	ml_served_release(&s->served);
}

void ml_experiment_release(struct ml_experiment *x)
{
	release_side(&x->now);
	release_side(&x->before);
	ml_transform_release(&x->transform);
	ml_arena_release(&x->arena);
}
