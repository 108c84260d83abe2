/* Closes every file descriptor, as daemons do, and then works on. */
#include <stdlib.h>
#include <unistd.h>

static volatile int work[1000];

int main(void)
{
	for (int fd = 0; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
	for (int i = 0; i < 1000; i++)
		work[i] = i;
	char *block = malloc(100000);
	block[500] = 1;
	return 9;
}
