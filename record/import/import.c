#include "record/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/progress.h"
#include "lib/trace/scan.h"
#include "lib/trace/tables.h"
#include "lib/trace/writer.h"
#include "record/import/regions_file.h"

enum {
	WINDOW = 1 << 20,
	LINE_MAX_BYTES = 64 << 20,
	PIECE = 8192, /* a large access is cut at multiples of this */
};

const struct ml_importer *const ml_importers[] = {
	&ml_importer_lackey, &ml_importer_din, &ml_importer_model,
	&ml_importer_text,   &ml_importer_csv, NULL,
};

bool ml_input_open(struct ml_input *in, const char *path, struct ml_err *err)
{
	bool standard = !strcmp(path, "-");
	struct stat st;

	*in = (struct ml_input){ .name = standard ? "standard input" : path, .line = 1 };
	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		return ml_fail_errno(err, "%s: cannot open", path);
	if (!fstat(in->fd, &st) && S_ISREG(st.st_mode))
		in->total = (uint64_t)st.st_size;
	in->cap = WINDOW;
	in->data = in->at = in->end = ml_resize(NULL, in->cap);
	return true;
}

void ml_input_close(struct ml_input *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	ml_free(in->data);
	*in = (struct ml_input){ .fd = -1 };
}

static bool interrupted(const volatile sig_atomic_t *stop, struct ml_err *err)
{
	return stop && *stop && !ml_fail(err, ML_STOPPED, "stopped; no trace is left");
}

bool ml_input_more(struct ml_input *in, struct ml_err *err)
{
	size_t done = (size_t)(in->at - in->data), have = (size_t)(in->end - in->at);

	err->kind = ML_OK;
	memmove(in->data, in->at, in->filled - done);
	in->filled -= done;
	for (;;) {
		char *behind = in->data + have;
		char *newline = memrchr(behind, '\n', in->filled - have);

		in->at = in->data;
		in->end = newline ? newline + 1 : behind;
		if (newline || in->last)
			return newline;
		/* One byte stays free for the newline that the last line may lack. */
		if (in->filled + 1 >= in->cap) {
			if (in->filled >= LINE_MAX_BYTES)
				return ml_fail(err, ML_FORMAT,
					       "%s:%llu: the line is longer than 64 MiB",
					       in->name, (unsigned long long)in->line);
			in->cap *= 2;
			in->data = ml_resize(in->data, in->cap);
		}
		if (interrupted(in->stop, err))
			return false;
		ssize_t n = read(in->fd, in->data + in->filled, in->cap - in->filled - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ml_fail_errno(err, "%s: cannot read at byte %llu",
					     in->name, (unsigned long long)in->read);
		in->filled += (size_t)n;
		in->read += (uint64_t)n;
		in->last = !n;
		if (in->last && in->filled > have)
			in->data[in->filled++] = '\n';
		if (in->progress)
			ml_progress_bar(in->progress, "importing", in->read, in->total);
	}
}

bool ml_input_lines(struct ml_input *in, struct ml_err *err)
{
	return in->at < in->end || ml_input_more(in, err);
}

bool ml_import_ref(struct ml_import *im, struct ml_ref *ref, enum ml_kind kind,
		   uint64_t size, struct ml_err *err)
{
	if (size - 1 >= ML_IMPORT_SIZE_MAX)
		return ml_fail(err, ML_FORMAT,
			       "%s:%llu: a reference has 1 byte to 16 MiB, not %llu",
			       im->in.name, (unsigned long long)im->in.line,
			       (unsigned long long)size);
	while (size > ML_SIZE_MAX) {
		uint64_t piece = PIECE - ref->addr % PIECE;

		ref->what = ml_what(kind, (unsigned)piece);
		if (!ml_writer_ref(im->writer, ref, err))
			return false;
		ref->addr += piece;
		size -= piece;
	}
	ref->what = ml_what(kind, (unsigned)size);
	return ml_writer_ref(im->writer, ref, err);
}

bool ml_import_bad(const struct ml_import *im, const char *reason, const char *word,
		   size_t size, struct ml_err *err)
{
	char shown[ML_SCAN_SHOWN];

	return ml_fail(err, ML_FORMAT, "%s:%llu: %s '%s'", im->in.name,
		       (unsigned long long)im->in.line, reason,
		       ml_scan_shown((struct ml_scan_word){ word, size }, shown));
}

/* The importer that is asked for, or the first that knows the content. */
static bool choose(struct ml_import *im, const struct ml_importer **chosen,
		   struct ml_err *err)
{
	const char *format = im->options->format;

	for (const struct ml_importer *const *i = ml_importers; *i; i++)
		if (format && !strcmp(format, (*i)->name)) {
			*chosen = *i;
			return true;
		}
	if (format)
		return ml_fail(
			err, ML_USAGE,
			"no format '%s': there are lackey, din, csv, text and model",
			format);
	if (!ml_input_lines(&im->in, err))
		return err->kind == ML_OK
			       ? ml_fail(err, ML_FORMAT, "%s: it is empty", im->in.name)
			       : false;
	for (const struct ml_importer *const *i = ml_importers; *i; i++)
		if ((*i)->detect(im->in.at, (size_t)(im->in.end - im->in.at))) {
			*chosen = *i;
			return true;
		}
	return ml_fail(
		err, ML_FORMAT,
		"%s: neither lackey, din, CSV, text nor a model by its first lines; "
		"--format NAME reads it as one of them",
		im->in.name);
}

/* A model given as text is an input that is read already. */
static void open_model(struct ml_input *in, const char *model)
{
	size_t size = strlen(model);

	*in = (struct ml_input){ .name = "model", .fd = -1, .line = 1, .last = true };
	in->cap = size + 1;
	in->data = in->at = ml_resize(NULL, in->cap);
	memcpy(in->data, model, size);
	in->data[size] = '\n';
	in->filled = in->cap;
	in->end = in->data + in->cap;
}

static bool fill(struct ml_import *im, const struct ml_importer *importer,
		 struct ml_err *err)
{
	const struct ml_import_options *o = im->options;
	struct ml_tables *tables = ml_writer_tables(im->writer);
	char back_end[64];

	snprintf(back_end, sizeof(back_end), "import %s", importer->name);
	ml_tables_meta(tables, "back end", back_end);
	ml_tables_meta(tables, "imported", o->model ? o->model : im->in.name);
	return (!o->regions || ml_regions_file_read(o->regions, im->writer, err)) &&
	       importer->read(im, err);
}

/* A message about the unfinished trace names the one that the user asked for. */
static void rename_in(struct ml_err *err, const char *part, const char *path)
{
	size_t old = strlen(part), new = strlen(path);

	if (!strncmp(err->text, part, old) && new < old) {
		memcpy(err->text, path, new);
		memmove(err->text + new, err->text + old, strlen(err->text + old) + 1);
	}
}

/*
 * The trace grows under another name in the same folder. What is no regular
 * file (/dev/null, a pipe) is written as it is and never renamed over.
 */
static bool write_trace(struct ml_import *im, const struct ml_importer *importer,
			struct ml_import_result *result, struct ml_err *err)
{
	const char *path = im->options->output;
	struct ml_arena a = { 0 };
	struct stat st;
	bool direct = !stat(path, &st) && !S_ISREG(st.st_mode);
	const char *part = direct ? path
				  : ml_arena_printf(&a, "%s.%d.part", path, getpid());
	bool ok = ml_writer_open(&im->writer, part, err);

	if (ok) {
		ok = fill(im, importer, err);
		result->refs = ml_writer_time(im->writer);
		if (ok)
			ok = ml_writer_close(im->writer, err);
		else
			ml_writer_abandon(im->writer);
		if (ok && !stat(part, &st))
			result->written = (uint64_t)st.st_size;
		if (ok && !direct && rename(part, path))
			ok = ml_fail_errno(err, "%s: cannot be given its name", part);
		if (!ok && !direct)
			unlink(part);
	}
	if (!ok)
		rename_in(err, part, path);
	ml_arena_release(&a);
	return ok;
}

bool ml_import_run(const struct ml_import_options *o, struct ml_import_result *result,
		   struct ml_err *err)
{
	struct ml_import im = { .options = o };
	const struct ml_importer *importer = &ml_importer_model;

	*result = (struct ml_import_result){ 0 };
	if (o->model)
		open_model(&im.in, o->model);
	else if (!ml_input_open(&im.in, o->input, err))
		return false;
	im.in.progress = o->progress;
	im.in.stop = o->stop;
	bool ok = (o->model || choose(&im, &importer, err)) &&
		  write_trace(&im, importer, result, err);
	result->format = importer->name;
	result->read = im.in.read;
	ml_input_close(&im.in);
	return ok;
}
