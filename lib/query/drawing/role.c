#include "lib/query/drawing/role.h"

#include <stddef.h>
#include <stdio.h>

#include "lib/base/json.h"
#include "lib/query/drawing/picture.h"

enum { WORDS = 12, NUMBERS = 6 };

const char *const ml_role_names[] = { "text",   "muted", "background", "word",
				      "number", "heat",  NULL };

static const uint32_t words[2][WORDS] = {
	{ 0x0072b2, 0xd55e00, 0x009e73, 0xcc5c97, 0xb07c00, 0x3fa3dd, 0x6b4fa3, 0x5f646b,
	  0xa3132f, 0x6f7d00, 0x00636b, 0x7d4a21 },
	{ 0x4aa8e8, 0xff8a3d, 0x2fcf9f, 0xef92c1, 0xf0c23c, 0x8fd3ff, 0xb59bf0, 0xaeb4bd,
	  0xff6b7f, 0xb7cc39, 0x27b3bd, 0xc79a6b },
};

static const uint32_t numbers[2][NUMBERS] = {
	{ 0x1f1a78, 0x5b1fa6, 0x9c2a92, 0xcf4f6c, 0xe5793d, 0xdd9a14 },
	{ 0x7280ff, 0xb06bf2, 0xe867b4, 0xff8669, 0xffb648, 0xf6ee7a },
};

static const struct ml_palette *palette(bool dark)
{
	return dark ? &ml_palette_dark : &ml_palette_light;
}

/* The steps of heat leave out the palest colours: little does not look like nothing. */
static void heats(uint32_t out[ML_COLOUR_HEATS], bool dark)
{
	for (unsigned i = 0; i < ML_COLOUR_HEATS; i++)
		out[i] = ml_palette_colour(palette(dark), ML_COLOUR_HEAT + i);
}

/* Mixes the two neighbours in a table; the page does the same (draw/colours.ts). */
static uint32_t along(const uint32_t *table, unsigned count, double share)
{
	double at = (share < 0 ? 0 : share > 1 ? 1 : share) * (count - 1);
	unsigned i = at < count - 2 ? (unsigned)at : count - 2;

	return ml_colour_mix(table[i], table[i + 1], at - i);
}

uint32_t ml_role_word(uint32_t index, bool dark)
{
	return words[dark][index % WORDS];
}

uint32_t ml_role_colour(struct ml_role r, bool dark)
{
	switch (r.name) {
	case ML_ROLE_WORD: return ml_role_word(r.index, dark);
	case ML_ROLE_NUMBER:
		return along(numbers[dark], NUMBERS,
			     r.of > 1 ? (double)r.index / (r.of - 1) : 0);
	case ML_ROLE_MUTED: return ml_palette_colour(palette(dark), ML_COLOUR_MUTED);
	case ML_ROLE_BACKGROUND:
		return ml_palette_colour(palette(dark), ML_COLOUR_BACKGROUND);
	default: return ml_palette_colour(palette(dark), ML_COLOUR_TEXT);
	}
}

uint32_t ml_role_heat(double share, bool dark)
{
	uint32_t table[ML_COLOUR_HEATS];

	heats(table, dark);
	return along(table, ML_COLOUR_HEATS, share);
}

uint32_t ml_role_readable(uint32_t rgb)
{
	double light = 0.3 * (rgb >> 16) + 0.59 * (rgb >> 8 & 255) + 0.11 * (rgb & 255);

	return light > 135 ? 0x14161a : 0xffffff;
}

void ml_role_write(struct ml_role r, struct ml_json *w)
{
	ml_json_object(w);
	ml_json_key_string(w, "role", ml_role_names[r.name]);
	if (r.name == ML_ROLE_WORD || r.name == ML_ROLE_NUMBER)
		ml_json_key_u64(w, "index", r.index);
	if (r.name == ML_ROLE_NUMBER)
		ml_json_key_u64(w, "of", r.of);
	ml_json_end(w);
}

static void put_colour(struct ml_json *w, uint32_t rgb)
{
	char text[8];

	snprintf(text, sizeof(text), "#%06x", rgb & 0xffffff);
	ml_json_string(w, text);
}

static void put_table(struct ml_json *w, const char *key, const uint32_t *table,
		      unsigned count)
{
	ml_json_key_array(w, key);
	for (unsigned i = 0; i < count; i++)
		put_colour(w, table[i]);
	ml_json_end(w);
}

void ml_role_tables_write(struct ml_json *w)
{
	ml_json_object(w);
	for (unsigned dark = 0; dark < 2; dark++) {
		uint32_t heat[ML_COLOUR_HEATS];

		heats(heat, dark);
		ml_json_key_object(w, dark ? "dark" : "light");
		for (unsigned i = ML_ROLE_TEXT; i <= ML_ROLE_BACKGROUND; i++) {
			ml_json_key(w, ml_role_names[i]);
			put_colour(w,
				   ml_role_colour((struct ml_role){ .name = i }, dark));
		}
		put_table(w, ml_role_names[ML_ROLE_WORD], words[dark], WORDS);
		put_table(w, ml_role_names[ML_ROLE_NUMBER], numbers[dark], NUMBERS);
		put_table(w, ml_role_names[ML_ROLE_HEAT], heat, ML_COLOUR_HEATS);
		ml_json_end(w);
	}
	ml_json_end(w);
}
