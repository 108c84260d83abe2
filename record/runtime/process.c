#include "record/runtime/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/runtime/signals.h"
#include "record/runtime/slot.h"
#include "record/runtime/syscall.h"
#include "record/arch/ticks.h"

enum { RANGES = 1024, ARGS = 1024, SCAN_WORDS = 128, MAPS_BYTES = 1 << 20 };

/* Executable mappings; addresses outside of them end a call stack. */
static struct {
	struct range {
		uint64_t low, high;
		bool system; /* a library of the system: it has no frame pointers */
	} code[RANGES];
	size_t count;
	size_t maps_bytes; /* of /proc/self/maps when it could be read last */
} here;

/* The code at this address, as far as the last tell_maps saw, or NULL. */
static const struct range *code_at(uint64_t address)
{
	for (size_t i = 0; i < here.count; i++)
		if (address >= here.code[i].low && address < here.code[i].high)
			return &here.code[i];
	return NULL;
}

/* Does a call instruction of the program end at this address? */
static bool follows_call(uint64_t address)
{
	const struct range *r = code_at(address - 1);
	const uint8_t *p = (const uint8_t *)address;

	if (!r || r->system || address - r->low < 7)
		return false;
	return p[-5] == 0xe8 || (p[-2] == 0xff && (p[-1] & 0xf8) == 0xd0) ||
	       (p[-3] == 0xff && (p[-2] & 0xf8) == 0x50) ||
	       (p[-6] == 0xff && (p[-5] & 0xf8) == 0x90) ||
	       (p[-6] == 0xff && p[-5] == 0x15);
}

/*
 * A library of the system keeps other values than frames in the frame pointer. The
 * nearest word of the stack that looks like a return address into the program is taken
 * for the place that called the library, and the nearest pair that looks like a frame
 * behind it for its frame; NULL: none is near.
 */
static const uint64_t *frame_outside(const uint64_t *at, uint64_t high, uint64_t *ip)
{
	const uint64_t *end = at + SCAN_WORDS;

	if ((uint64_t)end > high)
		end = (const uint64_t *)high;
	while (at < end && !follows_call(*at))
		at++;
	if (at >= end)
		return NULL;
	*ip = *at++ - 1;
	for (end = at + SCAN_WORDS; at < end && (uint64_t)at + 16 <= high; at++)
		if (at[0] > (uint64_t)at && at[0] < high && !(at[0] & 7) &&
		    code_at(at[1] - 1))
			return at;
	return NULL;
}

size_t process_stack(const void *frame, uint64_t ips[STACK_DEPTH])
{
	const uint64_t *at = frame;
	uint64_t high = self.stack_high;
	const struct range *code;
	size_t n = 0;

	while (at && n < STACK_DEPTH && (code = code_at(at[1] - 1))) {
		uint64_t up = at[0], ip = 0;

		ips[n++] = at[1] - 1;
		if (code->system && n + 1 < STACK_DEPTH) {
			at = frame_outside(at + 2, high, &ip);
			if (ip)
				ips[n++] = ip;
			continue;
		}
		if (up <= (uint64_t)at || up & 7 || up + 16 > high)
			break;
		at = (const uint64_t *)up;
	}
	return n;
}

/* One line of /proc/self/maps: "low-high prot offset device inode path". */
struct line {
	uint64_t low, high, offset;
	uint32_t prot;
	const char *path;
};

static uint64_t hex(const char **at)
{
	uint64_t v = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

static struct line parse(char *text)
{
	const char *at = text;
	struct line l = { .low = hex(&at) };

	at++;
	l.high = hex(&at);
	l.prot = (uint32_t)(at[1] == 'r') | (uint32_t)(at[2] == 'w') << 1 |
		 (uint32_t)(at[3] == 'x') << 2;
	at += 6;
	l.offset = hex(&at);
	for (int i = 0; i < 2; i++) { /* device, inode */
		while (*at == ' ')
			at++;
		while (*at && *at != ' ')
			at++;
	}
	while (*at == ' ')
		at++;
	l.path = at;
	return l;
}

static bool is_system(const char *path)
{
	return !strncmp(path, "/usr/lib", 8) || !strncmp(path, "/lib", 4);
}

static void tell_map(struct ml_ring *slot, const struct line *l, bool all)
{
	enum ml_map_kind kind = ML_MAP_OTHER;
	const char *path = "";

	if (l->path[0] == '/') {
		kind = ML_MAP_FILE;
		path = l->path;
	} else if (!l->path[0]) {
		kind = ML_MAP_ANON;
	} else if (!strcmp(l->path, "[heap]")) {
		kind = ML_MAP_BRK;
	} else if (!strcmp(l->path, "[stack]")) {
		kind = ML_MAP_STACK;
		if (!self.stack_high) {
			self.stack_low = l->low;
			self.stack_high = l->high;
		}
	}
	if (l->prot & 4 && here.count < RANGES)
		here.code[here.count++] = (struct range){ l->low, l->high,
							  is_system(l->path) };
	if (strstr(l->path, "memfd:memlamp-ring") || (!all && kind != ML_MAP_FILE))
		return;
	uint64_t *w = slot_message(slot, ML_WORD_MAP, (uint32_t)kind | l->prot << 8,
				   3 + text_words(path));
	if (!w)
		return;
	w[0] = l->low;
	w[1] = l->high;
	w[2] = l->offset;
	text_put(w + 3, path);
	slot_commit(slot);
}

/* Reads a file of /proc into text, with a 0 behind it; how many bytes, -1: none can be
 * opened. */
static long read_proc(const char *path, char *text, size_t size)
{
	long fd = raw_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0,
			      0, 0);
	long have = 0, n;

	if (fd < 0)
		return -1;
	while ((n = raw_syscall(SYS_read, fd, (long)text + have, (long)size - 1 - have, 0,
				0, 0)) > 0)
		have += n;
	raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	text[have] = 0;
	return have;
}

/* Tells all mappings of this moment, or those of files only. Where the program can no
 * longer read them, those that were read last are told, which a child inherits. */
static void tell_maps(struct ml_ring *slot, bool all)
{
	static char maps[MAPS_BYTES];
	long n = read_proc("/proc/self/maps", maps, sizeof(maps));
	char *end;

	if (n >= 0)
		here.maps_bytes = (size_t)n;
	here.count = 0;
	for (char *at = maps;
	     (end = memchr(at, '\n', here.maps_bytes - (size_t)(at - maps)));
	     at = end + 1) {
		*end = 0;
		struct line l = parse(at);
		tell_map(slot, &l, all);
		*end = '\n';
	}
}

static void tell_text(struct ml_ring *slot, uint32_t what, const char *text)
{
	uint64_t *w = slot_message(slot, ML_WORD_ABOUT, what, text_words(text));

	if (!w)
		return;
	text_put(w, text);
	slot_commit(slot);
}

/* Reports command and folder: a process may end before the companion can read /proc. */
static void tell_about(struct ml_ring *slot)
{
	char text[PATH_MAX];
	long n = read_proc("/proc/self/cmdline", text, sizeof(text));

	while (n > 0 && !text[n - 1])
		n--;
	for (long i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	if (n > 0) {
		text[n] = 0;
		tell_text(slot, 0, text);
	}
	if (raw_syscall(SYS_getcwd, (long)text, sizeof(text), 0, 0, 0, 0) > 0)
		tell_text(slot, 1, text);
}

void process_thread(struct ml_ring *slot, uint32_t parent)
{
	uint64_t *w = slot_message(slot, ML_WORD_THREAD_NEW, self.number, 3);

	if (!w)
		return;
	w[0] = parent;
	w[1] = self.stack_low;
	w[2] = self.stack_high;
	slot_commit(slot);
}

static bool tell_fork(struct ml_ring *slot, bool child, uint64_t birth, uint64_t clock)
{
	uint64_t *w = slot_message(slot, ML_WORD_FORK, child, 2);

	if (!w)
		return false;
	w[0] = birth;
	w[1] = clock;
	slot_commit(slot);
	return true;
}

/* Claims the slot of the first thread and reports the process. */
static void begin(void)
{
	uint64_t parent = ring.birth;

	if (!slot_open(1)) {
		ring.control = NULL; /* nor are its threads recorded */
		return;
	}
	struct ml_ring *slot = slot_hold();
	tell_about(slot);
	tell_maps(slot, true);
	process_thread(slot, 0);
	if (self.fork)
		tell_fork(slot, true, parent, self.fork);
	slot_release(slot);
}

/*
 * Makes the companion publish its state for the child. Signals are blocked until the
 * child has its own slot: a handler in the child would write into the slot of the parent.
 */
static void before_fork(void)
{
	const uint64_t all = ~(uint64_t)0;
	struct ml_ring *slot = slot_hold();
	uint64_t clock = ml_ticks();

	self.fork = 0;
	if (slot) {
		if (tell_fork(slot, false, ring.birth, clock))
			self.fork = clock;
		slot_release(slot);
		slot_pulse();
	}
	raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&self.mask, 8, 0, 0);
}

static void after_fork(void)
{
	raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&self.mask, 0, 8, 0, 0);
}

/* A forked child has a trace of its own. */
static void in_child(void)
{
	struct ml_ring *parents = slot_forget();

	ring.threads = false;
	begin();
	slot_unmap(parents);
	after_fork();
}

static void tell(enum ml_word type, uint32_t argument)
{
	struct ml_ring *slot = slot_hold();

	if (!slot)
		return;
	if (slot_message(slot, type, argument, 0))
		slot_commit(slot);
	slot_release(slot);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	tell(ML_WORD_EXIT, (uint32_t)status & 0xff);
}

/* Each program and library with hooks calls this when it is loaded. */
EXPORT void memlamp_loaded(uint64_t low, uint64_t high);

void memlamp_loaded(uint64_t low, uint64_t high)
{
	signals_hooks(low, high);
	struct ml_ring *slot = slot_hold();
	if (!slot)
		return;
	if (!code_at(low)) /* dlopen */
		tell_maps(slot, false);
	slot_release(slot);
}

/* Finds `memlamp` relative to this library: in a build folder, or installed. */
static bool find_memlamp(char path[PATH_MAX])
{
	static const char *const places[] = { "/../memlamp", "/../../../bin/memlamp" };
	const char *named = getenv("MEMLAMP_BIN");
	Dl_info info;

	if (named) {
		snprintf(path, PATH_MAX, "%s", named);
		return access(path, X_OK) == 0;
	}
	if (!dladdr((void *)find_memlamp, &info) || !info.dli_fname)
		return false;
	const char *slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, PATH_MAX, "%.*s%s", (int)(slash - info.dli_fname),
			 info.dli_fname, places[i]);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* MEMLAMP=FILE: runs this program again, by `memlamp record`. */
static void record_self(const char *output, int argc, char **argv)
{
	char memlamp[PATH_MAX], program[PATH_MAX];
	const char *args[ARGS];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int k = 0;

	unsetenv("MEMLAMP");
	if (!find_memlamp(memlamp)) {
		say("memlamp: MEMLAMP is set, but the program memlamp was not found "
		    "(MEMLAMP_BIN can name it); this run goes unrecorded\n",
		    NULL);
		return;
	}
	if (n <= 0 || argc + 7 > ARGS) {
		say("memlamp: too many arguments for MEMLAMP; use memlamp record\n",
		    NULL);
		return;
	}
	program[n] = 0;
	args[k++] = "memlamp";
	args[k++] = "record";
	args[k++] = "-q";
	args[k++] = "-o";
	args[k++] = output;
	args[k++] = "--";
	args[k++] = program;
	for (int i = 1; i < argc; i++)
		args[k++] = argv[i];
	args[k] = NULL;
	execv(memlamp, (char **)args);
	say("memlamp: ", memlamp, ": cannot be run; this run goes unrecorded\n", NULL);
}

/* glibc hands the arguments of main to constructors. */
static __attribute__((constructor(101))) void start(int argc, char **argv)
{
	const char *path = getenv("MEMLAMP_RING"), *output = getenv("MEMLAMP");

	if (!path && output && *output)
		record_self(output, argc, argv);
	if (!path || !ring_open(path))
		return;
	memlamp_calls = (ring.control->options & ML_RING_OPT_CALLS) != 0;
	begin();
	on_exit(at_exit, NULL);
	pthread_atfork(before_fork, after_fork, in_child);
}

/* The functions below interpose those of libc. */
EXPORT void _exit(int status);
EXPORT void _Exit(int status);

void _exit(int status)
{
	tell(ML_WORD_EXIT, (uint32_t)status & 0xff);
	raw_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

void _Exit(int status)
{
	_exit(status);
}

/* _Fork calls no handlers of pthread_atfork. */
EXPORT pid_t _Fork(void);

pid_t _Fork(void)
{
	pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "_Fork");

	if (!next) {
		errno = ENOSYS;
		return -1;
	}
	if (!ring.control)
		return next();
	before_fork();
	pid_t pid = next();
	if (pid)
		after_fork();
	else
		in_child();
	return pid;
}

/* All functions that execute another program are interposed, because those of libc call
 * each other directly. */
EXPORT int execve(const char *path, char *const argv[], char *const envp[]);
EXPORT int execv(const char *path, char *const argv[]);
EXPORT int execvp(const char *file, char *const argv[]);
EXPORT int execvpe(const char *file, char *const argv[], char *const envp[]);
EXPORT int execl(const char *path, const char *arg, ...);
EXPORT int execlp(const char *file, const char *arg, ...);
EXPORT int execle(const char *path, const char *arg, ...);
EXPORT int fexecve(int fd, char *const argv[], char *const envp[]);

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

int execve(const char *path, char *const argv[], char *const envp[])
{
	tell(ML_WORD_EXEC, 0);
	return NEXT(execve)(path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	tell(ML_WORD_EXEC, 0);
	return NEXT(execvpe)(file, argv, envp);
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
	tell(ML_WORD_EXEC, 0);
	return NEXT(fexecve)(fd, argv, envp);
}

/* Collects the arguments up to NULL; NULL: there are too many. */
static char **listed(char *list[ARGS], const char *first, va_list ap)
{
	size_t n = 0;

	list[n++] = (char *)first;
	while (list[n - 1] && n < ARGS)
		list[n++] = va_arg(ap, char *);
	return list[n - 1] ? NULL : list;
}

int execl(const char *path, const char *arg, ...)
{
	char *list[ARGS];
	va_list ap;

	va_start(ap, arg);
	char **argv = listed(list, arg, ap);
	va_end(ap);
	return execve(path, argv, environ);
}

int execlp(const char *file, const char *arg, ...)
{
	char *list[ARGS];
	va_list ap;

	va_start(ap, arg);
	char **argv = listed(list, arg, ap);
	va_end(ap);
	return execvpe(file, argv, environ);
}

int execle(const char *path, const char *arg, ...)
{
	char *list[ARGS];
	va_list ap;

	va_start(ap, arg);
	char **argv = listed(list, arg, ap);
	char **envp = va_arg(ap, char **);
	va_end(ap);
	return execve(path, argv, envp);
}
