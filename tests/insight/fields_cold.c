/* kind: fields
 * region: people
 * The loop uses one field of eight. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
struct person {
	long age, a, b, c, d, e, f, g;
};
enum { N = 3000 };
static struct person people[N];
static long age[N];

int main(void)
{
	long sum = 0;

	for (int i = 0; i < N; i++) {
		if (V != 2 || i < 64)
			people[i] = (struct person){ i, 1, 2, 3, 4, 5, 6, 7 };
		age[i] = i;
	}
	for (int r = 0; r < 60; r++) { /* HERE */
		__asm__ volatile("" ::: "memory"); /* no loop interchange by the compiler, HERE */
		for (int i = 0; i < N; i++) { /* HERE */
#if V == 1
			sum += age[i] ^ r;
#elif V == 2
			sum += people[i & 63].age ^ r;
#else
			sum += people[i].age ^ r; /* HERE */
#endif
		}
	}
	printf("%ld %ld\n", sum, people[5].g);
}
