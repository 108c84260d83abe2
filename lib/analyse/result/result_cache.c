#include "lib/analyse/result/result_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/analyse/result/result.h"
#include "lib/analyse/result/result_parts.h"
#include "lib/base/arena.h"
#include "lib/base/cache_folder.h"
#include "lib/base/buf.h"
#include "lib/base/map.h"

#define SUFFIX ".mls"

uint64_t ml_result_cache_limit(const char *size)
{
	static const char units[] = "KMGT";
	const uint64_t usual = (uint64_t)4 << 30;
	char *end;

	if (!size || *size < '0' || *size > '9')
		return usual;
	errno = 0;
	uint64_t v = strtoull(size, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (errno || end[unit ? 1 : 0] || v > UINT64_MAX >> shift)
		return usual;
	return v << shift;
}

static uint64_t limit(void)
{
	return ml_result_cache_limit(getenv("MEMLAMP_CACHE_SIZE"));
}

static const char *path_of(const struct ml_result_info *info, struct ml_arena *a)
{
	const char *in = ml_cache_folder(a);
	struct ml_buf key = { 0 };

	if (!in || !limit())
		return NULL;
	ml_buf_u32(&key, ML_RESULT_VERSION);
	ml_buf_put(&key, info->trace, sizeof(info->trace));
	ml_result_put_info(&key, info);
	uint64_t low = ml_hash(key.data, key.size);
	/* a second hash of the same bytes, so that results never collide by chance */
	ml_buf_u64(&key, low);
	uint64_t high = ml_hash(key.data, key.size);
	ml_buf_release(&key);
	return ml_arena_printf(a, "%s/%016llx%016llx" SUFFIX, in,
			       (unsigned long long)high, (unsigned long long)low);
}

const char *ml_result_cache_path(const struct ml_result_info *info, struct ml_arena *a,
				 struct ml_err *err)
{
	const char *path = path_of(info, a), *folder = ml_cache_folder(a);

	err->kind = ML_OK;
	if (path && !ml_cache_folder_make(folder, a)) {
		ml_fail_errno(err, "%s", folder);
		return NULL;
	}
	return path;
}

bool ml_result_cache_find(const struct ml_result_info *info, const struct ml_trace *t,
			  struct ml_result *r)
{
	struct ml_arena a = { 0 };
	const char *path = path_of(info, &a);
	struct ml_err err;
	bool ok = path && access(path, R_OK) == 0;

	if (ok) {
		ok = ml_result_open(r, path, &err);
		/* an older memlamp did not say how it merged threads; a part is not asked for */
		if (ok && !(ml_result_same(&r->info, info) &&
			    r->refs == info->to - info->from &&
			    (r->has_turns || !r->profile.interleaved) &&
			    ml_result_fit(r, t, &err))) {
			ml_result_close(r);
			ok = false;
		}
		/* delete a damaged file: the result is soon made again */
		if (!ok)
			unlink(path);
		else
			utimensat(AT_FDCWD, path, NULL, 0);
	}
	ml_arena_release(&a);
	return ok;
}

struct file {
	const char *name;
	uint64_t size;
	struct timespec used;
};

static int by_use(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * A file that an interrupted writer may have left, on systems where new files need names.
 */
static bool is_stale(const char *name, const struct stat *st)
{
	const char *suffix = strstr(name, SUFFIX ".");

	return suffix && st->st_mtime < time(NULL) - 24 * 3600;
}

static bool is_result(const char *name)
{
	size_t size = strlen(name), end = strlen(SUFFIX);

	return size > end && !strcmp(name + size - end, SUFFIX);
}

void ml_result_cache_trim(void)
{
	struct ml_arena a = { 0 };
	struct file *files = NULL;
	size_t count = 0, cap = 0;
	uint64_t total = 0, max = limit();
	const char *in = ml_cache_folder(&a);
	DIR *dir = in ? opendir(in) : NULL;
	struct stat st;

	for (struct dirent *d; dir && (d = readdir(dir));) {
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (is_stale(d->d_name, &st))
			unlinkat(dirfd(dir), d->d_name, 0);
		if (!is_result(d->d_name))
			continue;
		files = ml_grow(files, &cap, count + 1, sizeof(*files));
		files[count++] = (struct file){ ml_arena_strdup(&a, d->d_name),
						(uint64_t)st.st_size, st.st_mtim };
		total += (uint64_t)st.st_size;
	}
	if (count)
		qsort(files, count, sizeof(*files), by_use);
	for (size_t i = 0; i < count && total > max; i++) {
		unlinkat(dirfd(dir), files[i].name, 0);
		total -= files[i].size;
	}
	if (dir)
		closedir(dir);
	ml_free(files);
	ml_arena_release(&a);
}
