#include "record/reader/guest_code.h"

#include "lib/base/arena.h"
#include "lib/trace/control.h"
#include "record/ring.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"

_Static_assert((int)ML_BRANCH_FALL == ML_CONTROL_FALL &&
		       (int)ML_BRANCH_IF == ML_CONTROL_IF &&
		       (int)ML_BRANCH_JUMP == ML_CONTROL_JUMP &&
		       (int)ML_BRANCH_CALL == ML_CONTROL_CALL &&
		       (int)ML_BRANCH_RETURN == ML_CONTROL_RETURN,
	       "the guest's kinds of branches are those of the trace");

enum {
	SHAPES_AHEAD = 1 << 20, /* numbers of shapes beyond those declared */
	FAR = 1 << 20,          /* no loop is so long in bytes */
};

void ml_guest_code_release(struct ml_guest_code *g)
{
	ml_free(g->superblock);
	*g = (struct ml_guest_code){ 0 };
}

/*
 * A loop is called by the line of the branch at its end, and of what that goes back to.
 * The end may also be a branch that leaves the loop, with code behind it that does not.
 * Code without lines needs none of this.
 */
static void name_loops(const struct ml_control_superblock *s, struct ml_objects *objects)
{
	const struct ml_control_branch *b = s->branch, *end = b + s->branches;
	bool found = false;

	for (; b < end && !found; b++)
		found = b->kind == ML_CONTROL_IF || (b->target && b->target <= b->at);
	if (!found)
		return;
	uint32_t entry = ml_sites_resolve(objects, s->entry);
	if (!ml_tables_frame(objects->tables, entry).line)
		return;
	for (b = s->branch; b < end; b++) {
		bool back = b->target && b->target <= b->at && b->at - b->target < FAR;

		if (b->kind == ML_CONTROL_CALL)
			continue;
		if (back || b->kind == ML_CONTROL_IF)
			ml_sites_resolve(objects, b->at);
		if (back)
			ml_sites_resolve(objects, b->target);
	}
}

static bool get_branches(struct ml_control_branch *b, const uint64_t *w, size_t count,
			 size_t slots, uint64_t from)
{
	struct ml_control_branch last = { 0 };

	for (size_t i = 0; i < count; i++, w += 3, last = b[-1]) {
		*b++ = (struct ml_control_branch){ .at = w[0],
						   .target = w[1],
						   .slots = (uint16_t)w[2],
						   .instructions = (uint32_t)(w[2] >> 16),
						   .length = (uint8_t)(w[2] >> 48),
						   .kind = (uint8_t)(w[2] >> 56) };
		bool same = i && w[0] == last.at && b[-1].length == last.length;
		if (!same && w[0] - from > ML_CONTROL_BYTES_MAX)
			return false;
		from = ml_control_behind(&b[-1]);
		if (b[-1].kind >= ML_CONTROL_KINDS || b[-1].slots < last.slots ||
		    b[-1].instructions < last.instructions)
			return false;
	}
	return last.slots <= slots;
}

bool ml_guest_code_add(struct ml_guest_code *g, uint32_t shape, const uint64_t *w,
		       size_t count, struct ml_objects *objects, struct ml_control *code)
{
	struct ml_control_branch branch[ML_CONTROL_BRANCHES_MAX];
	uint32_t before[ML_SLOTS_MAX];
	size_t slots = w[1] & 0xffff, branches = w[1] >> 16 & 0xffff;
	size_t shapes = w[1] >> 32 & 0xffff;

	if (count != 2 + 3 * branches + (slots + 3) / 4 || slots > ML_SLOTS_MAX ||
	    !branches || branches > ML_CONTROL_BRANCHES_MAX ||
	    shape > g->cap + SHAPES_AHEAD ||
	    !get_branches(branch, w + 2, branches, slots, w[0]))
		return false;
	const uint64_t *packed = w + 2 + 3 * branches;
	for (size_t i = 0; i < slots; i++) {
		before[i] = packed[i / 4] >> i % 4 * 16 & 0xffff;
		if (i && before[i] < before[i - 1])
			return false;
	}
	struct ml_control_superblock s = { .entry = w[0],
					   .slots = (uint16_t)slots,
					   .branches = (uint16_t)branches,
					   .branch = branch,
					   .before = before };
	uint32_t number = ml_control_add(code, &s);
	name_loops(&s, objects);
	g->superblock = ml_grow(g->superblock, &g->cap, shape + shapes,
				sizeof(*g->superblock));
	for (size_t i = 0; i < shapes; i++)
		g->superblock[shape + i] = number + 1;
	return true;
}

void ml_guest_code_shape(const struct ml_guest_code *g, uint32_t id, uint32_t shape,
			 struct ml_control *code)
{
	if (id < g->cap && g->superblock[id])
		ml_control_is(code, shape, g->superblock[id] - 1);
}
