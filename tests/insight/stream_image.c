/* kind: write allocate
 * region: image
 * An image is made as a whole and then written to a file; in rows when mended. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#ifndef V
#define V 0
#endif
enum { WIDTH = 512, HEIGHT = 400 };

static unsigned paint(unsigned *row, unsigned y)
{
	unsigned last = 0;

	for (unsigned x = 0; x < WIDTH; x++) { /* HERE */
		last = last * 5 + (x ^ y);
		row[x] = x * 3 + y; /* HERE */
	}
	return last;
}

int main(void)
{
	int rows = V ? 1 : HEIGHT, out = open("/dev/null", O_WRONLY);
	unsigned *image = malloc(sizeof(*image) * WIDTH * rows), sum = 0;

	for (unsigned y = 0; y < HEIGHT; y++) {
		sum += paint(image + (V ? 0 : y * WIDTH), y);
		for (int x = 0; V == 2 && x < WIDTH; x++)
			sum += image[x];
		if (V)
			sum += write(out, image, sizeof(*image) * WIDTH);
	}
	if (!V)
		sum += write(out, image, sizeof(*image) * WIDTH * HEIGHT);
	close(out);
	return sum == 1;
}
