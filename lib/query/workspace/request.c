#include "lib/query/workspace/request.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *ml_request_text(const struct ml_request *q, const char *key)
{
	for (size_t i = 0; i < q->count; i++)
		if (!strcmp(q->params[i].key, key))
			return q->params[i].value;
	return NULL;
}

bool ml_request_u64(const struct ml_request *q, const char *key, uint64_t otherwise,
		    uint64_t *v, struct ml_err *err)
{
	const char *text = ml_request_text(q, key);
	char *end;

	*v = otherwise;
	if (!text)
		return true;
	errno = 0;
	*v = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return ml_fail(err, ML_USAGE, "%s=%s is not a number", key, text);
	return true;
}

bool ml_request_window(const struct ml_request *q, uint64_t end, uint64_t *from,
		       uint64_t *to, struct ml_err *err)
{
	if (!ml_request_u64(q, "from", 0, from, err) ||
	    !ml_request_u64(q, "to", end, to, err))
		return false;
	if (*from > *to)
		return ml_fail(err, ML_USAGE, "from=%" PRIu64 " lies behind to=%" PRIu64,
			       *from, *to);
	*to = *to < end ? *to : end;
	*from = *from < *to ? *from : *to;
	return true;
}

/* Whether path has the form of pattern; reads the numbers. */
static bool matches(const char *pattern, const char *path, uint64_t *number)
{
	for (; *pattern; pattern++) {
		if (*pattern == '#') {
			char *end;

			if (!isdigit((unsigned char)*path))
				return false;
			errno = 0;
			*number++ = strtoull(path, &end, 10);
			if (errno)
				return false;
			path = end;
		} else if (*pattern != *path++)
			return false;
	}
	return !*path;
}

const struct ml_route *ml_request_route(struct ml_request *q,
					const struct ml_route *routes, bool *exists)
{
	for (const struct ml_route *r = routes; r->path; r++)
		if (matches(r->path, q->path, q->number)) {
			*exists = true;
			if (!strcmp(r->method, q->method))
				return r;
		}
	return NULL;
}
