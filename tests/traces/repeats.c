/*
 * String instructions that repeat, as compilers inline them and people write them. Each
 * array is touched by one case; counts follow from the addresses.
 */
#include <string.h>

enum { SIZE = 4096, VECTOR = 32 };

#define ALIGNED __attribute__((aligned(64))) static char

ALIGNED stored[SIZE], shifted[SIZE], constant[SIZE], backwards[SIZE], pattern[SIZE],
	wide_from[SIZE], wide_to[SIZE], odd_from[SIZE], odd_to[SIZE], again[SIZE],
	empty[SIZE], crossing[SIZE], taken[SIZE];

static void stosb(char *to, long n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(7) : "memory");
}

static void movsb(char *to, const char *from, long n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

/* A jump leads to the instruction itself. */
static __attribute__((noinline)) void jump_to_stosb(char *to, long n)
{
	__asm__ volatile("jmp 1f\n 1: rep stosb" : "+D"(to), "+c"(n) : "a"(7) : "memory");
}

int main(void)
{
	char *to = constant, *end;
	const char *from;
	long n;

	stosb(stored, SIZE);
	stosb(shifted + 5, 100); /* 27, 32, 32, 9 bytes */
	__asm__ volatile("mov $100, %%ecx\n rep stosb"
			 : "+D"(to)
			 : "a"(7)
			 : "rcx", "memory");

	end = backwards + SIZE - 1;
	n = 64;
	__asm__ volatile("std\n rep stosb\n cld"
			 : "+D"(end), "+c"(n)
			 : "a"(7)
			 : "memory");

	pattern[0] = 3;
	movsb(pattern + 1, pattern, 64); /* reads what it has just written */

	to = wide_to;
	from = wide_from;
	n = SIZE / 8;
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n)::"memory");

	movsb(odd_to + 3, odd_from + 10, 61); /* 29, 32 bytes */

	for (int i = 0; i < 8; i++) /* each begins where the last one ended */
		jump_to_stosb(again + 8 * i, 8);
	for (int i = 0; i < 8; i++) /* the same piece, and parts of it */
		jump_to_stosb(taken + i, 16 - i);

	stosb(empty, 0);

	to = crossing + 4; /* elements lie across the boundary */
	n = 8;
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(7L) : "memory");
	return stored[1] + shifted[6] + constant[99] != 21;
}
