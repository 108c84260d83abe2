/* What the person says about columns: "latency=weight,cpu=3". */
#include <string.h>

#include "lib/base/err.h"
#include "lib/samples/read/readers.h"
#include "lib/samples/samples_make.h"

struct ml_scan_word ml_read_trim(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (struct ml_scan_word){ at, (size_t)(end - at) };
}

bool ml_read_column(struct ml_samples *s, struct ml_scan_word w, size_t *column,
		    struct ml_err *err)
{
	char shown[ML_SCAN_SHOWN], *name = ml_arena_copy(&s->arena, w.at, w.size);
	int found = ml_samples_find(s, name);
	uint64_t number;

	if (found < 0 && ml_scan_whole(w, &number) && number >= 1 && number <= s->count)
		found = (int)number - 1;
	if (found < 0)
		return ml_fail(err, ML_USAGE, "%s: there is no column '%s'", s->path,
			       ml_scan_shown(w, shown));
	*column = (size_t)found;
	return true;
}

bool ml_read_pair(const char **text, struct ml_scan_word *key, struct ml_scan_word *value,
		  struct ml_err *err)
{
	const char *end = strchrnul(*text, ','),
		   *equals = memchr(*text, '=', (size_t)(end - *text));

	if (!equals)
		return ml_fail(err, ML_USAGE, "'%.*s' is not of the form NAME=VALUE",
			       (int)(end - *text), *text);
	*key = ml_read_trim(*text, equals);
	*value = ml_read_trim(equals + 1, end);
	*text = *end ? end + 1 : end;
	return true;
}

bool ml_read_roles(struct ml_samples *s, const char *text, struct ml_err *err)
{
	struct ml_scan_word key = { "", 0 }, value = key;
	char shown[ML_SCAN_SHOWN];
	size_t column;

	while (text && *text) {
		if (!ml_read_pair(&text, &key, &value, err))
			return false;
		enum ml_samples_role role = ml_samples_role_of(key.at, key.size);
		if (role == ML_SAMPLES_ROLES)
			return ml_fail(
				err, ML_USAGE,
				"no column is used as '%s'; there are time, latency, cpu, "
				"thread, ip, file, line, function, datasource, level, "
				"address, variable and index",
				ml_scan_shown(key, shown));
		if (!ml_read_column(s, value, &column, err))
			return false;
		ml_samples_set_role(s, column, role);
	}
	return true;
}
