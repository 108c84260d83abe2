#include "lib/base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/hidden_file.h"

/*
 * The standard stream that goes to this file; -1: none. It is written through the stream:
 * what others write there stays, and a new file of that name would not be where it goes.
 */
static int stream_of(const struct stat *st)
{
	struct stat own;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &own) && own.st_dev == st->st_dev &&
		    own.st_ino == st->st_ino)
			return fd;
	return -1;
}

bool ml_newfile_open(struct ml_newfile *f, const char *path, struct ml_err *err)
{
	struct stat st;

	*f = (struct ml_newfile){ .path = ml_hidden_join(path, ""),
				  .target = ml_hidden_resolved(path) };
	bool exists = !stat(f->target, &st);
	int stream = exists ? stream_of(&st) : -1;
	f->in_place = exists && (stream >= 0 || !S_ISREG(st.st_mode));
	f->fd = stream >= 0   ? fcntl(stream, F_DUPFD_CLOEXEC, 3)
		: f->in_place ? open(f->target, O_WRONLY | O_CLOEXEC)
			      : ml_hidden_open(f->target, O_RDWR, &f->name);
	if (f->fd >= 0)
		return true;
	ml_fail_errno(err, "%s: cannot create the file", path);
	ml_free(f->target);
	ml_free(f->path);
	return false;
}

bool ml_newfile_write(struct ml_newfile *f, const void *bytes, size_t size,
		      struct ml_err *err)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(f->fd, (const char *)bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ml_fail_errno(err, "%s: cannot write at byte %llu",
					     f->path,
					     (unsigned long long)(f->bytes + done));
		done += (size_t)n;
	}
	f->bytes += size;
	return true;
}

/* From link to rename is a moment: a process that ends there leaves a file behind. */
static bool end(struct ml_newfile *f, struct ml_err *err)
{
	/* what replaces an older file must not be empty after a crash of the system */
	if ((!f->in_place && !access(f->target, F_OK) && fsync(f->fd) &&
	     errno != EINVAL) ||
	    !ml_hidden_is_written(f->fd))
		return ml_fail_errno(err, "%s: cannot write the file", f->path);
	if (f->in_place)
		return true;
	if ((!f->name && !(f->name = ml_hidden_link(f->fd, f->target))) ||
	    rename(f->name, f->target) != 0)
		return ml_fail_errno(err, "%s: cannot create the file", f->path);
	ml_free(f->name);
	f->name = NULL;
	return true;
}

bool ml_newfile_close(struct ml_newfile *f, struct ml_err *err)
{
	bool ok = end(f, err);

	ml_newfile_abandon(f);
	return ok;
}

void ml_newfile_abandon(struct ml_newfile *f)
{
	if (f->name)
		unlink(f->name);
	if (f->fd >= 0)
		close(f->fd);
	ml_free(f->name);
	ml_free(f->target);
	ml_free(f->path);
}
