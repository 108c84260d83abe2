#include "lib/analyse/passes/user_lines.h"

#include "lib/trace/tables.h"

/* As ml_tables_own_frame, but faster. */
static struct ml_frame own_frame(const struct ml_user_lines *p,
				 const struct ml_site *site)
{
	if (!site->frames)
		return (struct ml_frame){ 0 };
	const struct ml_frame *frame = &p->tables->frames.at[site->frame];
	for (uint32_t i = site->accessors; i < site->frames; i++)
		if (frame[i].line && p->own_file[frame[i].file])
			return frame[i];
	return frame[0];
}

void ml_user_lines_init(struct ml_user_lines *p, const struct ml_tables *t)
{
	size_t cap = 0, names = 0;

	*p = (struct ml_user_lines){ .tables = t };
	p->of_site = ml_grow(NULL, &cap, t->sites.count, sizeof(*p->of_site));
	p->own_file = ml_grow(NULL, &names, t->names.count + 1, sizeof(*p->own_file));
	for (size_t i = 0; i < t->frames.count; i++) {
		uint32_t file = t->frames.at[i].file;

		p->own_file[file] = ml_tables_is_own_source(ml_tables_text(t, file));
	}
	cap = 0;
	p->own_site = ml_grow(NULL, &cap, t->sites.count, sizeof(*p->own_site));
	for (size_t i = 1; i < t->sites.count; i++) {
		struct ml_frame f = own_frame(p, &t->sites.at[i]);

		p->own_site[i] = t->sites.at[i].user && f.line && p->own_file[f.file];
	}
}

void ml_user_lines_release(struct ml_user_lines *p)
{
	ml_free(p->lines);
	ml_free(p->of_site);
	ml_free(p->own_file);
	ml_free(p->own_site);
	ml_map_release(&p->by_line);
	ml_map_release(&p->by_func);
}

static struct ml_user_line place_of(const struct ml_user_lines *p, uint32_t number)
{
	const struct ml_site *site = &p->tables->sites.at[number];

	if (number && !site->user)
		return (struct ml_user_line){ .own = false };
	struct ml_frame f = own_frame(p, site);
	return (struct ml_user_line){ f.line ? f.file : 0, f.func, site->object, f.line,
				      true };
}

uint64_t ml_user_lines_line(struct ml_user_lines *p, uint32_t site, uint32_t caller,
			    bool *is_new)
{
	/* A library template that has code of the user inlined, such as a comparison,
	 * is called by one line and does the work of another. */
	uint32_t number = caller && !p->own_site[site] ? caller : site;

	*is_new = false;
	if (p->of_site[number])
		return p->of_site[number] - 1;
	struct ml_user_line place = place_of(p, number);
	struct ml_map *map = place.line ? &p->by_line : &p->by_func;
	uint64_t key = place.line  ? (uint64_t)place.file << 32 | place.line
		       : place.own ? (uint64_t)place.func << 32 | place.object
				   : UINT64_MAX;
	uint64_t *line = ml_map_add(map, key, is_new);

	if (*is_new) {
		*line = p->count;
		p->lines = ml_grow(p->lines, &p->cap, p->count + 1, sizeof(*p->lines));
		p->lines[p->count++] = place;
	}
	p->of_site[number] = *line + 1;
	return *line;
}

struct ml_user_line ml_user_lines_find(struct ml_user_lines *p, uint32_t site,
				       uint32_t caller)
{
	bool is_new;
	uint64_t line = ml_user_lines_line(p, site, caller,
					   &is_new); /* may move p->lines */

	return p->lines[line];
}
