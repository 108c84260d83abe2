#include "record/import/import_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/work.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"

enum { FIRST_BYTES = 1 << 20, MAX_BYTES = 64 << 20 };

/* The last line of a file may lack its newline; one byte of room is kept for it. */
static void end_last_line(struct ml_import_probe *p)
{
	p->whole = true;
	if (p->size && p->bytes[p->size - 1] != '\n')
		p->bytes[p->size++] = '\n';
}

static bool read_first(struct ml_import_probe *p, const struct ml_work *work,
		       struct ml_err *err)
{
	bool line = false; /* there is a whole one */

	while (!p->whole && !line && p->size < MAX_BYTES) {
		if (p->size + 1 >= p->cap) {
			p->cap *= 2;
			p->bytes = ml_resize(p->bytes, p->cap);
		}
		if (ml_work_cancelled(work))
			return ml_fail(err, ML_STOPPED, "stopped; nothing was imported");
		ssize_t n = read(p->fd, p->bytes + p->size, p->cap - p->size - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ml_fail_errno(err, "%s: cannot read at byte %zu", p->name,
					     p->size);
		line = memchr(p->bytes + p->size, '\n', (size_t)n);
		p->size += (size_t)n;
		if (!n)
			end_last_line(p);
	}
	const char *newline = memrchr(p->bytes, '\n', p->size);
	p->lines = newline ? (size_t)(newline + 1 - p->bytes) : 0;
	return true;
}

bool ml_import_probe_open(struct ml_import_probe *p, const char *path,
			  const struct ml_work *work, struct ml_err *err)
{
	bool standard = !strcmp(path, "-");
	struct stat st;

	*p = (struct ml_import_probe){ .path = path, .cap = FIRST_BYTES };
	p->name = standard ? "standard input" : path;
	p->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0)
		return ml_fail_errno(err, "%s: cannot open", path);
	bool known = !fstat(p->fd, &st);
	p->is_folder = known && S_ISDIR(st.st_mode);
	if (known && S_ISREG(st.st_mode))
		p->total = (uint64_t)st.st_size;
	p->bytes = ml_resize(NULL, p->cap);
	if (p->is_folder || read_first(p, work, err))
		return true;
	ml_import_probe_close(p);
	return false;
}

void ml_import_probe_text(struct ml_import_probe *p, const char *name, const char *text)
{
	size_t size = strlen(text);

	*p = (struct ml_import_probe){ .path = name, .name = name, .fd = -1 };
	p->cap = size + 1;
	p->bytes = ml_resize(NULL, p->cap);
	memcpy(p->bytes, text, size);
	p->size = size;
	end_last_line(p);
	p->lines = p->size;
}

void ml_import_probe_close(struct ml_import_probe *p)
{
	if (p->fd > STDIN_FILENO)
		close(p->fd);
	ml_free(p->bytes);
	p->bytes = NULL;
	p->fd = -1;
}
