#include "lib/query/trace/text/trace_notes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyse/result/simulation.h"
#include "lib/base/table.h"
#include "lib/query/workspace/ask.h"
#include "lib/trace/trace.h"

void ml_trace_note_end(struct ml_buf *notes, const char *command,
		       const struct ml_trace *trace)
{
	char refs[ML_NUMBER_ROOM];

	if (trace->whole && !trace->damage)
		return;
	ml_note(notes, command,
		"warning: the end of %s is missing (%s); what follows is of its "
		"first %s references",
		trace->path,
		trace->damage ? trace->damage : "the recording did not end properly",
		ml_format_count(refs, trace->count));
}

void ml_trace_note_killed(struct ml_buf *notes, const char *command,
			  const struct ml_trace *trace)
{
	const char *status = ml_tables_meta_find(&trace->tables, "exit status");
	int number = status ? atoi(status) - 128 : 0;
	const char *name = number > 0 ? sigabbrev_np(number) : NULL;

	if (name)
		ml_note(notes, command,
			"warning: SIG%s ended the program of %s, which may have "
			"done only a part of its work",
			name, trace->path);
}

void ml_trace_note_unkept(struct ml_buf *notes, const char *command,
			  const struct ml_simulation *s)
{
	if (s->unkept)
		ml_note(notes, command, "note: %s", s->unkept);
}

void ml_trace_note_simulation(struct ml_buf *notes, const char *command,
			      const struct ml_simulation *s, const struct ml_trace *trace)
{
	char refs[ML_NUMBER_ROOM], all[ML_NUMBER_ROOM];

	ml_trace_note_unkept(notes, command, s);
	ml_trace_note_end(notes, command, trace);
	if (s->damage)
		ml_note(notes, command,
			"warning: %s; what follows is of %s of %s references", s->damage,
			ml_format_count(refs, s->profile->refs),
			ml_format_count(all, trace->count));
}

bool ml_trace_is_part(const struct ml_simulation *s, const struct ml_trace *trace)
{
	return s->damage || s->stopped || trace->damage;
}
