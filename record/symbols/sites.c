#include "record/symbols/sites.h"

#include <string.h>

#include "record/symbols/accessor.h"
#include "record/symbols/code.h"
#include "record/symbols/objects.h"

static uint32_t anonymous_site(struct ml_objects *o, uint64_t ip)
{
	struct ml_frame frame = { .func = ml_tables_name(o->tables, "[anonymous code]") };

	return ml_tables_site(o->tables, ip, "", true, &frame, 1);
}

static uint32_t make_site(struct ml_objects *o, const struct ml_range *r, uint64_t ip)
{
	struct ml_object *b = r->image->object;
	struct ml_frame frames[ML_FRAMES_MAX] = { { 0 } };
	uint64_t vaddr;
	uint32_t count = 1, accessors = 0;

	if (ml_objects_vaddr(r, ip, &vaddr)) {
		count = ml_code_frames(o->tables, b, vaddr, frames);
		if (b->user)
			accessors = ml_accessor_frames(o, b, vaddr, frames, count);
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
	uint32_t site = ml_tables_site(o->tables, ip, b->path, b->user, frames, count);
	o->tables->sites.at[site].accessors = (uint8_t)accessors;
	return site;
}

uint32_t ml_sites_resolve(struct ml_objects *o, uint64_t ip)
{
	const struct ml_range *r = ml_objects_find(o, ip);
	bool is_new;
	uint64_t *site = ml_map_add(r ? &r->image->sites : &o->outside, ip, &is_new);

	if (is_new)
		*site = r ? make_site(o, r, ip) : anonymous_site(o, ip);
	return (uint32_t)*site;
}

static bool is_system_source(const char *path)
{
	return *path && !ml_tables_is_own_source(path);
}

bool ml_sites_is_own(const struct ml_objects *o, uint32_t site)
{
	const struct ml_site *s = &o->tables->sites.at[site];

	if (!s->user || !s->frames)
		return s->user;
	const struct ml_frame *outer = &o->tables->frames.at[s->frame + s->frames - 1];
	return !is_system_source(ml_tables_text(o->tables, outer->file));
}

static bool is_library(const struct ml_objects *o, const struct ml_site *s)
{
	for (uint32_t i = 0; i < s->frames; i++) {
		uint32_t file = o->tables->frames.at[s->frame + i].file;

		if (!is_system_source(ml_tables_text(o->tables, file)))
			return false;
	}
	return s->user && s->frames;
}

uint32_t ml_sites_called(struct ml_objects *o, uint32_t site, uint32_t caller)
{
	struct ml_site in = o->tables->sites.at[site], by = o->tables->sites.at[caller];
	struct ml_frame frames[ML_FRAMES_MAX];
	bool is_new;

	if (!is_library(o, &in) || in.frames + by.frames > ML_FRAMES_MAX)
		return site;
	uint64_t *known = ml_map_add(&o->called, (uint64_t)site << 32 | caller, &is_new);
	if (is_new) {
		const struct ml_frame *from = o->tables->frames.at;

		memcpy(frames, from + in.frame, in.frames * sizeof(*frames));
		memcpy(frames + in.frames, from + by.frame, by.frames * sizeof(*frames));
		*known = ml_tables_site(o->tables, in.ip,
					ml_tables_text(o->tables, in.object), true,
					frames, in.frames + by.frames);
		if (by.accessors)
			o->tables->sites.at[*known].accessors =
				(uint8_t)(in.frames + by.accessors);
	}
	return (uint32_t)*known;
}

void ml_sites_streams(struct ml_objects *o, uint32_t site)
{
	o->tables->sites.at[site].streaming = true;
}
