/* kind: holes
 * region: records
 * Small fields between large ones: 14 of 40 bytes are padding. */
#include <stdio.h>
#ifndef V
#define V 0
#endif
#if V == 1
struct record {
	double price, weight;
	int count;
	short year;
	char kind, state;
};
#else
struct record {
	char kind;
	double price;
	char state;
	double weight;
	short year;
	int count;
};
#endif
enum { N = V == 2 ? 150 : 6000, ROUNDS = V == 2 ? 400 : 12 };
struct record records[N];

__attribute__((noinline)) static double total(int round)
{
	double sum = 0;

	for (int i = 0; i < N; i++) { /* HERE */
		struct record *r = &records[i]; /* HERE */
		sum += r->price * r->count + r->weight * r->state; /* HERE */
		sum += r->kind + r->year + (r->count += round); /* HERE */
	}
	return sum;
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		records[i] = (struct record){ .kind = 1, .price = i, .state = 2, .weight = 3, .year = 4, .count = 5 };
	for (int r = 0; r < ROUNDS; r++)
		sum += total(r);
	printf("%g\n", sum);
}
