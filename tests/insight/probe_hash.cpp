// kind: probes
// region: slots
// A hash table with slots of 32 bytes, of which a probe needs 8; dense when mended.
#include <cstdint>
#include <cstdio>
#include <vector>
#ifndef V
#define V 0
#endif
struct Slot {
	uint64_t key;
	char payload[V == 1 ? 8 : 24];
};
static const unsigned size = V == 2 ? 128 : 16384;

static unsigned hash(uint64_t k)
{
	return (unsigned)(k * 0x9e3779b97f4a7c15u >> 40) & (size - 1);
}

__attribute__((noinline)) static bool has(const std::vector<Slot> &slots, uint64_t key)
{
	for (unsigned h = hash(key); slots[h].key; h = (h + 1) & (size - 1)) // HERE
		if (slots[h].key == key) // HERE
			return true;
	return false;
}

int main()
{
	std::vector<Slot> slots(size);
	uint64_t x = 9;
	long found = 0;

	for (unsigned i = 0; i < size / 2; i++) {
		uint64_t key = (x = x * 6364136223846793005u + 1442695040888963407u) >> 40 | 1;
		unsigned h = hash(key);
		while (slots[h].key)
			h = (h + 1) & (size - 1);
		slots[h].key = key;
	}
	for (int i = 0; i < 200000; i++)
		found += has(slots, (x = x * 6364136223846793005u + 1442695040888963407u) >> 40 | 1);
	std::printf("%ld\n", found);
}
