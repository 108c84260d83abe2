#include "lib/samples/sample_role.h"

#include <string.h>
#include <strings.h>

static const char *const role_names[ML_SAMPLES_ROLES] = {
	[ML_SAMPLES_NO_ROLE] = "",          [ML_SAMPLES_TIME] = "time",
	[ML_SAMPLES_LATENCY] = "latency",   [ML_SAMPLES_CPU] = "cpu",
	[ML_SAMPLES_THREAD] = "thread",     [ML_SAMPLES_IP] = "ip",
	[ML_SAMPLES_FILE] = "file",         [ML_SAMPLES_LINE] = "line",
	[ML_SAMPLES_FUNCTION] = "function", [ML_SAMPLES_SOURCE_WORD] = "datasource",
	[ML_SAMPLES_LEVEL] = "level",       [ML_SAMPLES_ADDRESS] = "address",
	[ML_SAMPLES_VARIABLE] = "variable", [ML_SAMPLES_INDEX] = "index",
};

/* Headings of Mitos, perf and others besides the names of roles; the case and the
 * underscores do not count. */
static const struct {
	const char *heading;
	enum ml_samples_role role;
} headings[] = {
	{ "timestamp", ML_SAMPLES_TIME },        { "tsc", ML_SAMPLES_TIME },
	{ "weight", ML_SAMPLES_LATENCY },        { "localweight", ML_SAMPLES_LATENCY },
	{ "cycles", ML_SAMPLES_LATENCY },        { "cpuid", ML_SAMPLES_CPU },
	{ "processor", ML_SAMPLES_CPU },         { "tid", ML_SAMPLES_THREAD },
	{ "threadid", ML_SAMPLES_THREAD },       { "pc", ML_SAMPLES_IP },
	{ "instructionpointer", ML_SAMPLES_IP }, { "source", ML_SAMPLES_FILE },
	{ "sourcefile", ML_SAMPLES_FILE },       { "srcfile", ML_SAMPLES_FILE },
	{ "lineno", ML_SAMPLES_LINE },           { "sourceline", ML_SAMPLES_LINE },
	{ "func", ML_SAMPLES_FUNCTION },         { "symbol", ML_SAMPLES_FUNCTION },
	{ "sym", ML_SAMPLES_FUNCTION },          { "datasrc", ML_SAMPLES_SOURCE_WORD },
	{ "dsrc", ML_SAMPLES_SOURCE_WORD },      { "addr", ML_SAMPLES_ADDRESS },
	{ "dataaddress", ML_SAMPLES_ADDRESS },   { "datasymbol", ML_SAMPLES_VARIABLE },
	{ "dataobject", ML_SAMPLES_VARIABLE },   { "symboldaddr", ML_SAMPLES_VARIABLE },
};

const char *ml_samples_role_name(enum ml_samples_role role)
{
	return role_names[role];
}

enum ml_samples_role ml_samples_role_of(const char *name, size_t size)
{
	for (size_t i = 1; i < ML_SAMPLES_ROLES; i++)
		if (strlen(role_names[i]) == size &&
		    !strncasecmp(role_names[i], name, size))
			return (enum ml_samples_role)i;
	return ML_SAMPLES_ROLES;
}

enum ml_samples_role ml_samples_role_by_heading(const char *heading)
{
	char plain[40];
	size_t n = 0;

	for (; *heading; heading++) {
		if (*heading == '_' || *heading == ' ' || *heading == '-')
			continue;
		if (n == sizeof(plain) - 1)
			return ML_SAMPLES_NO_ROLE;
		plain[n++] = *heading;
	}
	plain[n] = 0;
	enum ml_samples_role role = ml_samples_role_of(plain, n);
	for (size_t i = 0;
	     role == ML_SAMPLES_ROLES && i < sizeof(headings) / sizeof(*headings); i++)
		if (!strcasecmp(headings[i].heading, plain))
			role = headings[i].role;
	return role == ML_SAMPLES_ROLES ? ML_SAMPLES_NO_ROLE : role;
}
