#include "record/source/sources.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/trace/tables.h"

void ml_sources_release(struct ml_sources *s)
{
	for (size_t i = 0; i < s->paths.count; i++) {
		ml_free(s->file[i].text);
		ml_free(s->file[i].line);
	}
	ml_free(s->file);
	ml_free(s->beside);
	ml_names_release(&s->paths);
	*s = (struct ml_sources){ 0 };
}

static bool read_all(int fd, char *to, size_t size)
{
	while (size) {
		ssize_t n = read(fd, to, size);

		if (n <= 0)
			return false;
		to += n;
		size -= (size_t)n;
	}
	return true;
}

void ml_sources_program(struct ml_sources *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (s->beside || !n)
		return;
	s->beside = ml_resize(NULL, n + 1);
	memcpy(s->beside, path, n);
	s->beside[n] = 0;
}

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Opens a file where the path says, or else beside the program; -1: it is not there. */
static int find(const struct ml_sources *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char other[PATH_MAX];
	/* a relative path refers to the folder of the build, which is unknown */
	int fd = path[0] == '/' ? open_file(path) : -1;

	if (fd >= 0 || !s->beside || !*name)
		return fd;
	int n = snprintf(other, sizeof(other), "%s/%s", s->beside, name);
	return n > 0 && (size_t)n < sizeof(other) ? open_file(other) : -1;
}

static void load(struct ml_sources *s, struct ml_source *f, const char *path)
{
	struct stat st;
	int fd = find(s, path);

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= ML_SOURCE_MAX &&
	    s->bytes + (size_t)st.st_size <= ML_SOURCES_MAX) {
		f->size = (size_t)st.st_size;
		f->text = ml_resize(NULL, f->size + 1);
		f->text[f->size] = 0;
		if (!read_all(fd, f->text, f->size) || memchr(f->text, 0, f->size)) {
			ml_free(f->text);
			f->text = NULL;
		}
	}
	close(fd);
	if (!f->text)
		return;
	s->bytes += f->size;
	size_t cap = 0;
	f->line = ml_grow(f->line, &cap, 1, sizeof(*f->line));
	for (size_t at = 0; at < f->size;) {
		const char *end = memchr(f->text + at, '\n', f->size - at);

		at = end ? (size_t)(end - f->text) + 1 : f->size;
		f->line = ml_grow(f->line, &cap, (size_t)f->lines + 2, sizeof(*f->line));
		f->line[++f->lines] = (uint32_t)at;
	}
}

static struct ml_source *source_of(struct ml_sources *s, const char *path)
{
	uint32_t n = ml_names_add(&s->paths, path);

	s->file = ml_grow(s->file, &s->cap, (size_t)n + 1, sizeof(*s->file));
	struct ml_source *f = &s->file[n];
	if (!f->tried) {
		f->tried = true;
		load(s, f, path);
	}
	return f;
}

const char *ml_sources_line(struct ml_sources *s, const char *path, uint32_t line,
			    size_t *size)
{
	struct ml_source *f = source_of(s, path);

	*size = 0;
	if (!f->text || !line || line > f->lines)
		return NULL;
	size_t start = f->line[line - 1], end = f->line[line];
	while (end > start && (f->text[end - 1] == '\n' || f->text[end - 1] == '\r'))
		end--;
	*size = end - start;
	return f->text + start;
}

static bool is_kept(const char *path)
{
	return strncmp(path, "/usr/", 5) != 0 || strncmp(path, "/usr/src/", 9) == 0 ||
	       strncmp(path, "/usr/local/", 11) == 0;
}

bool ml_sources_each(struct ml_sources *s, const struct ml_tables *t, ml_source_fn *fn,
		     void *arg, struct ml_err *err)
{
	struct ml_map seen = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < t->frames.count; i++) {
		uint32_t file = t->frames.at[i].file;
		bool is_new;

		ml_map_add(&seen, file, &is_new);
		const char *path = ml_tables_text(t, file);
		if (!is_new || !is_kept(path))
			continue;
		const struct ml_source *f = source_of(s, path);
		if (f->text)
			ok = fn(arg, path, f->text, f->size, err);
	}
	ml_map_release(&seen);
	return ok;
}
