#include "record/import/line_window.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "record/import/import_probe.h"

enum { LINE_MAX_BYTES = 64 << 20 };

void ml_line_window_open(struct ml_line_window *w, struct ml_import_probe *probe)
{
	*w = (struct ml_line_window){
		.name = probe->name,
		.at = probe->bytes,
		.end = probe->bytes,
		.line = 1,
		.fd = probe->fd,
		.data = probe->bytes,
		.filled = probe->size,
		.cap = probe->cap,
		.read = probe->size,
		.total = probe->total,
		.last = probe->whole,
	};
	probe->bytes = NULL;
	probe->fd = -1;
}

void ml_line_window_close(struct ml_line_window *w)
{
	if (w->fd > STDIN_FILENO)
		close(w->fd);
	ml_free(w->data);
	*w = (struct ml_line_window){ .fd = -1 };
}

bool ml_line_window_more(struct ml_line_window *w, struct ml_err *err)
{
	size_t done = (size_t)(w->at - w->data), have = (size_t)(w->end - w->at);

	err->kind = ML_OK;
	memmove(w->data, w->at, w->filled - done);
	w->filled -= done;
	for (;;) {
		char *behind = w->data + have;
		char *newline = memrchr(behind, '\n', w->filled - have);

		w->at = w->data;
		w->end = newline ? newline + 1 : behind;
		if (newline || w->last)
			return newline;
		/* One byte stays free for the newline that the last line may lack. */
		if (w->filled + 1 >= w->cap) {
			if (w->filled >= LINE_MAX_BYTES)
				return ml_fail(err, ML_FORMAT,
					       "%s:%llu: the line is longer than 64 MiB",
					       w->name, (unsigned long long)w->line);
			w->cap *= 2;
			w->data = ml_resize(w->data, w->cap);
		}
		if (ml_work_cancelled(w->work))
			return ml_fail(err, ML_STOPPED, "stopped; nothing was imported");
		ssize_t n = read(w->fd, w->data + w->filled, w->cap - w->filled - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ml_fail_errno(err, "%s: cannot read at byte %llu", w->name,
					     (unsigned long long)w->read);
		w->filled += (size_t)n;
		w->read += (uint64_t)n;
		w->last = !n;
		if (w->last && w->filled > have)
			w->data[w->filled++] = '\n';
		ml_work_progress(w->work, "importing", w->read, w->total);
	}
}

bool ml_line_window_lines(struct ml_line_window *w, struct ml_err *err)
{
	return w->at < w->end || ml_line_window_more(w, err);
}
