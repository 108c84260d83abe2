#include "record/import/import.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/lock.h"
#include "lib/samples/read/sample_format.h"
#include "record/import/import_probe.h"

/* Every text format of samples has an importer (import_samples.c). */
#define DECLARATION(f, name, what) \
	extern const struct ml_importer ml_importer_samples_##f;
ML_SAMPLE_FORMATS(DECLARATION)
#define ROW(f, name, what) &ml_importer_samples_##f,

/* In the order in which they are asked. */
const struct ml_importer *const ml_importers[] = {
	&ml_importer_lackey,
	&ml_importer_din,
	&ml_importer_model,
	&ml_importer_mitos,
	ML_SAMPLE_FORMATS(ROW) & ml_importer_text,
	&ml_importer_csv,
	NULL,
};

/* All names of the list, "lackey, din and csv". */
static const char *names_of(const struct ml_importer *const *importers,
			    struct ml_arena *a)
{
	const char *names = "";

	for (size_t i = 0; importers[i]; i++)
		names = ml_arena_printf(a, "%s%s%s", names,
					!i                 ? ""
					: importers[i + 1] ? ", "
							   : " and ",
					importers[i]->name);
	return names;
}

/* The importer that is asked for, or the first that knows the input; NULL: none. */
static const struct ml_importer *choose(const struct ml_importer *const *importers,
					const char *format,
					const struct ml_import_probe *p)
{
	for (; *importers; importers++)
		if (format ? !strcmp(format, (*importers)->name)
			   : (*importers)->detect(p))
			return *importers;
	return NULL;
}

static bool none_fits(const struct ml_importer *const *importers, const char *format,
		      const struct ml_import_probe *p, struct ml_arena *a,
		      struct ml_err *err)
{
	const char *names = names_of(importers, a);

	if (format)
		return ml_fail(err, ML_USAGE, "no format '%s': there are %s", format,
			       names);
	if (!p->is_folder && !p->size)
		return ml_fail(err, ML_FORMAT, "%s: it is empty", p->name);
	return ml_fail(err, ML_FORMAT,
		       "%s: this %s is in no known format; --format NAME reads it as one "
		       "of %s",
		       p->name, p->is_folder ? "folder" : "file", names);
}

/* dir/trace.txt becomes dir/trace.mlt, folder/ becomes folder.mlt. */
static const char *output_of(const char *input, const char *suffix, struct ml_arena *a)
{
	size_t size = strlen(input);

	while (size > 1 && input[size - 1] == '/')
		size--;
	for (size_t i = size; i-- > 1 && input[i] != '/' && input[i - 1] != '/';)
		if (input[i] == '.') {
			size = i;
			break;
		}
	return ml_arena_printf(a, "%.*s%s", (int)size, input, suffix);
}

bool ml_import_run(const struct ml_import_options *o,
		   const struct ml_importer *const *importers,
		   struct ml_import_result *result, struct ml_arena *a,
		   struct ml_err *err)
{
	const char *format = o->model ? ml_importer_model.name : o->format;
	struct ml_import_probe probe;
	struct ml_import im = { o, &probe, result };
	struct ml_lock lock = { .fd = -1 };

	*result = (struct ml_import_result){ 0 };
	if (o->model)
		ml_import_probe_text(&probe, "model", o->model);
	else if (!ml_import_probe_open(&probe, o->input, o->work, err))
		return false;
	result->importer = choose(importers, format, &probe);
	bool ok = result->importer || none_fits(importers, format, &probe, a, err);
	if (ok && o->output)
		result->path = o->output;
	else if (ok)
		result->path = output_of(o->input, result->importer->suffix, a);
	if (ok && o->input && !strcmp(o->input, result->path))
		ok = ml_fail(err, ML_USAGE, "%s would be written over; say -o FILE",
			     o->input);
	ok = ok && ml_lock_take(&lock, result->path, err) &&
	     result->importer->run(&im, err);
	ml_lock_release(&lock);
	ml_import_probe_close(&probe);
	return ok;
}
