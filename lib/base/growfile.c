#include "lib/base/growfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/hidden_file.h"

/* Must the file that is there be written in place? */
static bool must_stay(const char *path, const struct stat *st)
{
	struct stat own;

	return !S_ISREG(st->st_mode) || st->st_nlink != 1 || st->st_uid != geteuid() ||
	       lstat(path, &own) || S_ISLNK(own.st_mode);
}

bool ml_growfile_show(struct ml_growfile *f, struct ml_err *err)
{
	if (f->in_place)
		return true;
	/* what replaces an older file must not be empty after a crash of the system */
	if (!ml_hidden_is_written(f->fd) ||
	    (f->replaces && fsync(f->fd) && errno != EINVAL && errno != EROFS) ||
	    (!f->hidden && !(f->hidden = ml_hidden_link(f->fd, f->path))) ||
	    rename(f->hidden, f->path))
		return ml_fail_errno(err, "%s: cannot create the file", f->path);
	ml_free(f->hidden);
	f->hidden = NULL;
	f->in_place = true;
	return true;
}

static void release(struct ml_growfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->hidden)
		unlink(f->hidden);
	ml_free(f->hidden);
	ml_free(f->path);
	*f = (struct ml_growfile){ .fd = -1 };
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

bool ml_growfile_open(struct ml_growfile *f, const char *path, bool late,
		      const void *bytes, size_t size, struct ml_err *err)
{
	struct stat st;

	*f = (struct ml_growfile){ .fd = -1, .path = ml_hidden_resolved(path) };
	bool exists = !stat(f->path, &st);
	f->in_place = exists && (late ? !S_ISREG(st.st_mode) : must_stay(f->path, &st));
	f->replaces = exists && !f->in_place;
	f->fd = f->in_place ? open(f->path, O_WRONLY | O_TRUNC | O_CLOEXEC)
			    : ml_hidden_open(f->path, O_WRONLY, &f->hidden);
	bool ok = f->fd >= 0;
	if (ok && f->replaces && fchmod(f->fd, st.st_mode & 0777)) {
		/* then the file has the permissions of a new one */
	}
	ok = ok && write_all(f->fd, bytes, size);
	if (!ok)
		ml_fail_errno(err, "%s: cannot create the file", path);
	if (ok && !f->replaces && !late)
		ok = ml_growfile_show(f, err);
	if (!ok)
		release(f);
	return ok;
}

bool ml_growfile_close(struct ml_growfile *f, struct ml_err *err)
{
	bool ok = true;

	if (f->fd >= 0 && close(f->fd))
		ok = ml_fail_errno(err, "%s: cannot finish the file", f->path);
	f->fd = -1;
	release(f);
	return ok;
}

bool ml_growfile_check(const char *path, struct ml_err *err)
{
	char *at = ml_hidden_resolved(path), *slash = strrchr(at, '/');
	struct stat st;
	bool exists = !stat(at, &st);
	bool ok = exists ? S_ISDIR(st.st_mode) ? (errno = EISDIR, false)
					       : !access(at, W_OK)
			 : true;

	if (ok && (!exists || !must_stay(at, &st))) {
		if (slash)
			slash[1] = 0;
		ok = !access(slash ? at : ".", W_OK | X_OK);
	}
	if (!ok)
		ml_fail_errno(err, "%s: cannot create the file", path);
	ml_free(at);
	return ok;
}
