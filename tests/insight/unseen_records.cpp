// kind: fields
// region: table
// A binary search among records of 96 bytes that needs only their keys; a table of keys
// when mended.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Record {
	uint32_t key;
	uint32_t flags;
	char name[72];
	double price, weight;
};

__attribute__((noinline)) static size_t find(const std::vector<Record> &table,
					     const std::vector<uint32_t> &keys, uint32_t key)
{
#if V == 1
	return std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
#else
	size_t low = 0, high = table.size();
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (table[mid].key < key) // HERE
			low = mid + 1;
		else
			high = mid;
	}
	return low;
#endif
}

int main()
{
	const unsigned n = V == 2 ? 60 : 3000;
	std::vector<Record> table(n);
	std::vector<uint32_t> keys(n);
	unsigned x = 2;
	size_t s = 0;

	for (unsigned i = 0; i < n; i++) {
		table[i].key = keys[i] = 7 * i;
		table[i].price = i;
	}
	for (int i = 0; i < 60000; i++)
		s += find(table, keys, ((x = x * 1664525 + 1013904223) >> 8) % (7 * n));
	std::printf("%zu %g\n", s, table[n / 2].price);
}
