#include "lib/base/hidden_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"

char *ml_hidden_join(const char *path, const char *ending)
{
	size_t size = strlen(path) + strlen(ending) + 1;
	char *text = ml_resize(NULL, size);

	snprintf(text, size, "%s%s", path, ending);
	return text;
}

char *ml_hidden_resolved(const char *path)
{
	char real[PATH_MAX];
	struct stat a, b;

	if (realpath(path, real) && !stat(path, &a) && !stat(real, &b) &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return ml_hidden_join(real, "");
	return ml_hidden_join(path, "");
}

static int open_nameless(const char *path, int access)
{
	char *folder = ml_hidden_join(path, ""), *slash = strrchr(folder, '/');

	if (slash)
		slash[1] = 0;
	int fd = open(slash ? folder : ".", O_TMPFILE | access | O_CLOEXEC, 0666);
	int why = errno;
	ml_free(folder);
	errno = why;
	return fd;
}

int ml_hidden_open(const char *path, int access, char **name)
{
	mode_t mask = umask(0);

	umask(mask);
	*name = NULL;
	int fd = open_nameless(path, access);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	*name = ml_hidden_join(path, ".XXXXXX");
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0) { /* mkostemp forbids others to read */
		fchmod(fd, 0666 & ~mask);
		return fd;
	}
	int why = errno;
	ml_free(*name);
	*name = NULL;
	errno = why;
	return -1;
}

bool ml_hidden_is_written(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy >= 0 && !close(copy);
}

char *ml_hidden_link(int fd, const char *path)
{
	char own[32], ending[32];

	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	snprintf(ending, sizeof(ending), ".%d-%d", getpid(), fd);
	char *name = ml_hidden_join(path, ending);
	unlink(name);
	if (!linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
		return name;
	int why = errno;
	ml_free(name);
	errno = why;
	return NULL;
}
