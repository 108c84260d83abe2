/* Leaves a process behind that outlives it by half a minute. */
#include <unistd.h>

int main(void)
{
	if (!fork()) {
		setsid();
		close(1);
		sleep(30);
	}
	return 4;
}
