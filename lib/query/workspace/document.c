#include "lib/query/workspace/document.h"

#include <stddef.h>
#include <string.h>

const struct ml_document_kind *
ml_document_kind_of(const struct ml_document_kind *const *kinds, const char *path)
{
	while (*kinds && !(*kinds)->is_mine(path))
		kinds++;
	return *kinds;
}

static bool has_suffix(const struct ml_document_kind *kind, const char *path)
{
	size_t size = strlen(path);

	for (const char *const *s = kind->suffixes; *s; s++)
		if (size > strlen(*s) && !strcmp(path + size - strlen(*s), *s))
			return true;
	return false;
}

const struct ml_document_kind *
ml_document_opener(const struct ml_document_kind *const *kinds, const char *path)
{
	const struct ml_document_kind *kind = ml_document_kind_of(kinds, path);

	for (size_t i = 0; !kind && kinds[i]; i++)
		if (has_suffix(kinds[i], path))
			kind = kinds[i];
	return kind ? kind : kinds[0];
}
