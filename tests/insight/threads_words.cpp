// kind: same lines
// region: words
// machine: cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c
// Each thread counts the words of its letters, and reads all words for that.
#include <cstdio>
#include <thread>
#include <vector>
#ifndef V
#define V 0
#endif
struct counter {
	alignas(64) long found = 0;

	__attribute__((noinline)) void run(const unsigned *words, int from, int to, unsigned low, unsigned high)
	{
		long n = 0;

		for (int i = from; i < to; i++) { // HERE
			unsigned letter = words[i] % 26; // HERE
			n += letter >= low && letter < high;
		}
		found += n;
	}
};

int main(int argc, char **)
{
	/* the compiler must not know that all letters lie between these */
	const unsigned first = argc - 1, last = argc + 25;
	const int n = V == 2 ? 300 : 90000;
	unsigned *words = new unsigned[n];
	counter counters[3];
	std::vector<std::thread> threads;

	for (int i = 0; i < n; i++)
		words[i] = i * 2654435761u;
	for (int t = 0; t < 3; t++)
		threads.emplace_back([&, t] {
			if (V == 1)
				counters[t].run(words, n / 3 * t, n / 3 * (t + 1), first, last);
			for (int r = 0; V != 1 && r < (V == 2 ? 100 : 1); r++)
				counters[t].run(words, 0, n, t * 9, t * 9 + 9);
		});
	for (auto &t : threads)
		t.join();
	printf("%ld\n", counters[0].found + counters[1].found + counters[2].found);
}
