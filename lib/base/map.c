#include "lib/base/map.h"

#include <string.h>

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ (x >> 32);
}

uint64_t ml_hash(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	uint64_t h = 0x9e3779b97f4a7c15u ^ size;

	for (; size >= 8; size -= 8, p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		h = (h ^ w) * 0xd6e8feb86659fd93u;
		h ^= h >> 32;
	}
	uint64_t w = 0;
	if (size)
		memcpy(&w, p, size);
	return mix(h ^ w);
}

/* The cell of a key that is not 0, or the empty one where it belongs. */
static struct ml_map_cell *cell_of(const struct ml_map *m, uint64_t key)
{
	uint64_t h = (key ^ key >> 32) * 0xd6e8feb86659fd93u;
	size_t i = (size_t)(h ^ h >> 32) & (m->cap - 1);

	while (m->cells[i].key && m->cells[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->cells[i];
}

uint64_t *ml_map_find(const struct ml_map *m, uint64_t key)
{
	if (!m->cap)
		return NULL;
	if (!key)
		return m->has_0 ? &m->cells[m->cap].value : NULL;
	struct ml_map_cell *c = cell_of(m, key);
	return c->key ? &c->value : NULL;
}

static void widen(struct ml_map *m)
{
	struct ml_map old = *m;

	m->cap = old.cap ? old.cap * 2 : 64;
	m->cells = ml_resize(NULL, (m->cap + 1) * sizeof(*m->cells));
	memset(m->cells, 0, (m->cap + 1) * sizeof(*m->cells));
	for (size_t i = 0; i < old.cap; i++)
		if (old.cells[i].key)
			*cell_of(m, old.cells[i].key) = old.cells[i];
	if (old.has_0)
		m->cells[m->cap] = old.cells[old.cap];
	ml_free(old.cells);
}

uint64_t *ml_map_add(struct ml_map *m, uint64_t key, bool *is_new)
{
	if (m->count * 4 >= m->cap * 3)
		widen(m);
	struct ml_map_cell *c = key ? cell_of(m, key) : &m->cells[m->cap];
	bool was_there = key ? c->key : m->has_0;

	if (is_new)
		*is_new = !was_there;
	if (!was_there) {
		*c = (struct ml_map_cell){ .key = key };
		m->has_0 |= !key;
		m->count++;
	}
	return &c->value;
}

struct ml_map_cell *ml_map_next(const struct ml_map *m, size_t *at)
{
	while (*at < m->cap && !m->cells[*at].key)
		++*at;
	if (*at < m->cap + m->has_0)
		return &m->cells[(*at)++];
	return NULL;
}

void ml_map_release(struct ml_map *m)
{
	ml_free(m->cells);
	*m = (struct ml_map){ 0 };
}

static uint32_t *slot_of(const struct ml_names *n, const char *text, size_t size)
{
	size_t i = ml_hash(text, size) & (n->room - 1);

	for (; n->slots[i]; i = (i + 1) & (n->room - 1)) {
		const char *have = n->text[n->slots[i] - 1];

		if (!strncmp(have, text, size) && !have[size])
			break;
	}
	return &n->slots[i];
}

static void widen_names(struct ml_names *n)
{
	n->room = n->room ? n->room * 2 : 64;
	n->slots = ml_resize(n->slots, n->room * sizeof(*n->slots));
	memset(n->slots, 0, n->room * sizeof(*n->slots));
	for (size_t i = 0; i < n->count; i++)
		*slot_of(n, n->text[i], strlen(n->text[i])) = (uint32_t)i + 1;
}

uint32_t ml_names_add_bytes(struct ml_names *n, const char *text, size_t size)
{
	size = strnlen(text, size);
	if (n->count * 4 >= n->room * 3)
		widen_names(n);
	uint32_t *slot = slot_of(n, text, size);
	if (!*slot) {
		n->text = ml_grow(n->text, &n->cap, n->count + 1, sizeof(*n->text));
		n->text[n->count++] = ml_arena_copy(&n->arena, text, size);
		*slot = (uint32_t)n->count;
	}
	return *slot - 1;
}

uint32_t ml_names_add(struct ml_names *n, const char *text)
{
	return ml_names_add_bytes(n, text, strlen(text));
}

uint32_t ml_names_find(const struct ml_names *n, const char *text)
{
	if (!n->room)
		return UINT32_MAX;
	return *slot_of(n, text, strlen(text)) - 1;
}

void ml_names_release(struct ml_names *n)
{
	ml_free(n->text);
	ml_free(n->slots);
	ml_arena_release(&n->arena);
	*n = (struct ml_names){ 0 };
}
