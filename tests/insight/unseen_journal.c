/* kind: copies
 * region: *
 * A journal grows by one entry at a time with realloc; it doubles when mended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 0
#endif
struct entry {
	long time, code;
	char text[48];
};
struct journal {
	struct entry *at;
	size_t count, room;
};

static void note(struct journal *j, long time)
{
	if (j->count == j->room) {
		size_t room = V == 0 ? j->room + 8 : j->room ? 2 * j->room : 2048;
		struct entry *more = malloc(room * sizeof(*more)); /* HERE */

		if (j->count)
			memcpy(more, j->at, j->count * sizeof(*more)); /* HERE */
		free(j->at);
		j->at = more;
		j->room = room;
	}
	struct entry *e = &j->at[j->count++];
	e->time = time;
	e->code = time % 7;
	memset(e->text, 'a' + (int)(time % 26), sizeof(e->text));
}

int main(void)
{
	struct journal j = { 0 };
	long s = 0;

	for (long i = 0; i < (V == 2 ? 100 : 2000); i++)
		note(&j, i); /* HERE */
	for (int r = 0; r < (V == 2 ? 80 : 4); r++)
		for (size_t i = 0; i < j.count; i++)
			s += j.at[i].time + j.at[i].code + j.at[i].text[r];
	printf("%ld\n", s);
}
