#include "record/reader/process.h"

#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/file.h"

enum { CMDLINE_MAX = 4 << 20, NOTES_MAX = 4096 };

static bool is_program(const char *path, struct stat *st)
{
	return !stat(path, st) && S_ISREG(st->st_mode) && !access(path, X_OK);
}

/* Looks name up in PATH; path has room for PATH_MAX bytes. */
static bool find(const char *name, char *path, struct stat *st)
{
	const char *dirs = getenv("PATH");

	for (const char *at = dirs ? dirs : "/bin:/usr/bin"; *at;) {
		size_t n = strcspn(at, ":");

		snprintf(path, PATH_MAX, "%.*s/%s", (int)n, n ? at : ".", name);
		if (is_program(path, st))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

/* 32-bit programs have their own loader, and would need a tool of their own. */
static bool is_32bit(const char *path)
{
	char head[5] = "";
	FILE *f = fopen(path, "rb");

	if (f) {
		if (fread(head, 1, sizeof(head), f) != sizeof(head))
			head[0] = 0;
		fclose(f);
	}
	return !memcmp(head, "\177ELF\1", sizeof(head));
}

bool ml_process_check(const char *name, struct ml_err *err)
{
	char path[PATH_MAX];
	struct stat st;

	if (strchr(name, '/')) {
		snprintf(path, sizeof(path), "%s", name);
		if (stat(path, &st))
			return ml_fail_errno(err, "%s: cannot be run", name);
		if (S_ISDIR(st.st_mode))
			return ml_fail(err, ML_IO, "%s: is a folder, not a program",
				       name);
		if (!is_program(path, &st))
			return ml_fail(err, ML_IO, "%s: is not executable", name);
	} else if (!find(name, path, &st)) {
		return ml_fail(err, ML_IO, "%s: no such program", name);
	}
	if (st.st_mode & (S_ISUID | S_ISGID))
		return ml_fail(err, ML_IO,
			       "%s: set-user-ID and set-group-ID programs cannot be "
			       "recorded",
			       name);
	if (is_32bit(path))
		return ml_fail(err, ML_IO, "%s: 32-bit programs cannot be recorded",
			       name);
	return true;
}

/* Does this segment of notes contain the one of `memlamp cc`? */
static bool has_note(FILE *f, uint64_t offset, uint64_t size)
{
	static const char name[] = "memlamp";
	char bytes[NOTES_MAX];

	if (size > sizeof(bytes) || fseek(f, (long)offset, SEEK_SET) ||
	    fread(bytes, 1, size, f) != size)
		return false;
	for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
		Elf64_Nhdr n;

		memcpy(&n, bytes + at, sizeof(n));
		at += sizeof(n);
		if (n.n_namesz == sizeof(name) && at + sizeof(name) <= size &&
		    !memcmp(bytes + at, name, sizeof(name)))
			return true;
		at += (n.n_namesz + 3ull) / 4 * 4 + (n.n_descsz + 3ull) / 4 * 4;
	}
	return false;
}

bool ml_process_path(const char *name, char *path)
{
	struct stat st;

	if (!strchr(name, '/'))
		return find(name, path, &st);
	snprintf(path, PATH_MAX, "%s", name);
	return true;
}

bool ml_process_is_instrumented(const char *name)
{
	char path[PATH_MAX];
	Elf64_Ehdr head;
	bool found = false;

	FILE *f = ml_process_path(name, path) ? fopen(path, "rb") : NULL;
	if (!f)
		return false;
	if (fread(&head, sizeof(head), 1, f) != 1 ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		head.e_phnum = 0;
	for (unsigned i = 0; i < head.e_phnum && !found; i++) {
		Elf64_Phdr p;

		if (fseek(f, (long)(head.e_phoff + i * sizeof(p)), SEEK_SET) ||
		    fread(&p, sizeof(p), 1, f) != 1)
			break;
		found = p.p_type == PT_NOTE && has_note(f, p.p_offset, p.p_filesz);
	}
	fclose(f);
	return found;
}

bool ml_process_launches_instrumented(char *const *argv)
{
	static const char *const launchers[] = {
		"aprun",   "chrt",    "env",     "ibrun",   "ionice",
		"jsrun",   "mpiexec", "mpirun",  "nice",    "nohup",
		"numactl", "prlimit", "setarch", "setsid",  "srun",
		"stdbuf",  "taskset", "time",    "timeout", "xvfb-run",
	};
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	bool is_launcher = false;
	struct stat st;
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		is_launcher |= !strncmp(name, launchers[i], strlen(launchers[i])) &&
			       (!name[strlen(launchers[i])] ||
				name[strlen(launchers[i])] == '.');
	for (size_t i = 1; is_launcher && argv[i]; i++)
		if ((strchr(argv[i], '/') ? is_program(argv[i], &st)
					  : find(argv[i], path, &st)) &&
		    ml_process_is_instrumented(argv[i]))
			return true;
	return false;
}

static bool is_valgrind_option(const char *arg)
{
	return !strncmp(arg, "--", 2) || !strcmp(arg, "-q");
}

const char *ml_process_command(pid_t pid, bool under_valgrind, struct ml_arena *a)
{
	struct ml_err err;
	char path[64], *text;
	const char *command = "";
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	if (!ml_file_read(path, CMDLINE_MAX, a, &text, &size, &err))
		return command;
	char *at = text, *end = text + size;
	if (under_valgrind)
		for (at += strlen(at) + 1; at < end && is_valgrind_option(at);)
			at += strlen(at) + 1;
	for (char *p = at; p + 1 < end; p++)
		if (!*p)
			*p = ' ';
	return at < end ? at : command;
}

bool ml_process_cwd(pid_t pid, char *path, size_t size)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	ssize_t n = readlink(link, path, size - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	return true;
}

/* The state in /proc/PID/task/TID/stat, behind the name in parentheses; 0: it is gone. */
static char state_of(pid_t pid, const char *task)
{
	char path[300], text[300];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, task);
	f = fopen(path, "r");
	if (!f)
		return 0;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	const char *end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

bool ml_process_sleeps(pid_t pid)
{
	char path[64];
	bool sleeps = true;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = opendir(path);
	if (!d)
		return false;
	for (struct dirent *e; sleeps && (e = readdir(d));)
		if (e->d_name[0] != '.')
			sleeps = state_of(pid, e->d_name) == 'S';
	closedir(d);
	return sleeps;
}
