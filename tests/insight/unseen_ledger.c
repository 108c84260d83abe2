/* kind: fields
 * region: ledger
 * Balances need two fields of entries of 128 bytes; these two have an array of their own
 * when mended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 0
#endif
struct key {
	int account;
	double amount;
};
struct entry {
#if V != 1
	int account;
	double amount;
#endif
	char purpose[80], reference[24];
	long when;
};
enum { N = V == 2 ? 40 : 5000 };

#if V == 1
typedef struct key item;
#else
typedef struct entry item;
#endif

__attribute__((noinline)) static double balance(const item *items, int account)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		if (items[i].account == account) /* HERE */
			sum += items[i].amount;  /* HERE */
	return sum;
}

int main(void)
{
	struct entry *ledger = malloc(N * sizeof(*ledger));
	struct key *keys = malloc((V == 1 ? N : 1) * sizeof(*keys));
	item *items = V == 1 ? (item *)keys : (item *)ledger;
	double sum = 0;

	for (int i = 0; i < N; i++) {
		items[i].account = i % 7;
		items[i].amount = i * 0.01;
		memset(ledger[i].purpose, 'a' + i % 26, sizeof(ledger[i].purpose));
		memset(ledger[i].reference, '0' + i % 10, sizeof(ledger[i].reference));
		ledger[i].when = i;
	}
	for (int r = 0; r < (V == 2 ? 3000 : 30); r++)
		sum += balance(items, r % 7);
	for (int i = 0; i < N; i++)
		sum += ledger[i].when + ledger[i].purpose[i % 80] +
		       ledger[i].reference[i % 24];
	printf("%g\n", sum);
}
