/* Files, names and values of .sdfg files. */
#include "lib/flow/read/sdfg_read.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base/buf.h"
#include "lib/flow/flow_build.h"
#include "lib/flow/read/sdfg_read_parts.h"

enum { UNPACKED = 1 << 30 };

const char *ml_sdfg_text(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

json_t *ml_sdfg_attr(json_t *o, const char *key)
{
	return json_object_get(json_object_get(o, "attributes"), key);
}

static const struct ml_sym *value_of_name(void *arg, const char *name)
{
	struct ml_sdfg_reader *r = arg;

	for (size_t i = r->name_count; i-- > r->name_base;)
		if (!strcmp(r->name[i].name, name))
			return r->name[i].value;
	/* a scalar is data, unless it is an integer that the caller passes */
	struct ml_sdfg_array *a = ml_sdfg_find(r, name);
	const struct ml_flow_container *c = a ? &r->f->container[a->container] : NULL;
	if (a && (!c->scalar || c->transient || strncmp(c->type, "int", 3) != 0))
		return NULL;
	/* a free symbol is a parameter of the program, whatever graph uses it */
	uint32_t s = ml_flow_find_symbol(r->f, name);
	if (s == UINT32_MAX)
		s = ml_flow_add_symbol(r->f, name, ML_FLOW_PARAMETER);
	return ml_sym_symbol(&r->f->arena, s);
}

/* An expression between states reads an element. */
static void read_element(void *arg, const char *name, const struct ml_sym *const *index,
			 size_t count)
{
	struct ml_sdfg_reader *r = arg;
	struct ml_sdfg_array *a = ml_sdfg_find(r, name);
	struct ml_sdfg_subset s = { .dims = (uint32_t)count, .single = true };

	if (!a)
		return;
	for (size_t d = 0; d < count; d++)
		s.range[d] = (struct ml_flow_range){ index[d], index[d],
						     ml_sym_const(&r->f->arena, 1) };
	if (r->reads == ML_FLOW_NONE)
		r->reads = ml_flow_add_node(r->f, r->parent, ML_FLOW_WORK,
					    "between states");
	ml_sdfg_access(r, r->reads, a, &s, false, false);
}

const struct ml_sym *ml_sdfg_name(struct ml_sdfg_reader *r, const char *name)
{
	return value_of_name(r, name);
}

const char *ml_sdfg_code(json_t *o)
{
	return json_is_string(o) ? json_string_value(o) : ml_sdfg_text(o, "string_data");
}

const struct ml_sym *ml_sdfg_parse(struct ml_sdfg_reader *r, const char *text, bool reads)
{
	struct ml_py p = { .arena = &r->f->arena,
			   .name = value_of_name,
			   .element = reads ? read_element : NULL,
			   .arg = r };

	return ml_py_value(&p, text);
}

const struct ml_sym *ml_sdfg_value(struct ml_sdfg_reader *r, json_t *text)
{
	/* {"main": ..., "approx": ...} stands for a bound with an estimate */
	if (json_is_object(text))
		text = json_object_get(text, "main");
	if (json_is_integer(text))
		return ml_sym_const(&r->f->arena, json_integer_value(text));
	if (!json_is_string(text))
		return ml_sym_unknown(&r->f->arena);
	return ml_sdfg_parse(r, json_string_value(text), false);
}

void ml_sdfg_bind(struct ml_sdfg_reader *r, const char *name, const struct ml_sym *value)
{
	if (value && ml_sym_has_unknown(value))
		value = NULL;
	r->name = ml_grow(r->name, &r->name_cap, r->name_count + 1, sizeof(*r->name));
	r->name[r->name_count++] = (struct ml_sdfg_name){ name, value };
}

/* Gives a name of this graph another value. */
void ml_sdfg_assign(struct ml_sdfg_reader *r, const char *name,
		    const struct ml_sym *value)
{
	if (value && ml_sym_has_unknown(value))
		value = NULL;
	for (size_t i = r->name_count; i-- > r->name_base;)
		if (!strcmp(r->name[i].name, name)) {
			r->name[i].value = value;
			return;
		}
	ml_sdfg_bind(r, name, value);
}

struct ml_sdfg_array *ml_sdfg_find(struct ml_sdfg_reader *r, const char *name)
{
	for (size_t i = r->array_count; i-- > r->array_base;)
		if (!strcmp(r->array[i].name, name))
			return &r->array[i];
	return NULL;
}

void ml_sdfg_where(struct ml_sdfg_reader *r, uint32_t node, json_t *o)
{
	json_t *info = ml_sdfg_attr(o, "debuginfo");
	json_int_t line = json_integer_value(json_object_get(info, "start_line"));
	const char *file = ml_sdfg_text(info, "filename");

	if (line > 0 && line < UINT32_MAX)
		r->f->node[node].line = (uint32_t)line;
	if (*file)
		r->f->node[node].file = ml_arena_strdup(&r->f->arena, file);
}

uint32_t ml_sdfg_loop(struct ml_sdfg_reader *r, const char *label, const char *variable,
		      const struct ml_sym *from, const struct ml_sym *to, int64_t step)
{
	struct ml_flow *f = r->f;
	struct ml_arena *a = &f->arena;
	uint32_t n = ml_flow_add_node(f, r->parent, ML_FLOW_FOR, label);

	if (ml_sym_has_unknown(from) || ml_sym_has_unknown(to)) {
		char *name = ml_arena_printf(a, "trips_%s", variable);

		if (ml_flow_find_symbol(f, name) != UINT32_MAX)
			name = ml_arena_printf(a, "trips_%s_%u", variable, n);
		uint32_t trips = ml_flow_add_symbol(f, name, ML_FLOW_TRIPS);
		ml_flow_add_note(f,
				 "how often the loop over '%s' runs depends on data; %s "
				 "is its number of iterations",
				 variable, name);
		if (ml_sym_has_unknown(from))
			from = ml_sym_const(a, 0);
		to = ml_sym_add_const(
			a, ml_sym_make(a, ML_SYM_ADD, from, ml_sym_symbol(a, trips)), -1);
		step = 1;
	}
	f->node[n].symbol = ml_flow_add_symbol(f, variable, ML_FLOW_LOOP);
	f->node[n].from = from;
	f->node[n].to = to;
	f->node[n].step = step;
	return n;
}

/* gzip, as .sdfgz files are. */
static bool unpack(const char *path, const char *text, size_t size, struct ml_buf *out,
		   struct ml_err *err)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size };
	int code = inflateInit2(&z, 15 + 16);

	while (code == Z_OK && out->size < UNPACKED) {
		ml_buf_reserve(out, 1 << 16);
		z.next_out = out->data + out->size;
		z.avail_out = 1 << 16;
		code = inflate(&z, Z_NO_FLUSH);
		out->size += (1 << 16) - z.avail_out;
		if (code == Z_BUF_ERROR)
			break;
	}
	inflateEnd(&z);
	return code == Z_STREAM_END ||
	       ml_fail(err, ML_FORMAT,
		       "%s: the compressed data is damaged, cut off or "
		       "larger than 1 GiB",
		       path);
}

static bool read_json(struct ml_flow *f, const char *text, size_t size,
		      struct ml_err *err)
{
	struct ml_sdfg_reader r = { .f = f, .reads = ML_FLOW_NONE };
	json_error_t where;
	json_t *root = json_loadb(text, size, 0, &where);

	if (!root)
		return ml_fail(err, ML_FORMAT, "%s, line %d, column %d: %s", f->path,
			       where.line, where.column, where.text);
	if (strcmp(ml_sdfg_text(root, "type"), "SDFG") != 0 ||
	    !json_is_array(json_object_get(root, "nodes"))) {
		json_decref(root);
		return ml_fail(
			err, ML_FORMAT,
			"%s: this is JSON, but no SDFG (its type is not \"SDFG\", or "
			"it has no nodes)",
			f->path);
	}
	const char *version = ml_sdfg_text(root, "dace_version");
	if (!*version)
		version = ml_sdfg_code(ml_sdfg_attr(root, "dace_version"));
	f->dialect = ml_arena_printf(&f->arena, "DaCe %s", *version ? version : "?");
	json_t *name = ml_sdfg_attr(root, "name");
	f->function = ml_arena_strdup(
		&f->arena, json_is_string(name) ? json_string_value(name) : "graph");
	r.parent = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, f->function);
	ml_sdfg_where(&r, r.parent, root);
	ml_sdfg_graph(&r, root);
	ml_free(r.array);
	ml_free(r.name);
	json_decref(root);
	return true;
}

bool ml_sdfg_read(struct ml_flow *f, const char *text, size_t size, struct ml_err *err)
{
	struct ml_buf unpacked = { 0 };
	bool ok = true;

	if (!size)
		return ml_fail(err, ML_FORMAT, "%s: the file is empty", f->path);
	if (size > 1 && !memcmp(text, "\x1f\x8b", 2)) {
		ok = unpack(f->path, text, size, &unpacked, err);
		text = (const char *)unpacked.data;
		size = unpacked.size;
	}
	ok = ok && read_json(f, text, size, err);
	ml_buf_release(&unpacked);
	return ok;
}
