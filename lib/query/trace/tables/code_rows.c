#include "lib/query/trace/tables/code_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/trace/tables.h"

/* The share that a region or a library function has of a line. */
struct ml_code_share {
	size_t row;
	uint32_t owner; /* number of the region, or of the function's name */
	uint64_t refs;
	double lost;
};

bool ml_code_is_own(const struct ml_tables *t, uint32_t site, uint32_t caller)
{
	return caller || !site || t->sites.at[site].user;
}

bool ml_code_is_theirs(uint64_t own, uint64_t refs)
{
	return own < refs - own;
}

static void add_share(struct ml_code_shares *s, size_t row, uint32_t owner,
		      const struct ml_code_cell *c)
{
	bool is_new;
	uint64_t *number = ml_map_add(&s->index, (uint64_t)row << 32 | owner, &is_new);

	if (is_new) {
		*number = s->list.count;
		*ML_ADD(s->list) = (struct ml_code_share){ .row = row, .owner = owner };
	}
	s->list.at[*number].refs += c->refs;
	s->list.at[*number].lost += c->lost;
}

/* The number of the owner decides last, so that the output does not depend on the sort.
 */
static int by_share(const void *a, const void *b)
{
	const struct ml_code_share *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->lost > y->lost || x->lost < y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->refs != y->refs)
		return x->refs > y->refs ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static void sort_shares(struct ml_code_shares *s)
{
	if (s->list.count)
		qsort(s->list.at, s->list.count, sizeof(*s->list.at), by_share);
}

static void release_shares(struct ml_code_shares *s)
{
	ml_free(s->list.at);
	ml_map_release(&s->index);
}

void ml_code_lines_init(struct ml_code_lines *l, const struct ml_tables *t)
{
	*l = (struct ml_code_lines){ .tables = t };
	ml_user_lines_init(&l->numbers, t);
}

size_t ml_code_lines_add(struct ml_code_lines *l, const struct ml_code_cell *c)
{
	const struct ml_tables *t = l->tables;
	bool is_new;
	size_t row = ml_user_lines_line(&l->numbers, c->site, c->caller, &is_new);

	if (is_new) {
		struct ml_user_line u = l->numbers.lines[row];

		*ML_ADD(l->rows) = (struct ml_code_line){
			.file = ml_tables_text(t, u.file),
			.func = ml_tables_text(t, u.func),
			.object = ml_tables_text(t, u.object),
			.line = u.line,
			.own = u.own,
		};
	}
	add_share(&l->regions, row, c->region, c);
	if (c->caller) {
		l->rows.at[row].library += c->refs;
		add_share(&l->functions, row, ml_tables_frame(t, c->site).func, c);
	} else if (t->sites.at[c->site].accessors) {
		const struct ml_site *s = &t->sites.at[c->site];

		add_share(&l->functions, row,
			  t->frames.at[s->frame + s->accessors - 1].func, c);
	}
	return row;
}

void ml_code_lines_finish(struct ml_code_lines *l,
			  const char *(*region_name)(const void *arg, uint32_t region),
			  const void *arg)
{
	sort_shares(&l->regions);
	for (size_t i = 0; i < l->regions.list.count; i++) {
		const struct ml_code_share *s = &l->regions.list.at[i];
		struct ml_code_line *row = &l->rows.at[s->row];

		if (row->parts < ML_CODE_PARTS)
			row->part[row->parts] = (struct ml_code_part){
				s->owner, region_name(arg, s->owner), s->refs, s->lost
			};
		row->parts++;
	}
	sort_shares(&l->functions);
	for (size_t i = 0; i < l->functions.list.count; i++) {
		const struct ml_code_share *s = &l->functions.list.at[i];

		if (!l->rows.at[s->row].through)
			l->rows.at[s->row].through = ml_tables_text(l->tables, s->owner);
	}
}

void ml_code_lines_release(struct ml_code_lines *l)
{
	ml_free(l->rows.at);
	ml_user_lines_release(&l->numbers);
	release_shares(&l->regions);
	release_shares(&l->functions);
}

static size_t add_function(struct ml_code_functions *f, uint32_t site,
			   struct ml_frame frame)
{
	const struct ml_tables *t = f->tables;
	uint32_t object = t->sites.at[site].object;
	const char *file = ml_tables_text(t, frame.file);
	bool is_new;
	uint64_t *row = ml_map_add(&f->index, (uint64_t)frame.func << 32 | object,
				   &is_new);

	if (is_new) {
		*row = f->rows.count;
		*ML_ADD(f->rows) = (struct ml_code_function){
			.func = ml_tables_text(t, frame.func),
			.file = file,
			.object = ml_tables_text(t, object),
			.user = !site || (t->sites.at[site].user &&
					  (!*file || ml_tables_is_own_source(file))),
		};
	}
	return *row;
}

size_t ml_code_functions_add(struct ml_code_functions *f, uint32_t site)
{
	return add_function(f, site, ml_tables_frame(f->tables, site));
}

size_t ml_code_functions_add_own(struct ml_code_functions *f, uint32_t site,
				 uint32_t caller)
{
	uint32_t number = caller ? caller : site;

	return add_function(f, number, ml_tables_own_frame(f->tables, number));
}

void ml_code_functions_release(struct ml_code_functions *f)
{
	ml_free(f->rows.at);
	ml_map_release(&f->index);
}
