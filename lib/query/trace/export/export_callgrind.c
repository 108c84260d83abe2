/*
 * The callgrind format, version 1 (chapter 3 of Valgrind's technical documentation). Its
 * "objects" are our regions: KCachegrind groups by them. A function is the one that the
 * instruction is in; a line may come from an inlined function in another file. References
 * that a library makes on behalf of the user's line are a call from that line, others of
 * a library a call from NOBODY: KCachegrind takes what calls bring for all that a called
 * function costs.
 *
 * KCachegrind gives a function to the object in which it meets its number first. So a
 * function has another number in each object. Names of events are none of those that
 * KCachegrind knows from callgrind (L1m): it would put its own words and sums behind
 * them.
 */
#include "lib/query/trace/export/export_callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "lib/analyse/passes/profile.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/query/trace/open/open_sim.h"

enum { EVENTS_MAX = 3 + ML_LEVELS + 1 };

#define NOBODY "loader, start-up and libraries"

struct callgrind {
	struct ml_buf *out;
	struct ml_buf key; /* of the function that is written */
	const struct ml_tables *tables;
	const struct ml_profile *profile;
	struct ml_names objects, files, functions; /* that were written */
	const char *in[4]; /* what the lines are in now, see put_function */
	unsigned events;
	uint64_t total[EVENTS_MAX];
};

/* Where the instruction of a site is, and the function that holds it. */
struct place {
	const char *function, *file; /* the function that was not inlined */
	const char *line_file;       /* of the line, which may be inlined */
	uint32_t line;
};

static struct place place_of(const struct ml_tables *t, uint32_t site)
{
	const struct ml_site *s = &t->sites.at[site];

	if (!s->frames)
		return (struct place){ "", "", "", 0 };
	const struct ml_frame *in = &t->frames.at[s->frame + s->accessors],
			      *out = &t->frames.at[s->frame + s->frames - 1];
	return (struct place){ ml_tables_text(t, out->func), ml_tables_text(t, out->file),
			       ml_tables_text(t, in->file), in->line };
}

/* Writes "fn=(1) main", and the next time "fn=(1)"; id tells names apart. */
static void put_number(struct callgrind *c, struct ml_names *n, const char *key,
		       const char *id, const char *name)
{
	size_t before = n->count;

	ml_buf_printf(c->out, "%s=(%" PRIu32 ")", key, ml_names_add(n, id) + 1);
	if (n->count > before)
		ml_buf_u8(c->out, ' ');
	for (const char *p = name; *p && n->count > before; p++)
		ml_buf_u8(c->out, (uint8_t)*p < ' ' ? ' ' : (uint8_t)*p);
	ml_buf_u8(c->out, '\n');
}

static void put_name(struct callgrind *c, struct ml_names *n, const char *key,
		     const char *name)
{
	name = *name ? name : "???";
	put_number(c, n, key, name, name);
}

/* The same for a function, which has another number for each region. */
static void put_function_name(struct callgrind *c, const char *key, const struct place *p,
			      const char *region)
{
	c->key.size = 0;
	ml_buf_printf(&c->key, "%s\n%s\n%s", region, p->file, p->function);
	ml_buf_u8(&c->key, 0);
	put_number(c, &c->functions, key, (const char *)c->key.data,
		   *p->function ? p->function : "???");
}

/* References, reads, writes; misses of each level; cycles. */
static void events_of(const struct callgrind *c, const struct ml_profile_cell *cell,
		      uint64_t *v)
{
	const struct ml_machine *m = &c->profile->machine;
	uint64_t behind = 0, cycles = 0;

	for (unsigned level = m->levels + 1; level >= 1; level--) {
		uint64_t served = cell->served[level];

		cycles += served * (level > m->levels ? m->memory_cycles
						      : m->level[level - 1].cycles);
		if (level <= m->levels)
			v[2 + level] = behind;
		behind += served;
	}
	v[0] = behind;
	v[1] = cell->kind[ML_READ];
	v[2] = cell->kind[ML_WRITE];
	v[3 + m->levels] = cycles;
}

static void put_costs(struct callgrind *c, uint32_t line, const uint64_t *v)
{
	ml_buf_printf(c->out, "%" PRIu32, line);
	for (unsigned i = 0; i < c->events; i++)
		ml_buf_printf(c->out, " %" PRIu64, v[i]);
	ml_buf_u8(c->out, '\n');
}

static const char *region_of(const struct callgrind *c,
			     const struct ml_profile_cell *cell)
{
	return ml_profile_region_name(c->profile, c->tables, cell->region);
}

static void put_function(struct callgrind *c, const struct place *p, const char *region)
{
	const char *const in[4] = { region, p->file, p->function, p->line_file };

	if (c->in[0] && !strcmp(c->in[0], in[0]) && !strcmp(c->in[1], in[1]) &&
	    !strcmp(c->in[2], in[2]) && !strcmp(c->in[3], in[3]))
		return;
	memcpy(c->in, in, sizeof(in));
	put_name(c, &c->objects, "ob", region);
	put_name(c, &c->files, "fl", p->file);
	put_function_name(c, "fn", p, region);
	if (strcmp(p->file, p->line_file) != 0)
		put_name(c, &c->files, "fi", p->line_file);
}

static void put_cell(struct callgrind *c, const struct ml_profile_cell *cell)
{
	struct place p = place_of(c->tables, cell->site);
	const char *region = region_of(c, cell);
	uint64_t v[EVENTS_MAX];

	events_of(c, cell, v);
	for (unsigned i = 0; i < c->events; i++)
		c->total[i] += v[i];
	put_function(c, &p, region);
	put_costs(c, p.line, v);
	if (!cell->caller && (!cell->site || c->tables->sites.at[cell->site].user))
		return;
	struct place from = { NOBODY, "", "", 0 };
	if (cell->caller)
		from = place_of(c->tables, cell->caller);
	put_function(c, &from, cell->caller ? region : NOBODY);
	put_name(c, &c->objects, "cob", region);
	put_name(c, &c->files, "cfi", p.file);
	put_function_name(c, "cfn", &p, region);
	ml_buf_printf(c->out, "calls=1 %" PRIu32 "\n", p.line);
	put_costs(c, from.line, v);
}

/* A level's name without characters that an event's name cannot have. */
static void put_event_name(struct callgrind *c, const char *level)
{
	for (const char *p = level; *p; p++)
		if ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
		    (*p >= 'A' && *p <= 'Z'))
			ml_buf_u8(c->out, (uint8_t)*p);
}

static void put_head(struct callgrind *c, const struct ml_open_sim *s)
{
	const struct ml_machine *m = &c->profile->machine;
	const char *command = ml_tables_meta_find(c->tables, "command");

	ml_buf_printf(c->out,
		      "# callgrind format\nversion: 1\ncreator: memlamp " ML_VERSION
		      "\n");
	if (command && !strpbrk(command, "\r\n"))
		ml_buf_printf(c->out, "cmd: %s\n", command);
	ml_buf_printf(c->out,
		      "desc: Machine: %s\npositions: line\n"
		      "event: Refs : references\nevent: Dr : reads\nevent: Dw : "
		      "writes\n",
		      s->text);
	for (unsigned k = 0; k < m->levels; k++) {
		ml_buf_text(c->out, "event: ");
		put_event_name(c, m->level[k].name);
		ml_buf_printf(c->out, "miss : references that %s missed\n",
			      m->level[k].name);
	}
	ml_buf_text(c->out, "event: Cycles : cycles by the latencies of the machine\n"
			    "events: Refs Dr Dw");
	for (unsigned k = 0; k < m->levels; k++) {
		ml_buf_u8(c->out, ' ');
		put_event_name(c, m->level[k].name);
		ml_buf_text(c->out, "miss");
	}
	ml_buf_text(c->out, " Cycles\n\n");
}

bool ml_export_callgrind(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err)
{
	const struct ml_profile *p = s->simulation.profile;
	struct callgrind c = {
		.out = out,
		.tables = &s->trace->trace.tables,
		.profile = p,
		.events = 4 + p->machine.levels,
	};

	(void)err;
	put_head(&c, s);
	for (size_t i = 0; i < p->cell_count; i++)
		put_cell(&c, &p->cells[i]);
	ml_buf_text(out, "\ntotals:");
	for (unsigned i = 0; i < c.events; i++)
		ml_buf_printf(out, " %" PRIu64, c.total[i]);
	ml_buf_u8(out, '\n');
	ml_names_release(&c.objects);
	ml_names_release(&c.files);
	ml_names_release(&c.functions);
	ml_buf_release(&c.key);
	return true;
}
