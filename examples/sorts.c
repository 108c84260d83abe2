/*
 * A list sorted by bubble sort, by sweeps with one exchange each, by insertion and by
 * merging.
 *
 *	memlamp record ./sorts		(or ./sorts merge: one of bubble, exchange,
 *					insertion, merge)
 *	memlamp sim sorts.mlt --machine 'L1 128 full 16B | L2 512 full'
 *
 * Machine: lines of 16 bytes, 8 in L1 and 32 in L2, fully associative. Layout: 256
 * ints, 64 lines, from the start of a page; merging has as much spare room, on
 * another page.
 *
 * What to look at: bubble sort sweeps over ever fewer items; its misses end first in
 * L2, when 32 lines are left, then in L1. "exchange" makes the same sweeps with the
 * same misses but a quarter of the references: its miss ratio is worse, its time is
 * better. Insertion sort goes the other way, from a few items to all. Merge sort starts
 * within L1 and leaves it with merges of 32 items, L2 with 128, twice: once for each
 * half.
 *
 * Compiled with -DMARKS, the end of each sweep of bubble and exchange is marked, so that
 * the two can be compared sweep by sweep (docs/gallery.md). A mark itself makes a few
 * references to the stack.
 *
 * volatile keeps the compiler from joining or reordering the accesses.
 */
#include <stdio.h>
#include <string.h>

#include "memlamp.h"

#ifdef MARKS
#define END_OF_SWEEP() MEMLAMP_MARK("sweep")
#else
#define END_OF_SWEEP() ((void)0)
#endif

enum { ITEMS = 256 };

static volatile _Alignas(4096) int list[ITEMS];
static volatile _Alignas(4096) int spare[ITEMS];

static void descending(void)
{
	for (int i = 0; i < ITEMS; i++)
		list[i] = ITEMS - i;
}

static void shuffled(void)
{
	for (int i = 0; i < ITEMS; i++)
		list[i] = i * 167 % ITEMS;
}

static void bubble(void)
{
	for (int end = ITEMS; end > 1; end--) {
		for (int i = 0; i + 1 < end; i++) {
			int a = list[i], b = list[i + 1];

			if (a > b) {
				list[i] = b;
				list[i + 1] = a;
			}
		}
		END_OF_SWEEP();
	}
}

/* The largest of the rest to its end: many call this selection sort. */
static void exchange(void)
{
	for (int end = ITEMS; end > 1; end--) {
		int at = 0, most = list[0];

		for (int i = 1; i < end; i++) {
			int item = list[i];

			if (item > most) {
				most = item;
				at = i;
			}
		}
		list[at] = list[end - 1];
		list[end - 1] = most;
		END_OF_SWEEP();
	}
}

static void insertion(void)
{
	for (int i = 1; i < ITEMS; i++) {
		int item = list[i], j = i;

		for (; j > 0; j--) {
			int before = list[j - 1];

			if (before <= item)
				break;
			list[j] = before;
		}
		list[j] = item;
	}
}

static void merge(int low, int high)
{
	int middle = (low + high) / 2, i = low, j = middle;

	if (high - low < 2)
		return;
	merge(low, middle);
	merge(middle, high);
	for (int k = low; k < high; k++)
		if (j == high || (i < middle && list[i] <= list[j]))
			spare[k] = list[i++];
		else
			spare[k] = list[j++];
	for (int k = low; k < high; k++)
		list[k] = spare[k];
}

static void merge_all(void)
{
	merge(0, ITEMS);
}

static int sorted(void)
{
	for (int i = 1; i < ITEMS; i++)
		if (list[i - 1] > list[i])
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*start)(void), (*sort)(void);
	} sorts[] = {
		{ "bubble", descending, bubble },
		{ "exchange", descending, exchange },
		{ "insertion", descending, insertion },
		{ "merge", shuffled, merge_all },
	};
	int done = 0;

	for (size_t i = 0; i < sizeof(sorts) / sizeof(*sorts); i++) {
		if (argc > 1 && strcmp(argv[1], sorts[i].name))
			continue;
		sorts[i].start();
		MEMLAMP_BEGIN(sorts[i].name);
		sorts[i].sort();
		MEMLAMP_END(sorts[i].name);
		if (!sorted())
			return 1;
		done++;
	}
	printf("sorted %d times\n", done);
	return !done;
}
