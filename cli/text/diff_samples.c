#include "cli/text/diff_samples.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/say.h"
#include "cli/work.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/query/sampling/compare_samples.h"
#include "lib/samples/read/read_samples.h"
#include "lib/trace/trace.h"

enum { TOP = 10 };

bool diff_samples_is(const char *path)
{
	return !ml_trace_is(path) && ml_samples_is(path);
}

static bool print_text(const struct diff_samples *d, const struct ml_samples *a,
		       const struct ml_samples *b, struct ml_buf *out, struct ml_err *err)
{
	struct say s;
	bool ok = true;

	say_start(&s, out);
	say(&s, "A %s: %s samples (%s)\n", a->path, say_count(&s, a->rows), a->format);
	say(&s, "B %s: %s samples (%s)\n", b->path, say_count(&s, b->rows), b->format);
	for (const char *const *n = ml_compare_samples_tables; ok && *n; n++) {
		struct ml_table t;
		size_t all;

		if (!ml_compare_samples_has(*n, a, b))
			continue;
		ok = ml_compare_samples(&t, &all, *n, a, b, d->top ? d->top : TOP, err);
		if (ok) {
			say(&s, "\n%s\n", *n);
			say_table(&s, &t, all, *n);
		}
	}
	say_end(&s);
	return ok;
}

static bool print_json(const struct diff_samples *d, const struct ml_samples *a,
		       const struct ml_samples *b, struct ml_buf *out, struct ml_err *err)
{
	struct ml_json j = { .out = out, .indent = 2 };

	ml_json_object(&j);
	ml_json_key_string(&j, "a", a->path);
	ml_json_key_string(&j, "b", b->path);
	for (const char *const *n = ml_compare_samples_tables; *n; n++) {
		struct ml_table t;
		size_t all;

		if (!ml_compare_samples_has(*n, a, b))
			continue;
		if (!ml_compare_samples(&t, &all, *n, a, b, d->top ? d->top : SIZE_MAX,
					err))
			return false;
		ml_json_key(&j, *n);
		ml_table_json(&t, &j);
		ml_table_release(&t);
	}
	ml_json_end(&j);
	ml_buf_u8(out, '\n');
	return true;
}

static bool print_csv(const struct diff_samples *d, const struct ml_samples *a,
		      const struct ml_samples *b, struct ml_buf *out, struct ml_err *err)
{
	struct ml_table t;
	size_t all;

	if (!ml_compare_samples(&t, &all, d->csv, a, b, d->top ? d->top : SIZE_MAX, err))
		return false;
	ml_table_csv(&t, out);
	ml_table_release(&t);
	return true;
}

int diff_samples(const struct diff_samples *d)
{
	struct ml_samples a, b;
	struct ml_buf out = { 0 };
	struct cmd_work work;
	struct ml_err err;

	cmd_work_begin(&work);
	bool ok = ml_samples_open(&a, d->a, NULL, &work.work, &err);
	if (ok && !ml_samples_open(&b, d->b, NULL, &work.work, &err)) {
		ml_samples_close(&a);
		ok = false;
	}
	cmd_work_end(&work);
	if (!ok)
		return cmd_fail(&cmd_diff, &err);
	ok = d->json  ? print_json(d, &a, &b, &out, &err)
	     : d->csv ? print_csv(d, &a, &b, &out, &err)
		      : print_text(d, &a, &b, &out, &err);
	int status = ok ? cmd_print(&cmd_diff, &out) : cmd_fail(&cmd_diff, &err);
	ml_buf_release(&out);
	ml_samples_close(&b);
	ml_samples_close(&a);
	return status;
}
