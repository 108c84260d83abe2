/*
 * confined HOW: shuts itself in as servers and sandboxes do, and only then starts threads
 * and a child. Each of the four threads and the child writes its own cell a thousand times.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, WRITES = 1000 };
static volatile long cell[THREADS + 1];

static void *work(void *arg)
{
	volatile long *mine = arg;

	for (long i = 0; i < WRITES; i++)
		*mine = i;
	return NULL;
}

/* No file can be opened from here on. */
static int forbid_open(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int use_up_descriptors(void)
{
	struct rlimit few = { 64, 64 };

	setrlimit(RLIMIT_NOFILE, &few);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	return errno != EMFILE;
}

static int confine(const char *how)
{
	struct rlimit space = { 1ul << 32, 1ul << 32 };

	if (!strcmp(how, "descriptors"))
		return use_up_descriptors();
	if (!strcmp(how, "setuid"))
		return setuid(65534);
	if (!strcmp(how, "chroot"))
		return mkdir("empty", 0700) || chroot("empty") || chdir("/");
	if (!strcmp(how, "seccomp"))
		return forbid_open();
	if (!strcmp(how, "undumpable"))
		return prctl(PR_SET_DUMPABLE, 0);
	if (!strcmp(how, "mounts"))
		return unshare(CLONE_NEWNS);
	if (!strcmp(how, "locked"))
		return mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!strcmp(how, "space"))
		return setrlimit(RLIMIT_AS, &space);
	for (int fd = 3; !strcmp(how, "closed") && fd < 1024; fd++)
		close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	if (argc != 2 || confine(argv[1]))
		return 77;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)&cell[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	pid_t child = fork();
	if (!child) {
		work((void *)&cell[THREADS]);
		_exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}
