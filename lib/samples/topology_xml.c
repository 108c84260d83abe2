/*
 * A reader of the two XML dialects: elements with attributes, nested; text, comments and
 * declarations are passed over. Elements that are no resource (info, page_type,
 * distances) are skipped with what they hold.
 */
#include "lib/samples/topology.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/text/scan.h"

enum { DEPTH_MAX = 256, NONE = -1 };

struct reader {
	struct ml_topology *t;
	const char *name, *text, *at, *end;
	struct ml_topology_node *nodes; /* resized */
	size_t cap;
	uint32_t open[DEPTH_MAX]; /* the resource of each open element */
	unsigned depth;
	uint64_t seen[ML_TOPOLOGY_TYPES];
	struct ml_arena *a;
};

static bool is_word(struct ml_scan_word w, const char *text)
{
	return w.size == strlen(text) && !memcmp(w.at, text, w.size);
}

static bool wrong(const struct reader *r, const char *what, struct ml_err *err)
{
	size_t line = 1;

	for (const char *p = r->text; p < r->at && p < r->end; p++)
		line += *p == '\n';
	return ml_fail(err, ML_FORMAT, "%s:%zu: %s", r->name, line, what);
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':' || c == '.';
}

static bool space(char c)
{
	return c == '\n' || ml_scan_blank(c);
}

static struct ml_scan_word word(struct reader *r)
{
	struct ml_scan_word w = { r->at, 0 };

	while (r->at < r->end && name_char(*r->at))
		r->at++;
	w.size = (size_t)(r->at - w.at);
	return w;
}

enum { ATTRIBUTES = 32 };

struct element {
	struct ml_scan_word name;
	struct {
		struct ml_scan_word key, value;
	} attributes[ATTRIBUTES];
	size_t count;
	bool empty; /* <x/> */
};

static bool read_element(struct reader *r, struct element *e, struct ml_err *err)
{
	e->name = word(r);
	e->count = 0;
	e->empty = false;
	for (;;) {
		while (r->at < r->end && space(*r->at))
			r->at++;
		if (r->at == r->end)
			return wrong(r, "the file ends within an element", err);
		if (*r->at == '>') {
			r->at++;
			return true;
		}
		if (*r->at == '/') {
			e->empty = true;
			r->at++;
			continue;
		}
		struct ml_scan_word key = word(r), value;
		if (!key.size || r->at == r->end || *r->at != '=')
			return wrong(r, "expected NAME=\"VALUE\"", err);
		r->at++;
		if (r->at == r->end || (*r->at != '"' && *r->at != '\''))
			return wrong(r, "a value is not quoted", err);
		value.at = r->at + 1;
		r->at = memchr(value.at, *r->at, (size_t)(r->end - value.at));
		if (!r->at) {
			r->at = r->end;
			return wrong(r, "a quoted value does not end", err);
		}
		value.size = (size_t)(r->at++ - value.at);
		if (e->count < ATTRIBUTES) {
			e->attributes[e->count].key = key;
			e->attributes[e->count++].value = value;
		}
	}
}

static struct ml_scan_word attribute(const struct element *e, const char *key)
{
	for (size_t i = 0; i < e->count; i++)
		if (is_word(e->attributes[i].key, key))
			return e->attributes[i].value;
	return (struct ml_scan_word){ "", 0 };
}

static uint64_t number(const struct element *e, const char *key, uint64_t otherwise)
{
	uint64_t v;

	return ml_scan_whole(attribute(e, key), &v) ? v : otherwise;
}

/* "L2Cache" and "L2iCache" of hwloc 2. */
static bool is_cache(struct ml_scan_word type, unsigned *level, bool *data)
{
	if (type.size < 7 || type.at[0] != 'L' || type.at[1] < '1' || type.at[1] > '9' ||
	    memcmp(type.at + type.size - 5, "Cache", 5) != 0)
		return false;
	*level = (unsigned)(type.at[1] - '0');
	*data = type.at[2] != 'i';
	return true;
}

/* What an element is; NONE: no resource, and what it holds is read as if it were not
 * there. */
static int type_of(const struct element *e, struct ml_topology_node *n)
{
	static const struct {
		const char *name;
		enum ml_topology_type type;
	} types[] = {
		{ "Machine", ML_TOPOLOGY_MACHINE }, { "System", ML_TOPOLOGY_MACHINE },
		{ "Package", ML_TOPOLOGY_PACKAGE }, { "Socket", ML_TOPOLOGY_PACKAGE },
		{ "NUMANode", ML_TOPOLOGY_NUMA },   { "Node", ML_TOPOLOGY_NUMA },
		{ "Group", ML_TOPOLOGY_GROUP },     { "Die", ML_TOPOLOGY_GROUP },
		{ "Core", ML_TOPOLOGY_CORE },       { "PU", ML_TOPOLOGY_CPU },
	};
	struct ml_scan_word type = attribute(e, "type");
	bool data = true;

	*n = (struct ml_topology_node){ 0 };
	if (is_word(e->name, "Hardware") || is_word(e->name, "Node"))
		return ML_TOPOLOGY_MACHINE;
	if (is_word(e->name, "Socket") || is_word(e->name, "Chip"))
		return ML_TOPOLOGY_PACKAGE;
	if (is_word(e->name, "NUMA")) {
		n->size = number(e, "size", 0) << 10; /* KiB */
		return ML_TOPOLOGY_NUMA;
	}
	if (is_word(e->name, "Core"))
		return ML_TOPOLOGY_CORE;
	if (is_word(e->name, "CPU"))
		return ML_TOPOLOGY_CPU;
	if (is_word(e->name, "Cache")) {
		n->level = (unsigned)number(e, "id", 0);
		n->size = number(e, "size", 0);
		return n->level && n->level <= 16 ? ML_TOPOLOGY_CACHE : NONE;
	}
	if (!is_word(e->name, "object"))
		return NONE;
	n->size = number(e, "cache_size", number(e, "local_memory", 0));
	if (is_word(type, "Cache")) {
		n->level = (unsigned)number(e, "depth", 0);
		/* 2 is an instruction cache */
		return n->level && n->level <= 16 && number(e, "cache_type", 0) != 2
			       ? ML_TOPOLOGY_CACHE
			       : NONE;
	}
	if (is_cache(type, &n->level, &data))
		return data ? ML_TOPOLOGY_CACHE : NONE;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (is_word(type, types[i].name))
			return (int)types[i].type;
	return NONE;
}

static bool add_node(struct reader *r, const struct element *e, uint32_t *index,
		     struct ml_err *err)
{
	struct ml_topology_node n;
	int type = type_of(e, &n);

	if (type == NONE)
		return true;
	n.type = (enum ml_topology_type)type;
	n.number = r->seen[type]++;
	if (type != ML_TOPOLOGY_CACHE)
		n.number = number(e, "os_index", number(e, "id", n.number));
	if (r->t->count == ML_TOPOLOGY_NODES_MAX)
		return wrong(r, "more than 1,048,576 resources", err);
	if (r->t->count && !r->depth)
		return wrong(r, "a second tree begins", err);
	n.parent = r->depth ? r->open[r->depth - 1] : 0;
	if (!r->t->count) {
		struct ml_scan_word name = attribute(e, "name");

		r->t->name = ml_arena_copy(r->a, name.at, name.size);
		n.parent = 0;
	}
	r->nodes = ml_grow(r->nodes, &r->cap, r->t->count + 1, sizeof(*r->nodes));
	r->nodes[r->t->count] = n;
	*index = (uint32_t)r->t->count++;
	return true;
}

/* Passes over <?...?>, <!...> and <!-- ... -->; `at` is behind the <. */
static bool skip_declaration(struct reader *r, struct ml_err *err)
{
	const char *close = r->end - r->at >= 3 && !memcmp(r->at, "!--", 3) ? "-->" : ">";
	const char *found = memmem(r->at, (size_t)(r->end - r->at), close, strlen(close));

	if (!found)
		return wrong(r, "a declaration does not end", err);
	r->at = found + strlen(close);
	return true;
}

static bool read_all(struct reader *r, struct ml_err *err)
{
	struct element e;

	while (r->at < r->end) {
		r->at = memchr(r->at, '<', (size_t)(r->end - r->at));
		if (!r->at)
			break;
		if (++r->at == r->end)
			return wrong(r, "the file ends within an element", err);
		if (*r->at == '?' || *r->at == '!') {
			if (!skip_declaration(r, err))
				return false;
		} else if (*r->at == '/') {
			if (!r->depth)
				return wrong(r, "an element ends that did not begin",
					     err);
			r->depth--;
			r->at++;
		} else {
			uint32_t index = r->depth ? r->open[r->depth - 1] : 0;

			if (!read_element(r, &e, err) || !add_node(r, &e, &index, err))
				return false;
			if (e.empty)
				continue;
			if (r->depth == DEPTH_MAX)
				return wrong(r, "elements are nested too deeply", err);
			r->open[r->depth++] = index;
		}
	}
	r->at = r->end;
	if (r->depth)
		return wrong(r, "the file ends within an element", err);
	return r->t->count ? true : wrong(r, "no hardware is described", err);
}

/*
 * A NUMA node without children whose parent has other children is a memory child of
 * hwloc 2: the first of each parent adopts its siblings. The children may then stand
 * before their parent, so nodes are put into a new order, parents first.
 */
static void adopt_siblings(struct reader *r)
{
	struct ml_topology *t = r->t;
	size_t n = t->count, made = 0;
	uint32_t *adopter = ml_arena_alloc(r->a, n * sizeof(*adopter)),
		 *children = ml_arena_alloc(r->a, n * sizeof(*children)),
		 *first = ml_arena_alloc(r->a, n * sizeof(*first)),
		 *next = ml_arena_alloc(r->a, n * sizeof(*next)),
		 *stack = ml_arena_alloc(r->a, n * sizeof(*stack)),
		 *place = ml_arena_alloc(r->a, n * sizeof(*place));
	size_t top = 0;

	for (size_t i = 1; i < n; i++)
		children[r->nodes[i].parent]++;
	for (size_t i = n; i-- > 1;)
		if (r->nodes[i].type == ML_TOPOLOGY_NUMA && !children[i])
			adopter[r->nodes[i].parent] = (uint32_t)i;
	for (size_t i = 1; i < n; i++) {
		uint32_t numa = adopter[r->nodes[i].parent];

		if (numa && numa != i && r->nodes[i].type != ML_TOPOLOGY_NUMA)
			r->nodes[i].parent = numa;
	}
	for (size_t i = n; i-- > 1;) {
		next[i] = first[r->nodes[i].parent];
		first[r->nodes[i].parent] = (uint32_t)i;
	}
	t->nodes = ml_arena_alloc(r->a, n * sizeof(*t->nodes));
	stack[top++] = 0;
	while (top) {
		uint32_t i = stack[--top];

		place[i] = (uint32_t)made;
		t->nodes[made] = r->nodes[i];
		t->nodes[made].parent = place[r->nodes[i].parent];
		made++;
		/* pushed in reverse, so that children come out in the order of the file
		 */
		size_t from = top;
		for (uint32_t c = first[i]; c; c = next[c])
			stack[top++] = c;
		for (size_t a = from, b = top; a + 1 < b; a++) {
			uint32_t swap = stack[a];

			stack[a] = stack[--b];
			stack[b] = swap;
		}
	}
	t->nodes[0].parent = 0;
	t->count = made;
}

bool ml_topology_parse(struct ml_topology *t, const char *name, const char *text,
		       size_t size, struct ml_arena *a, struct ml_err *err)
{
	struct reader r = {
		.t = t, .name = name, .text = text, .at = text, .end = text + size, .a = a
	};

	*t = (struct ml_topology){ .name = "" };
	bool ok = read_all(&r, err);
	if (ok)
		adopt_siblings(&r);
	ok = ok && ml_topology_index(t, name, a, err);
	ml_free(r.nodes);
	if (!ok)
		*t = (struct ml_topology){ .name = "" };
	return ok;
}
