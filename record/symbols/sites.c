#include "record/symbols/sites.h"

#include "record/symbols/code.h"
#include "record/symbols/objects.h"

static uint32_t stray_site(struct ml_objects *o, uint64_t ip)
{
	struct ml_frame frame = { .func = ml_tables_name(o->tables, "[anonymous code]") };

	return ml_tables_site(o->tables, ip, "", true, &frame, 1);
}

static uint32_t make_site(struct ml_objects *o, const struct ml_range *r, uint64_t ip)
{
	struct ml_object *b = r->image->object;
	struct ml_frame frames[ML_FRAMES_MAX] = { { 0 } };
	uint64_t vaddr;
	uint32_t count = 1;

	if (ml_objects_vaddr(r, ip, &vaddr)) {
		count = ml_code_frames(o->tables, b, vaddr, frames);
	} else if (b->path[0] == '[') { /* [vdso]: not a file */
		frames[0].func = ml_tables_name(o->tables, b->path);
	} else {
		struct ml_arena a = { 0 };

		frames[0].func = ml_tables_name(
			o->tables,
			ml_arena_printf(&a, "%s+0x%llx", b->base,
					(unsigned long long)(ip - r->low + r->offset)));
		ml_arena_release(&a);
	}
	return ml_tables_site(o->tables, ip, b->path, b->user, frames, count);
}

uint32_t ml_sites_resolve(struct ml_objects *o, uint64_t ip)
{
	const struct ml_range *r = ml_objects_find(o, ip);
	bool is_new;
	uint64_t *site = ml_map_add(r ? &r->image->sites : &o->stray, ip, &is_new);

	if (is_new)
		*site = r ? make_site(o, r, ip) : stray_site(o, ip);
	return (uint32_t)*site;
}
