/*
 * The triangles of a teapot, drawn in three orders: sorted by their vertices, at
 * random, and antisorted, the sorted list riffled like a deck of cards until
 * neighbours are far apart.
 *
 *	memlamp ensemble -o triangles.mle --run './triangles {order: sorted,random,antisorted}' \
 *		-m 'L1 1K 4w 16B 3c | L2 4K 8w 15c | memory 300c'
 *
 * Layout: 822 vertices of three floats in a structure of 16 bytes, one line each, and
 * 1,560 triangles of three numbers of vertices. The list is put in order before the
 * phase "draw" begins, so all three draw the same triangles from the same arrays.
 *
 * What to look at: reading is the same for all. Drawing waits for vertices: sorted,
 * most of them were used by the triangle before; at random hardly any.
 *
 * The mesh, teapot.txt beside the program, is the Utah teapot at its coarser resolution
 * as published with waxlamp/mtvx.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memlamp.h"

enum { VERTICES = 822, TRIANGLES = 1560, RIFFLES = 9, SIDE = 16 };

struct vertex {
	float x, y, z, shade;
};
struct triangle {
	int corner[3];
};

static _Alignas(4096) struct vertex vertices[VERTICES];
static _Alignas(4096) struct triangle triangles[TRIANGLES];
static _Alignas(4096) float depth[SIDE * SIDE];

static FILE *open_mesh(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 20);

	if (n < 0)
		return NULL;
	path[n] = 0;
	dirname(path);
	return fopen(strcat(path, "/teapot.txt"), "r");
}

static int read_mesh(FILE *f)
{
	int v, t;

	if (fscanf(f, "%d %d", &v, &t) != 2 || v != VERTICES || t != TRIANGLES)
		return 0;
	for (int i = 0; i < v; i++)
		if (fscanf(f, "%f %f %f", &vertices[i].x, &vertices[i].y,
			   &vertices[i].z) != 3)
			return 0;
	for (int i = 0; i < t; i++) {
		int *c = triangles[i].corner;

		if (fscanf(f, "%d %d %d", &c[0], &c[1], &c[2]) != 3)
			return 0;
	}
	return 1;
}

static int least(const struct triangle *t)
{
	int a = t->corner[0], b = t->corner[1], c = t->corner[2];

	return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static int by_least(const void *a, const void *b)
{
	return least(a) - least(b);
}

/* One card from the lower half, one from the upper, by turns. */
static void riffle(void)
{
	static struct triangle deck[TRIANGLES];

	memcpy(deck, triangles, sizeof(deck));
	for (int i = 0; i < TRIANGLES; i++)
		triangles[i] = deck[i / 2 + (i % 2 ? TRIANGLES / 2 : 0)];
}

static void shuffle(void)
{
	unsigned random = 1;

	for (int i = TRIANGLES - 1; i > 0; i--) {
		random = random * 1664525u + 1013904223u;
		int j = (int)((random >> 8) % (unsigned)(i + 1));
		struct triangle t = triangles[i];

		triangles[i] = triangles[j];
		triangles[j] = t;
	}
}

static int put_in_order(const char *order)
{
	qsort(triangles, TRIANGLES, sizeof(*triangles), by_least);
	if (!strcmp(order, "random"))
		shuffle();
	else if (!strcmp(order, "antisorted"))
		for (int i = 0; i < RIFFLES; i++)
			riffle();
	else
		return !strcmp(order, "sorted");
	return 1;
}

static int pixel(float v, float span)
{
	int at = (int)((v + span) / (2 * span) * SIDE);

	return at < 0 ? 0 : at >= SIDE ? SIDE - 1 : at;
}

/* As a point at its middle, if nothing nearer is there. */
static void draw(const struct triangle *t)
{
	const struct vertex *a = &vertices[t->corner[0]], *b = &vertices[t->corner[1]],
			    *c = &vertices[t->corner[2]];
	float x = (a->x + b->x + c->x) / 3, y = (a->y + b->y + c->y) / 3,
	      z = (a->z + b->z + c->z) / 3;
	float *at = &depth[pixel(y, 2) * SIDE + pixel(x, 2)];

	if (z > *at)
		*at = z;
}

int main(int argc, char **argv)
{
	FILE *f = open_mesh();
	float sum = 0;

	if (!f || !read_mesh(f))
		return 1;
	fclose(f);
	if (!put_in_order(argc > 1 ? argv[1] : "sorted"))
		return 2;
	MEMLAMP_BEGIN("draw");
	for (int i = 0; i < TRIANGLES; i++)
		draw(&triangles[i]);
	MEMLAMP_END("draw");
	for (int i = 0; i < SIDE * SIDE; i++)
		sum += depth[i];
	printf("%g\n", (double)sum);
	return 0;
}
