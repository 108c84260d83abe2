#include "lib/samples/samples.h"

#include <inttypes.h>
#include <stdio.h>

void ml_samples_init(struct ml_samples *s)
{
	*s = (struct ml_samples){ .path = "", .format = "", .note = "" };
	for (size_t i = 0; i < ML_SAMPLES_ROLES; i++)
		s->role[i] = -1;
}

void ml_samples_close(struct ml_samples *s)
{
	for (size_t i = 0; i < s->count; i++) {
		ml_free(s->columns[i].wide);
		ml_free(s->columns[i].holes);
		ml_free(s->columns[i].owned);
		ml_names_release(&s->columns[i].dictionary);
	}
	ml_free(s->columns);
	if (s->map.data)
		ml_file_map_close(&s->map);
	ml_arena_release(&s->arena);
	ml_samples_init(s);
}

int ml_samples_find(const struct ml_samples *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcasecmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

const struct ml_samples_column *ml_samples_role(const struct ml_samples *s,
						enum ml_samples_role role)
{
	return s->role[role] < 0 ? NULL : &s->columns[s->role[role]];
}

static const struct ml_samples_column *integers(const struct ml_samples *s,
						enum ml_samples_role role)
{
	const struct ml_samples_column *c = ml_samples_role(s, role);

	return c && (c->kind == ML_SAMPLES_UNSIGNED || c->kind == ML_SAMPLES_SIGNED)
		       ? c
		       : NULL;
}

const struct ml_samples_column *ml_samples_latency(const struct ml_samples *s)
{
	return integers(s, ML_SAMPLES_LATENCY);
}

const struct ml_samples_column *ml_samples_cpu(const struct ml_samples *s)
{
	return integers(s, ML_SAMPLES_CPU);
}

uint64_t ml_samples_elsewhere(const struct ml_samples *s)
{
	const struct ml_samples_column *c = s->topology.count ? ml_samples_cpu(s) : NULL;
	uint64_t n = 0;

	for (uint64_t row = 0; c && row < s->rows; row++) {
		uint64_t cpu = ml_samples_bits(c, row);
		bool known = !ml_samples_missing(c, row) &&
			     (c->kind == ML_SAMPLES_UNSIGNED || !(cpu >> 63));

		n += known && !ml_topology_has_cpu(&s->topology, cpu);
	}
	return n;
}

const char *ml_samples_kind_name(const struct ml_samples_column *c)
{
	static const char *const names[] = { "unsigned", "signed", "real", "names" };

	return c->hex ? "hexadecimal" : names[c->kind];
}

const char *ml_samples_text(const struct ml_samples_column *c, uint64_t bits,
			    char text[ML_SAMPLES_TEXT])
{
	if (c->kind == ML_SAMPLES_NAMES)
		return bits < c->name_count ? c->names[bits] : "";
	if (c->kind == ML_SAMPLES_REAL)
		snprintf(text, ML_SAMPLES_TEXT, "%.17g", ml_samples_to_real(c, bits));
	else if (c->kind == ML_SAMPLES_SIGNED)
		snprintf(text, ML_SAMPLES_TEXT, "%" PRId64, (int64_t)bits);
	else
		snprintf(text, ML_SAMPLES_TEXT, c->hex ? "0x%" PRIx64 : "%" PRIu64, bits);
	return text;
}
