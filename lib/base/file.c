#include "lib/base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

static const uint8_t nothing[1];

static bool map(struct ml_file_map *m, int fd, const char *path, struct ml_err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return ml_fail_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode))
		return ml_fail(err, ML_IO, "%s: not a regular file", path);
	if (!st.st_size)
		return true;
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return ml_fail_errno(err, "%s: cannot be mapped", path);
	*m = (struct ml_file_map){ data, (size_t)st.st_size };
	return true;
}

bool ml_file_map_open(struct ml_file_map *m, const char *path, struct ml_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*m = (struct ml_file_map){ nothing, 0 };
	if (fd < 0)
		return ml_fail_errno(err, "%s", path);
	bool ok = map(m, fd, path, err);
	close(fd);
	return ok;
}

void ml_file_map_close(struct ml_file_map *m)
{
	if (m->size)
		munmap((void *)(uintptr_t)m->data, m->size);
	*m = (struct ml_file_map){ 0 };
}

static bool read_all(int fd, const char *path, size_t limit, struct ml_buf *b,
		     struct ml_err *err)
{
	for (;;) {
		ml_buf_reserve(b, 64 * 1024);
		ssize_t n = read(fd, b->data + b->size, b->cap - b->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ml_fail_errno(err, "%s", path);
		if (!n)
			return true;
		b->size += (size_t)n;
		if (b->size > limit)
			return ml_fail(err, ML_FORMAT, "%s: more than %zu bytes", path,
				       limit);
	}
}

bool ml_file_read(const char *path, size_t limit, struct ml_arena *a, char **text,
		  size_t *size, struct ml_err *err)
{
	struct ml_buf b = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return ml_fail_errno(err, "%s", path);
	bool ok = read_all(fd, path, limit, &b, err);
	close(fd);
	if (ok) {
		*text = ml_arena_copy(a, b.data, b.size);
		*size = b.size;
	}
	ml_buf_release(&b);
	return ok;
}

bool ml_file_begins_with(const char *path, const void *bytes, size_t size)
{
	char first[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	assert(size <= sizeof(first));
	if (fd < 0)
		return false;
	bool same = pread(fd, first, size, 0) == (ssize_t)size &&
		    !memcmp(first, bytes, size);
	close(fd);
	return same;
}
