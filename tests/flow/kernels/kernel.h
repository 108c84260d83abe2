/* What the kernels share: data from a seed, and the bytes of the results on stdout. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12 };

#define KERNEL __attribute__((noinline)) void

static unsigned seed = 1;

static void begin(int argc, char **argv)
{
	if (argc > 1)
		seed = (unsigned)atoi(argv[1]);
}

static unsigned next_random(void)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 16 & 0x7fff;
}

__attribute__((unused)) static void fill_double(double *at, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*at); i++)
		at[i] = next_random() % 17 + 1;
}

__attribute__((unused)) static void fill_int(int *at, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*at); i++)
		at[i] = (int)(next_random() % 9);
}

__attribute__((unused)) static void fill_char(char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (char)('a' + next_random() % 2);
}

static void show(const void *at, size_t bytes)
{
	fwrite(at, 1, bytes, stdout);
}
