#include "record/import/trace_import.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/arena.h"
#include "lib/trace/text/scan.h"
#include "lib/trace/tables.h"
#include "lib/trace/writer.h"
#include "record/import/regions_file.h"

bool ml_trace_import_ref(struct ml_trace_import *im, const struct ml_ref *ref,
			 enum ml_kind kind, uint64_t size, struct ml_err *err)
{
	if (size - 1 >= ML_IMPORT_SIZE_MAX)
		return ml_fail(err, ML_FORMAT,
			       "%s:%llu: a reference has 1 byte to 16 MiB, not %llu",
			       im->in.name, (unsigned long long)im->in.line,
			       (unsigned long long)size);
	return ml_writer_large_ref(im->writer, ref, kind, size, err);
}

bool ml_trace_import_bad(const struct ml_trace_import *im, const char *reason,
			 const char *word, size_t size, struct ml_err *err)
{
	char shown[ML_SCAN_SHOWN];

	return ml_fail(err, ML_FORMAT, "%s:%llu: %s '%s'", im->in.name,
		       (unsigned long long)im->in.line, reason,
		       ml_scan_shown((struct ml_scan_word){ word, size }, shown));
}

static bool fill(struct ml_trace_import *im, const char *format,
		 bool (*read)(struct ml_trace_import *, struct ml_err *),
		 struct ml_err *err)
{
	const struct ml_import_options *o = im->options;
	struct ml_tables *tables = ml_writer_tables(im->writer);
	char back_end[64];

	snprintf(back_end, sizeof(back_end), "import %s", format);
	ml_tables_meta(tables, "back end", back_end);
	ml_tables_meta(tables, "imported", o->model ? o->model : im->in.name);
	return (!o->regions || ml_regions_file_read(o->regions, im->writer, err)) &&
	       read(im, err);
}

static bool write_trace(struct ml_trace_import *im, struct ml_import_result *result,
			bool (*read)(struct ml_trace_import *, struct ml_err *),
			struct ml_err *err)
{
	struct stat st;

	if (!ml_writer_open_whole(&im->writer, result->path, err))
		return false;
	bool ok = fill(im, result->importer->name, read, err);
	result->count = ml_writer_time(im->writer);
	if (!ok)
		ml_writer_abandon(im->writer);
	else
		ok = ml_writer_close(im->writer, err);
	if (ok && !stat(result->path, &st))
		result->written = (uint64_t)st.st_size;
	return ok;
}

bool ml_trace_import_run(struct ml_import *import,
			 bool (*read)(struct ml_trace_import *, struct ml_err *),
			 struct ml_err *err)
{
	struct ml_trace_import im = { .options = import->options };

	if (import->probe->is_folder)
		return ml_fail(err, ML_FORMAT, "%s: is a folder; %s is a format of files",
			       import->probe->name, import->result->importer->name);
	ml_line_window_open(&im.in, import->probe);
	im.in.work = import->options->work;
	bool ok = write_trace(&im, import->result, read, err);
	import->result->read = im.in.read;
	ml_line_window_close(&im.in);
	return ok;
}
