#include "lib/base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

static char *text(const char *path, const char *ending)
{
	size_t size = strlen(path) + strlen(ending) + 1;
	char *s = ml_resize(NULL, size);

	snprintf(s, size, "%s%s", path, ending);
	return s;
}

static int open_nameless(const char *path)
{
	char *folder = text(path, ""), *slash = strrchr(folder, '/');

	if (slash)
		slash[1] = 0;
	int fd = open(slash ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	int why = errno;
	ml_free(folder);
	errno = why;
	return fd;
}

bool ml_newfile_open(struct ml_newfile *f, const char *path, struct ml_err *err)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	*f = (struct ml_newfile){ .path = text(path, "") };
	f->in_place = !stat(path, &st) && !S_ISREG(st.st_mode);
	f->fd = f->in_place ? open(path, O_WRONLY | O_CLOEXEC) : open_nameless(path);
	if (f->fd < 0 && !f->in_place &&
	    (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		f->name = text(path, ".XXXXXX");
		f->fd = mkostemp(f->name, O_CLOEXEC);
		if (f->fd >= 0) /* mkostemp forbids others to read */
			fchmod(f->fd, 0666 & ~mask);
	}
	if (f->fd >= 0)
		return true;
	ml_fail_errno(err, "%s: cannot create the file", path);
	ml_free(f->name);
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

/* Gives a nameless file a temporary name, from which it can be renamed. */
static bool link_temporary(struct ml_newfile *f, struct ml_err *err)
{
	char fd[32], ending[48];

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", f->fd);
	snprintf(ending, sizeof(ending), ".%d-%d", getpid(), f->fd);
	char *name = text(f->path, ending);
	unlink(name);
	if (linkat(AT_FDCWD, fd, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0) {
		ml_fail_errno(err, "%s: cannot create the file", name);
		ml_free(name);
		return false;
	}
	f->name = name;
	return true;
}

/* close may fail on file systems that allocate space late. */
static bool end(struct ml_newfile *f, struct ml_err *err)
{
	if (!f->in_place && !f->name && !link_temporary(f, err))
		return false;
	/* what replaces an older file must not be empty after a crash of the system */
	if (!f->in_place && !access(f->path, F_OK) && fsync(f->fd) && errno != EINVAL)
		return ml_fail_errno(err, "%s: cannot write the file", f->path);
	int fd = f->fd;
	f->fd = -1;
	if (close(fd) != 0)
		return ml_fail_errno(err, "%s: cannot write the file", f->path);
	if (f->in_place)
		return true;
	if (rename(f->name, f->path) != 0)
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
	ml_free(f->path);
}
