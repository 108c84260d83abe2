#include "record/reader/filter.h"

#include <string.h>

void ml_filter_init(struct ml_filter *f, const struct ml_record_options *options)
{
	*f = (struct ml_filter){ .options = options, .recording = true };
	f->marked = !options->from_mark;
	f->all = !options->skip && !options->limit && !options->of && !options->only_in &&
		 !options->from_mark && !options->to_mark && !options->no_stack &&
		 !options->no_spin;
}

void ml_filter_record(struct ml_filter *f, bool on)
{
	f->recording = on;
	f->all = false; /* gaps are possible from now on */
}

void ml_filter_mark(struct ml_filter *f, const char *name, enum ml_mark_kind kind)
{
	const struct ml_record_options *o = f->options;

	if (o->to_mark && f->marked && kind != ML_MARK_BEGIN &&
	    !strcmp(name, o->to_mark)) {
		f->marked = false;
		f->full = true;
	} else if (o->from_mark && kind != ML_MARK_END && !f->full &&
		   !strcmp(name, o->from_mark)) {
		f->marked = true;
	}
}

bool ml_filter_is_active(const struct ml_filter *f, bool inside)
{
	return f->recording && f->marked && !f->full && (inside || !f->options->only_in);
}

void ml_filter_skip(struct ml_filter *f, uint64_t count, enum ml_gap_reason reason)
{
	f->gap += count;
	f->reason = reason;
}

/* For how many references the decision stays the same, and which one it is. */
static uint64_t same_decision(const struct ml_filter *f, bool *keep)
{
	const struct ml_record_options *o = f->options;

	*keep = false;
	if (f->seen < o->skip)
		return o->skip - f->seen;
	uint64_t left = o->limit ? o->limit - f->kept : UINT64_MAX;
	if (!left)
		return UINT64_MAX;
	if (!o->of) {
		*keep = true;
		return left;
	}
	uint64_t at = (f->seen - o->skip) % o->of;
	*keep = at < o->keep;
	uint64_t run = *keep ? o->keep - at : o->of - at;
	return *keep && left < run ? left : run;
}

static void count(struct ml_filter *f, bool keep, uint64_t n)
{
	bool skipping = f->seen < f->options->skip;

	f->seen += n;
	if (keep) {
		f->kept += n;
		f->full = f->options->limit && f->kept >= f->options->limit;
	} else if (!f->full) { /* the gap behind the limit is of unknown length */
		ml_filter_skip(f, n, skipping ? ML_GAP_SKIPPED : ML_GAP_SAMPLING);
	}
}

uint64_t ml_filter_certain(const struct ml_filter *f)
{
	bool keep;

	if (f->all)
		return UINT64_MAX;
	if (f->options->only_in || f->options->no_stack || f->options->no_spin ||
	    !ml_filter_is_active(f, true))
		return 0;
	uint64_t n = same_decision(f, &keep);
	return keep ? n : 0;
}

void ml_filter_count_kept(struct ml_filter *f, uint64_t n)
{
	count(f, true, n);
}

enum ml_filter_verdict ml_filter_next(struct ml_filter *f, uint64_t n)
{
	bool keep;

	if (same_decision(f, &keep) < n)
		return ML_FILTER_SOME;
	count(f, keep, n);
	return keep ? ML_FILTER_ALL : ML_FILTER_NONE;
}

bool ml_filter_one(struct ml_filter *f)
{
	bool keep;

	same_decision(f, &keep);
	count(f, keep, 1);
	return keep;
}
