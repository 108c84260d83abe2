#include "lib/samples/read/read_samples.h"

#include <string.h>
#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/samples/read/readers.h"
#include "lib/samples/samples_file.h"
#include "lib/samples/samples_make.h"

enum { HARDWARE_MAX = 64 << 20, LOOK = 1 << 16 };

static const struct ml_read_options plain_options = { .l1_latency = ML_L1_LATENCY };

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The first file of a list that a folder has; NULL: none. */
static const char *first_of(const char *folder, const char *const *names,
			    struct ml_arena *a)
{
	for (; *names; names++) {
		const char *path = ml_arena_printf(a, "%s/%s", folder, *names);

		if (is_file(path))
			return path;
	}
	return NULL;
}

static const char *table_of(const char *folder, struct ml_arena *a)
{
	static const char *const names[] = { "data/samples.csv", "data/samples.out",
					     "samples.csv", "samples.out", NULL };

	return first_of(folder, names, a);
}

static const char *hardware_of(const char *path, struct ml_arena *a)
{
	static const char *const inside[] = { "hardware.xml", "data/hardware.xml",
					      "topology.xml", "hwloc.xml", NULL },
				 *const above[] = { "hardware.xml", "../hardware.xml",
						    NULL };

	if (is_folder(path))
		return first_of(path, inside, a);
	/* A hardware.xml beside or above another table may be anyone's. */
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (strcmp(name, "samples.csv") != 0 && strcmp(name, "samples.out") != 0)
		return NULL;
	return first_of(slash ? ml_arena_printf(a, "%.*s", (int)(slash - path), path)
			      : ".",
			above, a);
}

/* Whether a folder is one of Mitos. */
static bool is_mitos(const char *path)
{
	struct ml_arena a = { 0 };
	bool mine = table_of(path, &a);

	ml_arena_release(&a);
	return mine;
}

bool ml_samples_is(const char *path)
{
	struct ml_file_map map;
	struct ml_err err;

	if (is_folder(path))
		return is_mitos(path);
	if (ml_samples_file_is(path))
		return true;
	if (!is_file(path) || !ml_file_map_open(&map, path, &err))
		return false;
	bool mine = ml_sample_format_of((const char *)map.data,
					map.size < LOOK ? map.size : LOOK);
	ml_file_map_close(&map);
	return mine;
}

bool ml_samples_read_text(struct ml_samples *s, const char *name,
			  const struct ml_sample_format *format, const char *text,
			  size_t size, const struct ml_read_options *o,
			  const struct ml_work *work, struct ml_err *err)
{
	struct ml_read_text t = { name, text, text + size };

	ml_samples_init(s);
	o = o ? o : &plain_options;
	if (memchr(text, 0, size < LOOK ? size : LOOK))
		return ml_fail(err, ML_FORMAT,
			       "%s: neither text nor a file of memlamp, or its beginning "
			       "is damaged",
			       name);
	if (!format)
		format = ml_sample_format_of(text, size);
	if (!format) /* whose reader says what is wrong */
		format = ml_sample_format_named("samples-csv");
	s->path = ml_arena_strdup(&s->arena, name);
	s->format = format->name;
	bool ok = format->read(s, t, o, work, err);
	if (ok) {
		ml_samples_pack(s);
		ok = ml_read_derive(s, o, err);
	}
	if (ok && !s->rows && s->bad)
		ok = ml_fail(err, ML_FORMAT,
			     "%s:%llu: %s; no line of the file can be read", name,
			     (unsigned long long)s->bad_shown[0].line,
			     s->bad_shown[0].reason);
	if (!ok)
		ml_samples_close(s);
	return ok;
}

bool ml_samples_read_hardware(struct ml_samples *s, const char *path, struct ml_err *err)
{
	char *text;
	size_t size;
	bool ok = ml_file_read(path, HARDWARE_MAX, &s->arena, &text, &size, err) &&
		  ml_topology_parse(&s->topology, path, text, size, &s->arena, err);

	if (!ok)
		ml_samples_close(s);
	return ok;
}

/* An imported file: columns may be given other roles, but their cells stay as they are.
 */
static bool open_imported(struct ml_samples *s, const char *path,
			  const struct ml_read_options *o, const struct ml_work *work,
			  struct ml_err *err)
{
	if (o->types || o->source)
		return ml_fail(err, ML_USAGE,
			       "%s: types and source were decided when it was imported; "
			       "import it anew",
			       path);
	if (!ml_samples_file_open(s, path, work, err))
		return false;
	int level = s->role[ML_SAMPLES_LEVEL], word = s->role[ML_SAMPLES_SOURCE_WORD];
	bool ok = ml_read_roles(s, o->columns, err);

	if (ok && level >= 0 && level == s->role[ML_SAMPLES_LEVEL] &&
	    word != s->role[ML_SAMPLES_SOURCE_WORD]) /* the new word tells the level */
		ml_samples_set_role(s, (size_t)level, ML_SAMPLES_NO_ROLE);
	if (ok && (level != s->role[ML_SAMPLES_LEVEL] ||
		   word != s->role[ML_SAMPLES_SOURCE_WORD]))
		ok = ml_read_derive(s, o, err);
	if (!ok)
		ml_samples_close(s);
	return ok && (!o->hardware || ml_samples_read_hardware(s, o->hardware, err));
}

bool ml_samples_open(struct ml_samples *s, const char *path,
		     const struct ml_read_options *o, const struct ml_work *work,
		     struct ml_err *err)
{
	struct ml_file_map map;
	struct ml_arena a = { 0 };
	const char *table = path;

	o = o ? o : &plain_options;
	if (ml_samples_file_is(path))
		return open_imported(s, path, o, work, err);
	if (is_folder(path)) {
		table = table_of(path, &a);
		if (!table) {
			ml_arena_release(&a);
			return ml_fail(err, ML_FORMAT,
				       "%s: the folder has no data/samples.csv or "
				       "data/samples.out",
				       path);
		}
	}
	bool ok = ml_file_map_open(&map, table, err);
	if (ok) {
		ok = ml_samples_read_text(s, table, NULL, (const char *)map.data,
					  map.size, o, work, err);
		ml_file_map_close(&map);
	}
	if (ok) {
		s->path = ml_arena_strdup(&s->arena, path);
		if (table != path)
			s->format = "mitos";
		const char *hardware = o->hardware ? o->hardware : hardware_of(path, &a);

		ok = !hardware || ml_samples_read_hardware(s, hardware, err);
	}
	ml_arena_release(&a);
	return ok;
}
