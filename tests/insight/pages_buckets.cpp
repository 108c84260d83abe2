// kind: pages
// region: *
// machine: L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 8M 16w 50c | memory 200c | TLB 16e 4w 4K | TLB2 64e 4w 7c | walk 60c
// Each bucket has a page of its own although it needs a line; side by side when mended.
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifndef V
#define V 0
#endif
struct Bucket {
	long count, sum;
};

__attribute__((noinline)) static void put(const std::vector<Bucket *> &buckets, unsigned key)
{
	Bucket *bucket = buckets[key % buckets.size()];
	bucket->count++; // HERE
	bucket->sum += key; // HERE
}

int main()
{
	const int n = V == 2 ? 10 : 400;
	std::vector<Bucket *> buckets;
	char *pool = (char *)aligned_alloc(4096, (n + 1) * 4160);
	unsigned x = 1;

	for (int i = 0; i < n; i++) {
		buckets.push_back((Bucket *)(pool + i * (V == 1 ? 64 : 4160)));
		*buckets[i] = Bucket{ 0, 0 };
	}
	for (int i = 0; i < 120000; i++)
		put(buckets, (x = x * 1664525 + 1013904223) >> 8);
	std::printf("%ld\n", buckets[3]->sum);
}
