#include "lib/query/trace/text/say_trace.h"

#include "lib/analyse/passes/profile.h"
#include "lib/base/table.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/workspace/say.h"
#include "lib/trace/tables.h"
#include "lib/trace/trace.h"

void ml_say_machine(struct ml_say *s, const struct ml_machine *m)
{
	ml_say(s, "on %s", *m->name ? m->name : "a machine with");
	for (unsigned i = 0; i < m->levels; i++)
		ml_say(s, "%s %s %s",
		       i          ? ","
		       : *m->name ? ":"
				  : "",
		       m->level[i].name, ml_say_bytes(s, m->level[i].size));
}

static void say_gaps(struct ml_say *s, const struct ml_tables *t,
		     enum ml_gap_reason reason, const char *why)
{
	uint64_t gaps = 0, missing = 0;
	bool unknown = false;

	for (size_t i = 0; i < t->gaps.count; i++)
		if (t->gaps.at[i].reason == reason) {
			gaps++;
			missing += t->gaps.at[i].count;
			unknown |= !t->gaps.at[i].count;
		}
	if (!gaps)
		return;
	ml_say(s, "MISSING: ");
	if (missing || !unknown)
		ml_say(s, "%s%s %s ", unknown ? "at least " : "",
		       ml_say_count(s, missing),
		       ml_say_plural(missing, "reference", "references"));
	else
		ml_say(s, "an unknown number of references ");
	ml_say(s, "%s, in %s %s\n", why, ml_say_count(s, gaps),
	       ml_say_plural(gaps, "gap", "gaps"));
}

void ml_say_stopped(struct ml_say *s, const struct ml_profile *p)
{
	ml_say(s,
	       "PARTIAL: stopped after %s of %s references; the counts below are of these\n",
	       ml_say_count(s, p->refs), ml_say_count(s, p->to - p->from));
}

void ml_say_missing(struct ml_say *s, const struct ml_trace *t, const char *damage,
		    uint64_t done)
{
	static const char *const reasons[] = {
		[ML_GAP_SKIPPED] =
			"skipped as asked (--skip, --from-mark, --only-in, MEMLAMP_STOP)",
		[ML_GAP_SAMPLING] = "left out by sampling (--every)",
		[ML_GAP_FAULT] = "cut off by signals in the middle of a piece of code",
		[ML_GAP_LOST] = "lost by the recorder",
		[ML_GAP_LIMIT] = "after recording ended (--limit, --to-mark)",
	};
	const char *stack = ml_tables_meta_find(&t->tables, "stack references left out");
	const char *spin = ml_tables_meta_find(&t->tables, "waiting references left out");

	if (damage)
		ml_say(s, "DAMAGED: the counts below are of %s of %s references: %s\n",
		       ml_say_count(s, done), ml_say_count(s, t->count), damage);
	if (t->damage)
		ml_say(s,
		       "DAMAGED: the last %s of %s bytes of the file cannot be used: %s\n",
		       ml_say_count(s, t->size - t->usable), ml_say_count(s, t->size),
		       t->damage);
	else if (!t->whole)
		ml_say(s,
		       "CUT OFF: the recording did not end properly; the trace holds what "
		       "was written before\n");
	if (!t->damage && t->usable < t->size)
		ml_say(s, "         (the last %s are not used)\n",
		       ml_say_bytes(s, t->size - t->usable));
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		say_gaps(s, &t->tables, (enum ml_gap_reason)i, reasons[i]);
	if (stack)
		ml_say(s, "MISSING: %s references to the stack (--no-stack)\n", stack);
	if (spin)
		ml_say(s, "MISSING: %s references of waiting threads (--no-spin)\n",
		       spin);
}
