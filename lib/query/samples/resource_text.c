#include "lib/query/samples/resource_text.h"

#include <string.h>
#include <strings.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/samples/loads.h"
#include "lib/samples/samples.h"

/* "cpu 0..7 or cpu = 9" for the CPUs that are set. */
static void put_cpus(struct ml_buf *b, const struct ml_samples *s, const bool *set,
		     size_t cpus)
{
	const char *name = s->columns[s->role[ML_SAMPLES_CPU]].name, *joint = "";

	for (size_t i = 0; i < cpus; i++) {
		size_t end = i;

		if (!set[i])
			continue;
		while (end + 1 < cpus && set[end + 1])
			end++;
		ml_buf_printf(b, "%s\"%s\" %zu..%zu", joint, name, i, end);
		joint = " or ";
		i = end;
	}
}

static void put_levels(struct ml_buf *b, const struct ml_samples *s, unsigned levels)
{
	const char *name = s->columns[s->role[ML_SAMPLES_LEVEL]].name, *joint = "";

	for (unsigned i = 0; i < ML_LEVELS; i++) {
		if (!(levels >> i & 1))
			continue;
		ml_buf_printf(b, "%s\"%s\" = \"%s\"", joint, name,
			      ml_level_name((enum ml_level)i));
		joint = " or ";
	}
}

/*
 * The samples that concern a node, as a text: for each set of levels that the same CPUs
 * ask of it, these CPUs and levels. Levels of a resource differ in their CPUs only where
 * some are remote.
 */
static const char *resource_text(const struct ml_loads_map *m, uint32_t node,
				 struct ml_arena *a)
{
	const struct ml_topology *t = &m->s->topology;
	const struct ml_topology_node *n = &t->nodes[node];
	bool *asks[ML_LEVELS], has_level = m->s->role[ML_SAMPLES_LEVEL] >= 0;
	unsigned done = 0;
	struct ml_buf b = { 0 };

	for (unsigned level = 0; level < ML_LEVELS; level++) {
		asks[level] = ml_arena_alloc(a, m->cpus + 1);
		for (size_t cpu = 0; cpu < m->cpus; cpu++)
			if (t->cpu[cpu] != UINT32_MAX &&
			    ml_loads_resource(m, n->tier, cpu, (enum ml_level)level) ==
				    n->within)
				asks[level][cpu] = true;
	}
	for (unsigned level = 0; level < ML_LEVELS; level++) {
		unsigned same = 0;

		if (done >> level & 1 || !memchr(asks[level], true, m->cpus))
			continue;
		for (unsigned other = 0; other < ML_LEVELS; other++)
			if (!memcmp(asks[other], asks[level], m->cpus))
				same |= 1u << other;
		done |= same;
		if (b.size)
			ml_buf_put(&b, " or ", 4);
		ml_buf_put(&b, "(", 1);
		put_cpus(&b, m->s, asks[level], m->cpus);
		if (has_level && same != (1u << ML_LEVELS) - 1) {
			ml_buf_put(&b, ") and (", 7);
			put_levels(&b, m->s, same);
		}
		ml_buf_put(&b, ")", 1);
	}
	const char *text = b.size ? ml_arena_copy(a, b.data, b.size) : NULL;
	ml_buf_release(&b);
	return text;
}

/* Where a condition on a resource begins, outside of quotes; NULL: nowhere. */
static const char *find_word(const char *text)
{
	static const char word[] = "resource";
	char quote = 0;

	for (const char *at = text; *at; at++) {
		if (quote || *at == '"' || *at == '\'') {
			quote = !quote ? *at : *at == quote ? 0 : quote;
			continue;
		}
		if ((at == text || strchr(" \t(", at[-1])) &&
		    !strncasecmp(at, word, strlen(word)) &&
		    strchr(" \t=", at[strlen(word)]))
			return at;
	}
	return NULL;
}

/* Reads `resource = LABEL` and returns the label; *end is behind it. */
static const char *read_label(const char *at, const char **end, struct ml_arena *a)
{
	at += strlen("resource");
	at += strspn(at, " \t");
	if (*at != '=')
		return NULL;
	at += strspn(at, "= \t");
	size_t size;
	if (*at == '"' || *at == '\'') {
		const char *close = strchr(at + 1, *at);

		if (!close)
			return NULL;
		size = (size_t)(close - at - 1);
		*end = close + 1;
		return ml_arena_copy(a, at + 1, size);
	}
	size = strcspn(at, " \t()");
	*end = at + size;
	return size ? ml_arena_copy(a, at, size) : NULL;
}

static bool expand_one(struct ml_buf *out, const struct ml_loads_map *m,
		       const char *label, struct ml_arena *a, struct ml_err *err)
{
	const struct ml_topology *t = &m->s->topology;

	for (uint32_t i = 0; i < t->count; i++) {
		if (strcasecmp(ml_topology_label(t, i, a), label) != 0)
			continue;
		const char *text = resource_text(m, i, a);

		/* no CPU asks anything of it */
		ml_buf_printf(out, "(%s)", text ? text : "cpu < 0");
		return true;
	}
	return ml_fail(err, ML_USAGE, "selection: the hardware has no resource '%s'",
		       label);
}

const char *ml_resource_expand(const char *text, const struct ml_samples *s,
			       struct ml_arena *a, struct ml_err *err)
{
	const char *at, *end, *label, *result = NULL;
	struct ml_loads_map m;
	struct ml_buf out = { 0 };

	if (!text || !find_word(text) || ml_samples_find(s, "resource") >= 0)
		return text;
	if (!ml_loads_map_init(&m, s, a, err))
		return NULL;
	for (; (at = find_word(text)); text = end) {
		label = read_label(at, &end, a);
		if (!label) {
			ml_fail(err, ML_USAGE, "selection: expected resource = \"NAME\"");
			break;
		}
		ml_buf_put(&out, text, (size_t)(at - text));
		if (!expand_one(&out, &m, label, a, err))
			break;
	}
	if (!at) {
		ml_buf_text(&out, text);
		result = ml_arena_copy(a, out.data, out.size);
	}
	ml_buf_release(&out);
	return result;
}
