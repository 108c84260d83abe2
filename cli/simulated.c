#include "cli/simulated.h"

#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "lib/base/buf.h"
#include "lib/base/newfile.h"
#include "lib/query/kinds/kinds.h"

void simulated_begin(struct simulated *s, const struct cmd *c, const struct ml_machine *m)
{
	ml_workspace_init(&s->workspace, ml_kinds, ml_common_routes, m);
	cmd_work_begin(&s->work);
	s->window = (struct ml_simulated_window){ .workspace = &s->workspace,
						  .command = c->name,
						  .work = &s->work.work };
}

bool simulated_open(struct simulated *s, const struct simulated_wish *w,
		    struct ml_err *err)
{
	struct ml_machine machine;

	if (!machine_option(&machine, w->machine, &w->without, err))
		return false;
	simulated_begin(s, w->cmd, &machine);
	if (ml_simulated_window_open(&s->window, &w->window, err)) {
		simulated_notes(s);
		return true;
	}
	simulated_close(s);
	return false;
}

void simulated_notes(struct simulated *s)
{
	ml_progress_end(&s->work.progress);
	cmd_notes(&s->window.notes);
}

int simulated_status(const struct simulated *s)
{
	return ml_simulated_window_is_part(&s->window) ? EXIT_FAILED : EXIT_DONE;
}

void simulated_close(struct simulated *s)
{
	cmd_work_end(&s->work);
	cmd_notes(&s->window.notes);
	ml_workspace_close(&s->workspace);
}

bool simulated_write(const struct ml_work *work, const char *path,
		     const struct ml_buf *bytes, struct ml_err *err)
{
	struct ml_newfile f;

	if (!path || !strcmp(path, "-"))
		return (fwrite(bytes->data, 1, bytes->size, stdout) == bytes->size &&
			!fflush(stdout)) ||
		       ml_fail_errno(err, "standard output");
	if (!ml_newfile_open(&f, path, err))
		return false;
	bool ok = ml_newfile_write(&f, bytes->data, bytes->size, err);
	if (ok && ml_work_goes_on(work, err))
		return ml_newfile_close(&f, err);
	ml_newfile_abandon(&f);
	return false;
}
