/*
 * A parent and a child. Each writes to the array as often as its name says after the
 * fork; `before` is written before it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int before[50], parent[300], child[200];

int main(void)
{
	volatile char *heap = malloc(64);
	int status;

	for (int i = 0; i < 50; i++)
		before[i] = i;
	pid_t pid = fork();
	if (!pid) {
		for (int i = 0; i < 200; i++)
			child[i] = i;
		heap[0] = 'c'; /* a block of the parent's */
		_exit(7);
	}
	for (int i = 0; i < 300; i++)
		parent[i] = i;
	heap[0] = 'p';
	waitpid(pid, &status, 0);
	printf("child ended with %d\n", WEXITSTATUS(status));
	return 0;
}
