#include "record/tracks/callers.h"

#include <string.h>

void ml_callers_cross(struct ml_callers *c, bool to_user, uint64_t sp)
{
	while (c->depth && c->stack[c->depth - 1].sp < sp)
		c->depth--;
	c->user = to_user;
	if (to_user || c->returned)
		return;
	if (c->depth == ML_CALLERS_DEPTH) {
		/* runaway recursion through a library: forget the outermost */
		memmove(c->stack, c->stack + 1, sizeof(c->stack) - sizeof(c->stack[0]));
		c->depth--;
	}
	c->stack[c->depth++] = (struct ml_call){ sp, c->last_call };
}

uint32_t ml_callers_site(const struct ml_callers *c)
{
	return c->depth ? c->stack[c->depth - 1].site : 0;
}
