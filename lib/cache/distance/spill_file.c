#include "lib/cache/distance/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"

/* Most of the bytes are small differences by column; a higher level gains little. */
enum { LEVEL = 1 };

static int open_nameless(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[4096];

	/* not every file system supports O_TMPFILE */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (snprintf(path, sizeof(path), "%s/memlamp-XXXXXX", folder) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

bool ml_spill_file_open(struct ml_spill_file *s, struct ml_err *err)
{
	const char *folder = getenv("TMPDIR");

	if (!folder || !*folder)
		folder = access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
	*s = (struct ml_spill_file){ .folder = folder, .fd = open_nameless(folder) };
	if (s->fd < 0)
		return ml_fail_errno(err, "%s: no temporary file can be made", folder);
	return true;
}

void ml_spill_file_close(struct ml_spill_file *s)
{
	if (s->fd >= 0)
		close(s->fd);
	ml_free(s->blocks);
	ml_packer_release(&s->packer);
	ml_unpacker_release(&s->unpacker);
	ml_buf_release(&s->scratch);
	*s = (struct ml_spill_file){ .fd = -1 };
}

bool ml_spill_file_put(struct ml_spill_file *s, const void *bytes, size_t size,
		       struct ml_err *err)
{
	s->scratch.size = 0;
	size_t packed = ml_pack(&s->packer, bytes, size, LEVEL, &s->scratch);
	for (size_t done = 0; done < packed;) {
		ssize_t n = pwrite(s->fd, s->scratch.data + done, packed - done,
				   (off_t)(s->bytes + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ENOSPC)
			return ml_fail_errno(
				err,
				"%s: a temporary file of %llu bytes cannot grow (set "
				"TMPDIR to a folder with more room)",
				s->folder, (unsigned long long)s->bytes);
		if (n < 0)
			return ml_fail_errno(
				err, "%s: a temporary file cannot be written", s->folder);
		done += (size_t)n;
	}
	s->blocks = ml_grow(s->blocks, &s->cap, s->count + 1, sizeof(*s->blocks));
	s->blocks[s->count++] = (struct ml_spill_file_block){ s->bytes, packed, size };
	s->bytes += packed;
	return true;
}

bool ml_spill_file_get(struct ml_spill_file *s, size_t block, struct ml_buf *out,
		       struct ml_err *err)
{
	const struct ml_spill_file_block *b = &s->blocks[block];
	struct ml_err why;

	s->scratch.size = out->size = 0;
	ml_buf_reserve(&s->scratch, b->packed + 1);
	for (size_t done = 0; done < b->packed;) {
		ssize_t n = pread(s->fd, s->scratch.data + done, b->packed - done,
				  (off_t)(b->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ml_fail_errno(err, "%s: a temporary file cannot be read",
					     s->folder);
		if (!n)
			return ml_fail(err, ML_IO, "%s: a temporary file ends too early",
				       s->folder);
		done += (size_t)n;
	}
	ml_buf_reserve(out, b->size + 1);
	out->size = b->size;
	return ml_unpack(&s->unpacker, s->scratch.data, b->packed, out->data, b->size,
			 &why) ||
	       ml_fail(err, ML_IO, "%s: byte %llu of a temporary file %s", s->folder,
		       (unsigned long long)b->offset, why.text);
}
