#include "lib/prune/search.h"

#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/path.h"

bool ml_search_is(const char *path)
{
	return ml_combos_is(path) || ml_space_is(path);
}

static bool open_combos(struct ml_search *s, const char *path, struct ml_err *err)
{
	const char *name = ml_path_name(path), *dot = strrchr(name, '.');

	if (!ml_combos_open(&s->combos, path, err))
		return false;
	s->name = ml_arena_copy(&s->arena, name,
				dot && dot > name ? (size_t)(dot - name) : strlen(name));
	return true;
}

bool ml_search_open(struct ml_search *s, const char *path, struct ml_err *err)
{
	*s = (struct ml_search){ 0 };
	if (ml_combos_is(path))
		return open_combos(s, path, err);
	if (!ml_space_open(&s->space, path, err))
		return false;
	s->described = true;
	s->name = s->space.name;
	return true;
}

bool ml_search_evaluate(struct ml_search *s, enum ml_prune_engine engine, const char *cc,
			unsigned threads, const struct ml_work *work, struct ml_err *err)
{
	if (!s->described)
		return true;
	uint64_t start = ml_now();
	if (!ml_prune_open(&s->prune, &s->space, engine, cc, work, err))
		return false;
	s->prune.threads = threads;
	uint64_t compiled = ml_now();
	if (!ml_prune_count(&s->prune, &s->combos, work, err))
		return false;
	s->seconds[0] = (double)(compiled - start) / (double)ML_SECOND;
	s->seconds[1] = (double)(ml_now() - compiled) / (double)ML_SECOND;
	return true;
}

void ml_search_close(struct ml_search *s)
{
	ml_prune_close(&s->prune);
	ml_combos_release(&s->combos);
	if (s->described)
		ml_space_release(&s->space);
	ml_arena_release(&s->arena);
	*s = (struct ml_search){ 0 };
}

bool ml_search_described(const struct ml_search *s, struct ml_err *err)
{
	return s->described ||
	       ml_fail(err, ML_USAGE,
		       "%s is a table of combinations: it says how many variants fail "
		       "what, not which they are; a description of the space does",
		       s->name);
}
