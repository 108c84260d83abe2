#include "record/source/clean_path.h"

#include <stdbool.h>
#include <string.h>

void ml_clean_path(char *path)
{
	char *out = path, *in = path;
	bool rooted = *path == '/';
	char *floor = path + rooted; /* "a/../" does not reach before this */

	if (rooted)
		in++, out++;
	while (*in) {
		size_t n = strcspn(in, "/");
		bool up = n == 2 && in[0] == '.' && in[1] == '.';

		if (up && out > floor) {
			out--; /* the slash behind the last part */
			while (out > floor && out[-1] != '/')
				out--;
		} else if (n && !(n == 1 && in[0] == '.') && !(up && rooted)) {
			memmove(out, in, n);
			out += n;
			*out++ = '/';
			if (up)
				floor = out;
		}
		in += n;
		in += *in == '/';
	}
	if (out > path + 1 && out[-1] == '/')
		out--;
	*out = 0;
}
