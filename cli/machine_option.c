#include "cli/machine_option.h"

#include "lib/base/arena.h"
#include "lib/cache/machine/machine.h"

const char *machine_option_text(const char *text, const struct machine_without *w,
				struct ml_arena *a)
{
	return ml_arena_printf(a, "%s%s%s", text, w->prefetch ? " | no-prefetch" : "",
			       w->tlb ? " | no-tlb" : "");
}

bool machine_option(struct ml_machine *m, const char *text,
		    const struct machine_without *w, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	bool ok = ml_machine_parse(m, machine_option_text(text ? text : "host", w, &a),
				   err);

	ml_arena_release(&a);
	return ok;
}
