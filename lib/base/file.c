#include "lib/base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

enum { MAPS = 1024 };

static const uint8_t nothing[1];

/*
 * The files that are mapped. A signal handler can only reach variables, so this is one of
 * few that change. Entries are claimed by `low`; a file that finds none free is not
 * guarded.
 */
static struct mapped {
	uintptr_t low, high; /* atomic; low 0: free */
	bool cut;            /* atomic */
} all_mapped[MAPS];
static uint64_t all_holes; /* atomic */

static void note_map(const struct ml_file_map *m)
{
	uintptr_t low = (uintptr_t)m->data;

	for (size_t i = 0; i < MAPS; i++) {
		struct mapped *x = &all_mapped[i];
		uintptr_t expected = 0;

		if (!__atomic_compare_exchange_n(&x->low, &expected, low, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&x->cut, false, __ATOMIC_RELEASE);
		__atomic_store_n(&x->high, low + m->size, __ATOMIC_RELEASE);
		return;
	}
}

static void forget_map(const struct ml_file_map *m)
{
	for (size_t i = 0; i < MAPS; i++)
		if (__atomic_load_n(&all_mapped[i].low, __ATOMIC_ACQUIRE) ==
		    (uintptr_t)m->data) {
			__atomic_store_n(&all_mapped[i].high, 0, __ATOMIC_RELEASE);
			__atomic_store_n(&all_mapped[i].low, 0, __ATOMIC_RELEASE);
			return;
		}
}

bool ml_file_map_is_cut(const uint8_t *data)
{
	for (size_t i = 0; data && i < MAPS; i++)
		if (__atomic_load_n(&all_mapped[i].low, __ATOMIC_ACQUIRE) ==
		    (uintptr_t)data)
			return __atomic_load_n(&all_mapped[i].cut, __ATOMIC_ACQUIRE);
	return false;
}

uint64_t ml_file_map_holes(void)
{
	return __atomic_load_n(&all_holes, __ATOMIC_ACQUIRE);
}

/* Puts a page of zeros where the file has none. */
static void fill_in(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)info->si_addr;
	int why = errno;

	(void)context;
	for (size_t i = 0; i < MAPS; i++) {
		struct mapped *x = &all_mapped[i];

		if (at < __atomic_load_n(&x->low, __ATOMIC_ACQUIRE) ||
		    at >= __atomic_load_n(&x->high, __ATOMIC_ACQUIRE))
			continue;
		__atomic_store_n(&x->cut, true, __ATOMIC_RELEASE);
		__atomic_fetch_add(&all_holes, 1, __ATOMIC_RELEASE);
		if (mmap((void *)(at & ~(page - 1)), page, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
			errno = why;
			return;
		}
	}
	signal(signal_number, SIG_DFL); /* the instruction runs again, and ends us */
	errno = why;
}

void ml_file_map_guard(void)
{
	struct sigaction a = { .sa_sigaction = fill_in, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &a, NULL);
}

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
		return ml_fail_errno(err, "%s: cannot map the file", path);
	*m = (struct ml_file_map){ data, (size_t)st.st_size };
	note_map(m);
	return true;
}

bool ml_file_map_open(struct ml_file_map *m, const char *path, struct ml_err *err)
{
	/* not waiting for the writer of a pipe, which is no regular file either */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*m = (struct ml_file_map){ nothing, 0 };
	if (fd < 0)
		return ml_fail_errno(err, "%s", path);
	bool ok = map(m, fd, path, err);
	close(fd);
	return ok;
}

bool ml_file_map_copy(struct ml_file_map *m, const char *path, struct ml_err *err)
{
	struct ml_file_map file;

	if (!ml_file_map_open(&file, path, err))
		return false;
	*m = file;
	if (!file.size)
		return true;
	void *copy = mmap(NULL, file.size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy != MAP_FAILED) {
		memcpy(copy, file.data, file.size);
		*m = (struct ml_file_map){ copy, file.size };
	}
	size_t size = file.size;
	ml_file_map_close(&file);
	return copy != MAP_FAILED ||
	       ml_fail(err, ML_IO, "%s: %zu bytes do not fit into memory", path, size);
}

void ml_file_map_close(struct ml_file_map *m)
{
	if (m->size) {
		forget_map(m);
		munmap((void *)(uintptr_t)m->data, m->size);
	}
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
			return ml_fail(err, ML_FORMAT,
				       "%s: the file has more than %zu bytes", path,
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
