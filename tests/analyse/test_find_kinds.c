/* Every finder carries all of itself: a sentence for code hosts and a view of the page.
 */
#include "tests/test.h"

#include <string.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"

#define EACH(name) &ml_find_##name,
static const struct ml_finder *const finders[] = { ML_FINDERS(EACH) };
enum { KINDS = sizeof(finders) / sizeof(*finders) };

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words;
}

TEST(every_kind_has_a_sentence_of_its_own)
{
	for (size_t i = 0; i < KINDS; i++) {
		CHECK(finders[i]->rule);
		CHECK_EQ(finders[i]->rule[strlen(finders[i]->rule) - 1], '.');
		CHECK(finders[i]->weight > 0);
		for (size_t k = 0; k < i; k++) {
			CHECK(strcmp(finders[i]->kind, finders[k]->kind) != 0);
			CHECK(strcmp(finders[i]->rule, finders[k]->rule) != 0);
		}
	}
}

TEST(every_kind_is_played_in_a_view_of_the_page)
{
	static const char *const views[] = { "regions", "rings",    "plane",
					     "space",   "eventmap", NULL };

	for (size_t i = 0; i < KINDS; i++) {
		const struct ml_finding_view *v = &finders[i]->view;
		bool known = false;

		CHECK(v->name && is_one_of(v->name, views));
		for (unsigned k = 1; k < ML_CAUSES; k++)
			known |= v->cause && !strcmp(v->cause, ml_cause_names[k]);
		CHECK(known || !v->cause);
	}
}

/* The page fills these in itself (lesson.ts); the others are facts of the finding. */
TEST(captions_ask_for_what_the_page_or_the_finding_knows)
{
	static const char *const words[] = { "line", "thread", "step",       "far",
					     "set",  "back",   "sharer",     "toucher",
					     "copy", "used",   "used_bytes", NULL };

	for (size_t i = 0; i < KINDS; i++)
		for (const char *s = finders[i]->view.miss; s && (s = strchr(s, '{'));) {
			char word[32] = "";
			size_t n = strcspn(++s, "}");

			CHECK(n < sizeof(word));
			memcpy(word, s, n);
			CHECK(is_one_of(word, words));
		}
}
