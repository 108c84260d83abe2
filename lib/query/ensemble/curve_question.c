#include "lib/query/ensemble/curve_question.h"

#include <stdlib.h>

#include "lib/query/ensemble/curve_words.h"
#include "lib/query/ensemble/open_ensemble.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"

enum { CELLS_MAX = 65536 };

bool ml_curve_question_real(const struct ml_request *q, const char *key, double otherwise,
			    double *v, struct ml_err *err)
{
	const char *text = ml_request_text(q, key);

	*v = otherwise;
	return !text || ml_curve_words_number(text, key, v, err);
}

static bool read_matching(struct ml_curve_question *x, const struct ml_request *q,
			  struct ml_answer *a, struct ml_err *err)
{
	const char *time = ml_request_text(q, "time"),
		   *match = ml_request_text(q, "match");
	const char *const *const *pairs = NULL;
	enum ml_time_match_how how = ML_TIME_MATCH_RAW;
	uint64_t base;
	size_t count = 0;

	if ((time && !ml_curve_words_time(time, &how, err)) ||
	    (match && *match &&
	     !ml_curve_words_pairs(match, &x->x->e, &pairs, &count, &a->arena, err)) ||
	    !ml_request_u64(q, "base", 0, &base, err))
		return false;
	if (base >= x->x->e.trace_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no trace %llu",
			       (unsigned long long)base);
	return ml_time_match(&x->matching, &x->x->e, how, pairs, count, (uint32_t)base,
			     &a->arena, err);
}

static bool read_measure(struct ml_curve_question *x, const struct ml_request *q,
			 struct ml_err *err)
{
	const char *measure = ml_request_text(q, "measure"),
		   *weights = ml_request_text(q, "weights");
	uint64_t level, volume, against;

	x->o = (struct ml_curve_options){ .matching = &x->matching };
	if ((measure && !ml_curve_words_measure(measure, &x->o.measure, err)) ||
	    (weights && *weights &&
	     !ml_curve_words_weights(weights, &x->x->e, &x->o, err)) ||
	    !ml_request_u64(q, "level", 1, &level, err) ||
	    !ml_request_u64(q, "volume", 0, &volume, err) ||
	    !ml_request_u64(q, "against", UINT64_MAX, &against, err) ||
	    !ml_curve_question_real(q, "window", 0, &x->o.window, err))
		return false;
	if (level < 1 || level >= ML_SERVED)
		return ml_fail(err, ML_USAGE, "there is no level %llu",
			       (unsigned long long)level);
	if (against != UINT64_MAX && against >= x->x->e.member_count)
		return ml_fail(err, ML_USAGE, "the ensemble has no member %llu",
			       (unsigned long long)against);
	x->o.level = (unsigned)level;
	x->o.volume = volume != 0;
	x->o.against = against == UINT64_MAX ? SIZE_MAX : (size_t)against;
	return true;
}

/* "0,3,5"; all where they are not given. */
static bool read_members(struct ml_curve_question *x, const struct ml_request *q,
			 struct ml_answer *a, struct ml_err *err)
{
	const char *text = ml_request_text(q, "members");
	size_t all = x->x->e.member_count;

	x->members = ml_arena_alloc(&a->arena, (all + 1) * sizeof(*x->members));
	if (!text) {
		for (; x->count < all; x->count++)
			x->members[x->count] = (uint32_t)x->count;
		return true;
	}
	bool *among = ml_arena_alloc(&a->arena, all + 1);
	while (*text) {
		char *end;
		unsigned long long v = strtoull(text, &end, 10);

		if (end == text || *text == '-' || *text == '+' ||
		    (*end && *end != ',') || v >= all)
			return ml_fail(
				err, ML_USAGE,
				"members=...%s: there is no such member; they are 0 "
				"to %zu",
				text, all ? all - 1 : 0);
		if (!among[v])
			x->members[x->count++] = (uint32_t)v;
		among[v] = true;
		text = *end ? end + 1 : end;
	}
	return true;
}

static bool read_window(struct ml_curve_question *x, const struct ml_request *q,
			struct ml_err *err)
{
	uint64_t cells;

	x->end = ml_time_match_end(&x->matching);
	if (!ml_curve_question_real(q, "from", 0, &x->from, err) ||
	    !ml_curve_question_real(q, "to", x->end, &x->to, err) ||
	    !ml_request_u64(q, "cells", 0, &cells, err))
		return false;
	if (x->from > x->to)
		return ml_fail(err, ML_USAGE, "from=%g lies behind to=%g", x->from,
			       x->to);
	if (ml_request_text(q, "cells") && (cells < 2 || cells > CELLS_MAX))
		return ml_fail(err, ML_USAGE, "cells=%llu is not 2 to %d",
			       (unsigned long long)cells, CELLS_MAX);
	x->to = x->to < x->end ? x->to : x->end;
	x->from = x->from < x->to ? x->from : x->to;
	x->cells = (size_t)cells;
	return true;
}

bool ml_curve_question_read(struct ml_curve_question *x, struct ml_workspace *ws,
			    const struct ml_request *q, struct ml_answer *a,
			    struct ml_err *err)
{
	*x = (struct ml_curve_question){ .x = ml_open_ensemble(ws, q->number[0], err) };
	return x->x && read_matching(x, q, a, err) && read_measure(x, q, err) &&
	       read_members(x, q, a, err) && read_window(x, q, err);
}
