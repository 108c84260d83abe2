/* Counts random keys in a hash table of 16 MiB: addresses that nothing predicts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 20 };

struct cell {
	uint64_t key, count;
};

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000000;
	struct cell *table = calloc((size_t)1 << BITS, sizeof(*table));
	uint64_t x = 88172645463325252u, mask = ((uint64_t)1 << BITS) - 1, found = 0;

	for (uint64_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		uint64_t key = x >> 44 | 1, h = key * 0x9e3779b97f4a7c15u >> 40 & mask;
		while (table[h].key && table[h].key != key)
			h = (h + 1) & mask;
		found += table[h].key == key;
		table[h].key = key;
		table[h].count++;
	}
	printf("%llu\n", (unsigned long long)found);
	free(table);
	return 0;
}
