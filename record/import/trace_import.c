#include "record/import/trace_import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A message about the unfinished trace names the path that the user asked for. */
static void rename_in(struct ml_err *err, const char *part, const char *path)
{
	size_t old = strlen(part), new = strlen(path);

	if (!strncmp(err->text, part, old) && new < old) {
		memcpy(err->text, path, new);
		memmove(err->text + new, err->text + old, strlen(err->text + old) + 1);
	}
}

/* Takes the place of an older trace, which must not be lost in a crash of the system. */
static bool replace(const char *part, const char *path, struct ml_err *err)
{
	int fd = access(path, F_OK) ? -1 : open(part, O_RDONLY | O_CLOEXEC);
	bool safe = fd < 0 || !fsync(fd) || errno == EINVAL || errno == EROFS;

	if (fd >= 0)
		close(fd);
	return (safe && !rename(part, path)) ||
	       ml_fail_errno(err, "%s: cannot be renamed", part);
}

/*
 * The trace grows under another name in the same folder. An output that exists and is no
 * regular file (/dev/null, a pipe) is written directly and never renamed over.
 */
static bool write_trace(struct ml_trace_import *im, struct ml_import_result *result,
			bool (*read)(struct ml_trace_import *, struct ml_err *),
			struct ml_err *err)
{
	const char *path = result->path;
	struct ml_arena a = { 0 };
	struct stat st;
	bool direct = !stat(path, &st) && !S_ISREG(st.st_mode);
	const char *part = direct ? path
				  : ml_arena_printf(&a, "%s.%d.part", path, getpid());
	bool ok = ml_writer_open(&im->writer, part, err);

	if (ok) {
		ok = fill(im, result->importer->name, read, err);
		result->count = ml_writer_time(im->writer);
		if (ok)
			ok = ml_writer_close(im->writer, err);
		else
			ml_writer_abandon(im->writer);
		if (ok && !stat(part, &st))
			result->written = (uint64_t)st.st_size;
		if (ok && !direct)
			ok = replace(part, path, err);
		if (!ok && !direct)
			unlink(part);
	}
	if (!ok)
		rename_in(err, part, path);
	ml_arena_release(&a);
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
