/*
 * A library that is preloaded into memlamp and lets the n-th call of a kind fail, as the
 * world lets it fail: the disk is full, descriptors or memory are used up. What is to fail
 * stands in a page that the tester maps as well ($INJECT, struct control), so one server
 * serves many faults. With $INJECT_LOG each change of a file is written down, in order.
 *
 * inject.py is the tester. Only memlamp itself is concerned, not the programs that it starts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call { WRITE, OPEN, MMAP, FSYNC, RENAME, MALLOC, THREAD, READ, CLOSE, CALLS };
enum { LARGE = 1 << 20, SHORT = -1 };

/* inject.py has the same fields. */
struct control {
	int64_t seen[CALLS]; /* calls of each kind so far */
	int64_t call, nth;   /* the nth call of this kind fails; nth 0: none */
	int64_t error;       /* errno; SHORT: half of the bytes are written */
	int64_t lasts;       /* not 0: those that follow fail as well */
	int64_t injected;    /* failures so far */
	char under[512];     /* only files whose path begins so; empty: any */
};

static struct control *control;
static int log_fd = -1;

#define REAL(name) \
	static __typeof__(name) *real; \
	if (!real) \
	real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("INJECT"), *log = getenv("INJECT_LOG");
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	const char *name = strrchr(self, '/');
	if (!path || !name || strcmp(name, "/memlamp"))
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	void *page = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  0);
	syscall(SYS_close, fd);
	if (log)
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, log,
				      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (page != MAP_FAILED)
		control = page;
}

static bool concerns(int fd, const char *path)
{
	char link[40], at[PATH_MAX];
	size_t n = strlen(control->under);

	if (!n)
		return true;
	if (!path) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t got = fd < 0 ? -1 : readlink(link, at, sizeof(at) - 1);
		if (got < 0)
			return false;
		at[got] = 0;
		path = at;
	} else if (*path != '/' && getcwd(at, sizeof(at))) {
		strncat(at, "/", sizeof(at) - strlen(at) - 1);
		strncat(at, path, sizeof(at) - strlen(at) - 1);
		path = at;
	}
	return !strncmp(path, control->under, n);
}

/* Does this call fail? Sets errno then. */
static bool fails(enum call call, int fd, const char *path)
{
	if (!control || !concerns(fd, path))
		return false;
	int64_t n = __atomic_add_fetch(&control->seen[call], 1, __ATOMIC_SEQ_CST);
	if (control->call != call || !control->nth ||
	    (control->lasts ? n < control->nth : n != control->nth))
		return false;
	__atomic_add_fetch(&control->injected, 1, __ATOMIC_SEQ_CST);
	if (control->error != SHORT)
		errno = (int)control->error;
	return true;
}

/* ---- the log: what was done to which file (by device and inode), with the bytes ---- */

static void note(const char *what, int fd, uint64_t at, const void *bytes, size_t size,
		 const char *name)
{
	char head[PATH_MAX + 200], link[40], path[PATH_MAX] = "";

	if (log_fd < 0)
		return;
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = 0;
	}
	int n = snprintf(head, sizeof(head), "%s %llu %zu %s\t%s\n", what,
			 (unsigned long long)at, size, path, name ? name : "");
	char *both = mmap(NULL, (size_t)n + size + 1, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(both, head, (size_t)n);
	if (size)
		memcpy(both + n, bytes, size);
	both[(size_t)n + size] = '\n';
	syscall(SYS_write, log_fd, both, (size_t)n + size + 1);
	munmap(both, (size_t)n + size + 1);
}

/* ---- the calls ---- */

ssize_t write(int fd, const void *bytes, size_t size)
{
	REAL(write);
	if (fails(WRITE, fd, NULL)) {
		if (control->error != SHORT)
			return -1;
		size = size > 1 ? size / 2 : size;
	}
	off_t at = log_fd < 0 ? 0 : lseek(fd, 0, SEEK_CUR);
	ssize_t n = real(fd, bytes, size);
	if (n > 0 && at >= 0)
		note("write", fd, (uint64_t)at, bytes, (size_t)n, NULL);
	return n;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	REAL(pwrite);
	if (fails(WRITE, fd, NULL)) {
		if (control->error != SHORT)
			return -1;
		size = size > 1 ? size / 2 : size;
	}
	ssize_t n = real(fd, bytes, size, at);
	if (n > 0)
		note("write", fd, (uint64_t)at, bytes, (size_t)n, NULL);
	return n;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at)
	__attribute__((alias("pwrite")));

/* Standard output goes through the C library, which calls no write of ours. */
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *f)
{
	REAL(fwrite);
	if (f == stdout && fails(WRITE, STDOUT_FILENO, NULL) && control->error != SHORT)
		return 0;
	return real(bytes, size, count, f);
}

int fflush(FILE *f)
{
	REAL(fflush);
	if (f == stdout && fails(WRITE, STDOUT_FILENO, NULL) && control->error != SHORT)
		return EOF;
	return real(f);
}

ssize_t read(int fd, void *bytes, size_t size)
{
	REAL(read);
	if (fails(READ, fd, NULL)) {
		if (control->error != SHORT)
			return -1;
		size = size > 1 ? size / 2 : size;
	}
	return real(fd, bytes, size);
}

int open(const char *path, int flags, ...)
{
	REAL(open);
	va_list ap;

	va_start(ap, flags);
	mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE
			      ? (mode_t)va_arg(ap, int)
			      : 0;
	va_end(ap);
	if (fails(OPEN, -1, path) && control->error != SHORT)
		return -1;
	int fd = real(path, flags, mode);
	if (fd >= 0 && flags & O_TRUNC)
		note("truncate", fd, 0, NULL, 0, NULL);
	return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

FILE *fopen(const char *path, const char *mode)
{
	REAL(fopen);
	if (fails(OPEN, -1, path) && control->error != SHORT)
		return NULL;
	return real(path, mode);
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

int mkostemp(char *path, int flags)
{
	REAL(mkostemp);
	return fails(OPEN, -1, path) && control->error != SHORT ? -1 : real(path, flags);
}

char *mkdtemp(char *path)
{
	REAL(mkdtemp);
	return fails(OPEN, -1, path) && control->error != SHORT ? NULL : real(path);
}

int memfd_create(const char *name, unsigned flags)
{
	REAL(memfd_create);
	return fails(OPEN, -1, name) && control->error != SHORT ? -1 : real(name, flags);
}

int ftruncate(int fd, off_t size)
{
	REAL(ftruncate);
	if (fails(WRITE, fd, NULL) && control->error != SHORT)
		return -1;
	int failed = real(fd, size);
	if (!failed)
		note("truncate", fd, (uint64_t)size, NULL, 0, NULL);
	return failed;
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	REAL(mmap);
	if (fails(MMAP, fd, NULL) && control->error != SHORT)
		return MAP_FAILED;
	return real(at, size, prot, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

int fsync(int fd)
{
	REAL(fsync);
	if (fails(FSYNC, fd, NULL) && control->error != SHORT)
		return -1;
	note("fsync", fd, 0, NULL, 0, NULL);
	return real(fd);
}

int close(int fd)
{
	REAL(close);
	bool failed = fails(CLOSE, fd, NULL) && control->error != SHORT;
	int why = errno, result = real(fd);

	if (!failed)
		return result;
	errno = why;
	return -1;
}

int rename(const char *from, const char *to)
{
	REAL(rename);
	if (fails(RENAME, -1, to) && control->error != SHORT)
		return -1;
	note("rename", -1, 0, from, strlen(from), to);
	return real(from, to);
}

int linkat(int folder, const char *from, int other, const char *to, int flags)
{
	REAL(linkat);
	char path[PATH_MAX];

	if (fails(RENAME, -1, to) && control->error != SHORT)
		return -1;
	ssize_t n = readlink(from, path, sizeof(path));
	int failed = real(folder, from, other, to, flags);
	if (!failed && n > 0)
		note("link", -1, 0, path, (size_t)n, to);
	return failed;
}

/* dlsym allocates: the C library has names of its own for what it would find. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static bool exhausted(size_t size)
{
	return size > LARGE && fails(MALLOC, -1, "");
}

void *malloc(size_t size)
{
	return exhausted(size) ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *realloc(void *old, size_t size)
{
	return exhausted(size) ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}

void *calloc(size_t count, size_t size)
{
	return exhausted(count * size) ? (errno = ENOMEM, NULL)
				       : __libc_calloc(count, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
		   void *arg)
{
	REAL(pthread_create);
	if (fails(THREAD, -1, "") && control->error != SHORT)
		return errno;
	return real(thread, attr, run, arg);
}
