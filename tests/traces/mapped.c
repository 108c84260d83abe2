/* Maps memory itself: 8 pages, of which the last 4 are given back. */
#include <sys/mman.h>

int main(void)
{
	volatile char *own_pages = mmap(0, 8 * 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 8 * 4096; i += 64)
		own_pages[i] = 1;
	munmap((void *)(own_pages + 4 * 4096), 4 * 4096);
	for (int i = 0; i < 4 * 4096; i += 64)
		own_pages[i] = 2;
	return 0;
}
