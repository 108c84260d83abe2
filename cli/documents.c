#include "cli/documents.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "lib/base/err.h"
#include "lib/query/kinds/kinds.h"

bool documents_takes(const struct ml_document_kind *kind, const char *option)
{
	for (const char *const *t = kind->takes; *t; t++)
		if (!strcmp(*t, option))
			return true;
	return false;
}

/* Whether only some kinds have an option. */
static bool is_special(const char *option)
{
	for (size_t i = 0; ml_kinds[i]; i++)
		if (documents_takes(ml_kinds[i], option))
			return true;
	return false;
}

static const struct ml_document_kind *common_kind(const char *const path[2],
						  struct ml_err *err)
{
	const struct ml_document_kind *a = ml_document_kind_of(ml_kinds, path[0]),
				      *b = path[0] == path[1]
						   ? a
						   : ml_document_kind_of(ml_kinds,
									 path[1]);

	if (a && b && a != b)
		return ml_fail(err, ML_USAGE,
			       "%s is %s and %s is %s: two of a kind are compared",
			       path[0], a->what, path[1], b->what),
		       NULL;
	/* what no kind recognises is of the kind of its partner, which says what is wrong */
	return a ? a : b ? b : ml_document_opener(ml_kinds, path[0]);
}

const struct ml_document_kind *documents_kind(const struct cmd *c,
					      const char *const path[2],
					      const void *options, const void *usual,
					      struct ml_err *err)
{
	const struct ml_document_kind *kind = common_kind(path, err);

	for (const struct opt *o = c->opts; kind && o->name; o++)
		if (options_given(o, options, usual) && is_special(o->name) &&
		    !documents_takes(kind, o->name))
			return ml_fail(err, ML_USAGE, "--%s is not for %s: %s", o->name,
				       path[0], kind->what),
			       NULL;
	return kind;
}

int documents_status(const struct cmd *c, bool ok, struct ml_told *t,
		     const struct ml_err *err)
{
	int status;

	cmd_notes(&t->notes);
	status = cmd_crossed(c, ok, &t->crossed, err);
	if (status == EXIT_DONE && t->part)
		status = EXIT_FAILED;
	ml_told_release(t);
	return status;
}

int documents_print(const struct cmd *c, bool ok, struct ml_told *t,
		    const struct ml_err *err)
{
	cmd_notes(&t->notes);
	int printed = t->out.size ? cmd_print(c, &t->out) : EXIT_DONE;
	int status = documents_status(c, ok, t, err);

	return printed != EXIT_DONE ? printed : status;
}
