#include "lib/flow/read/open.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/flow/read/c_read.h"
#include "lib/flow/flow.h"
#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_read.h"

enum { LARGEST = 256 << 20 };

static bool ends(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n >= m && !strcmp(path + n - m, suffix);
}

bool ml_flow_is(const char *path)
{
	if (ends(path, ".c"))
		return true;
	if (ends(path, ".sdfgz"))
		return ml_file_begins_with(path, "\x1f\x8b", 2) ||
		       ml_file_begins_with(path, "{", 1);
	return ends(path, ".sdfg") && (ml_file_begins_with(path, "{", 1) ||
				       ml_file_begins_with(path, "\x1f\x8b", 2));
}

struct ml_flow *ml_flow_open_text(const char *path, const char *text, size_t size,
				  const struct ml_flow_options *o, struct ml_err *err)
{
	struct ml_flow *f = ml_flow_new(path);
	bool json = size && (*text == '{' || (size > 1 && !memcmp(text, "\x1f\x8b", 2)));
	bool sdfg = ends(path, ".sdfg") || ends(path, ".sdfgz") || json;
	bool ok = sdfg ? ml_sdfg_read(f, text, size, err)
		       : ml_c_read(f, text, size, o, err);

	if (ok && sdfg && o && o->function)
		ok = ml_fail(err, ML_USAGE, "%s: --function is for C files", path);
	if (ok)
		return f;
	ml_flow_close(f);
	return NULL;
}

struct ml_flow *ml_flow_open(const char *path, const struct ml_flow_options *o,
			     struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct ml_flow *f = NULL;
	char *text;
	size_t size;

	if (ml_file_read(path, LARGEST, &a, &text, &size, err))
		f = ml_flow_open_text(path, text, size, o, err);
	ml_arena_release(&a);
	return f;
}
