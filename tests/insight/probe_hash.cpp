// kind: probes
// region: slots
// A hash table that is sixteen times as large as its keys need; twice as large when mended.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
static const unsigned keys = V == 2 ? 128 : 2048, size = keys * (V ? 2 : 16);

static unsigned hash(uint64_t k)
{
	return (unsigned)(k * 0x9e3779b97f4a7c15u >> 40) & (size - 1);
}

__attribute__((noinline)) static bool has(const std::vector<uint64_t> &slots, uint64_t key)
{
	unsigned h = hash(key);
	while (slots[h] && slots[h] != key) // HERE
		h = (h + 1) & (size - 1);
	return slots[h] == key; // HERE
}

int main()
{
	std::vector<uint64_t> slots(size);
	unsigned x = 9;
	long found = 0;

	for (uint64_t i = 0; i < keys; i++) {
		unsigned h = hash(i * 977 + 1);
		while (slots[h])
			h = (h + 1) & (size - 1);
		slots[h] = i * 977 + 1;
	}
	for (int i = 0; i < 300000; i++) {
		x = x * 1664525 + 1013904223;
		found += has(slots, (uint64_t)((x >> 8) % keys) * 977 + 1);
	}
	std::printf("%ld\n", found);
}
