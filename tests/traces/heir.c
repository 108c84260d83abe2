/*
 * A child of fork works on what its parent made before: blocks, pages, a registered
 * region, the stack of another thread. What was freed before the fork, and what is made
 * after it, is not the child's. An argument lets the thread fork, not main.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memlamp.h"

static volatile char area[1000], *on_main, *on_thread;
static volatile long *block, *resized;
static volatile char *pages;
static pthread_barrier_t both;

static void make(void)
{
	volatile long *made = malloc(100 * sizeof(*made));
	volatile long *freed = malloc(100 * sizeof(*made));
	volatile long *grown = malloc(10 * sizeof(*grown));
	volatile char *mapped = mmap(0, 8 * 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	free((void *)freed);
	grown = realloc((void *)grown, 5000 * sizeof(*grown));
	munmap((void *)(mapped + 4 * 4096), 4 * 4096);
	MEMLAMP_REGION((char *)area + 100, 500, 1, "window", 1, 500);
	block = made;
	resized = grown;
	pages = mapped;
}

static void child(void)
{
	for (int i = 0; i < 100; i++) {
		block[i] = i;
		resized[i + 4000] = i;
		pages[i] = 1;
		area[100 + i] = 1;
	}
	for (int i = 0; i < 10; i++) {
		on_main[i] = 1;
		on_thread[i] = 1;
	}
	volatile long *later = malloc(100);
	for (int i = 0; i < 10; i++)
		later[i] = i;
	free((void *)block);
	_exit(3);
}

static void go(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		child();
	volatile long *parents = malloc(100);
	parents[0] = 1;
	waitpid(pid, &status, 0);
	printf("child ended with %d\n", WEXITSTATUS(status));
}

static void *run(void *forks)
{
	volatile char here[100];

	on_thread = here;
	pthread_barrier_wait(&both);
	if (forks)
		go();
	pthread_barrier_wait(&both);
	return NULL;
}

int main(int argc, char **argv)
{
	volatile char here[100];
	pthread_t thread;

	(void)argv;
	on_main = here;
	make();
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, run, argc > 1 ? &both : NULL);
	pthread_barrier_wait(&both);
	if (argc == 1)
		go();
	pthread_barrier_wait(&both);
	pthread_join(thread, NULL);
	return 0;
}
