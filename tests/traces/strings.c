/*
 * Superblocks that come further without a new address: string instructions of all sizes
 * in both directions, loops that are left anywhere, elements that are touched again.
 */
#include <stdio.h>

enum { LONGEST = 30, TABLE = 64, PAIRS = 50 };

static char from[4096], to[4096];
static int table[TABLE], sum_of[TABLE];
static struct {
	long x, y;
} pair[PAIRS];

static void turn(int back)
{
	if (back)
		__asm__ volatile("std");
	else
		__asm__ volatile("cld");
}

/* Copies, fills, compares and searches n elements, then some more one by one. */
static void go(char *t, char *f, int size, int n)
{
	long left = n;

	switch (size) {
	case 1:
		__asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(left)::"memory");
		break;
	case 2:
		__asm__ volatile("rep movsw" : "+D"(t), "+S"(f), "+c"(left)::"memory");
		break;
	case 4:
		__asm__ volatile("rep movsl" : "+D"(t), "+S"(f), "+c"(left)::"memory");
		break;
	default: __asm__ volatile("rep movsq" : "+D"(t), "+S"(f), "+c"(left)::"memory");
	}
	left = n;
	__asm__ volatile("rep stosb" : "+D"(t), "+c"(left) : "a"(7) : "memory");
	left = n;
	__asm__ volatile("repe cmpsb" : "+D"(t), "+S"(f), "+c"(left)::"memory");
	left = n;
	__asm__ volatile("repne scasb" : "+D"(t), "+c"(left) : "a"(9) : "memory");
	__asm__ volatile("lodsq\n stosq\n movsq\n movsb"
			 : "+D"(t), "+S"(f)::"rax", "memory");
	/* the direction changes within a superblock, twice */
	left = n;
	__asm__ volatile("std\n rep movsw\n movsl\n cld\n movsl\n movsb"
			 : "+D"(t), "+S"(f), "+c"(left)::"memory");
}

static int find(int what)
{
	int i = 0;

	while (i < TABLE && table[i] != what)
		i++;
	return i;
}

/* Elements of different sizes at one index. */
static __attribute__((noinline)) long both(const char *at, long i)
{
	const short *narrow = (const short *)(const void *)at;
	const long *wide = (const long *)(const void *)at;

	return narrow[i] + wide[i] + narrow[i + 1] + at[i];
}

int main(void)
{
	long sum = 0;

	for (int back = 0; back < 2; back++)
		for (int size = 1; size <= 8; size *= 2)
			for (int n = 0; n < LONGEST; n++) {
				turn(back);
				go(to + 2048, from + 2048, size, n);
				turn(0);
			}
	for (int i = 0; i < TABLE; i++) {
		table[i] = i;
		sum_of[i] += table[i];
		sum_of[i] ^= 3;
	}
	for (int i = 0; i < 200; i++)
		sum += find(i % (TABLE + 6)) + sum_of[i % TABLE];
	for (int i = 0; i < PAIRS; i++) {
		pair[i].x += i;
		pair[i].y += pair[i].x;
		sum += pair[i].y + both(from, i);
	}
	printf("%ld\n", sum);
	return 0;
}
