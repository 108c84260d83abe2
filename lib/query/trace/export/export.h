/*
 * A simulation in the forms that other tools read: callgrind's (KCachegrind), SARIF (code
 * hosts and editors), speedscope's and Chrome's (Perfetto). docs/commands/export.md says
 * what each form holds.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_open_sim;

struct ml_export_form {
	const char *name;   /* "callgrind" */
	const char *suffix; /* of the file: ".callgrind" */
	bool (*write)(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err);
};

enum ml_export_form_id {
	ML_EXPORT_CALLGRIND,
	ML_EXPORT_SARIF,
	ML_EXPORT_SPEEDSCOPE,
	ML_EXPORT_CHROME,
	ML_EXPORT_FORMS
};
extern const struct ml_export_form ml_export_forms[ML_EXPORT_FORMS];
