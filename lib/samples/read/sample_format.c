#include "lib/samples/read/sample_format.h"

#include <string.h>

#define ROW(f, name, what) { name, ml_read_##f##_is, ml_read_##f },
const struct ml_sample_format ml_sample_formats[] = { ML_SAMPLE_FORMATS(ROW){ 0 } };

const struct ml_sample_format *ml_sample_format_named(const char *name)
{
	for (const struct ml_sample_format *f = ml_sample_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct ml_sample_format *ml_sample_format_of(const char *text, size_t size)
{
	for (const struct ml_sample_format *f = ml_sample_formats; f->name; f++)
		if (f->is(text, size))
			return f;
	return NULL;
}
