#include "lib/trace/stored_values.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/buf.h"

void ml_stored_values_print(const struct ml_stored_value *v, struct ml_buf *out)
{
	ml_buf_printf(out, "%s%u", out->size ? ";" : "", v->site);
	for (unsigned i = 0; i < v->widths; i++)
		ml_buf_printf(out, " %lld %lld", (long long)v->min[i],
			      (long long)v->max[i]);
}

static bool number(const char **text, int64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoll(*text, &end, 10);
	if (end == *text || errno)
		return false;
	*text = end;
	return true;
}

bool ml_stored_values_next(const char **text, struct ml_stored_value *v)
{
	int64_t site;

	*v = (struct ml_stored_value){ 0 };
	if (!number(text, &site) || site < 0 || site > UINT32_MAX)
		return false;
	v->site = (uint32_t)site;
	for (; **text == ' ' && v->widths < ML_VALUE_WIDTHS; v->widths++)
		if (!number(text, &v->min[v->widths]) ||
		    !number(text, &v->max[v->widths]) ||
		    v->min[v->widths] > v->max[v->widths])
			return false;
	if (!v->widths || (**text && **text != ';'))
		return false;
	*text += **text == ';';
	return true;
}
