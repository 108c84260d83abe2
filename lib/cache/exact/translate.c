#include "lib/cache/exact/translate.h"

/* Translates one page. Returns the TLB that knew it, or their number: a walk. */
static unsigned translate(struct ml_sim *s, unsigned core, enum ml_access_kind kind,
			  uint64_t addr)
{
	unsigned tlbs = s->machine.tlbs, found_in = 0;

	for (; found_in < tlbs; found_in++) {
		struct ml_cache *c =
			&s->tlbs[found_in][core / s->machine.tlb[found_in].share];
		uint64_t page = addr >> c->bits;
		size_t at = ml_cache_look(c, page);
		bool missed = at == ML_NOWHERE;

		c->counts->asked[kind]++;
		c->counts->missed[kind] += missed;
		if (c->miss_cause) {
			uint32_t entry = missed ? ml_book_find(c->miss_cause->book, page)
						: c->notes[at].entry;
			enum ml_miss_cause_answer answer =
				ml_miss_cause_ask(c->miss_cause, entry);

			if (missed)
				c->counts->cause[ml_sim_cause(s, answer)]++;
		}
		if (!missed) {
			uint32_t set = ml_cache_set(c, page);

			ml_policy_hit(c->policy, &c->order, set, ml_cache_way(c, set, at),
				      0);
			break;
		}
	}
	for (unsigned i = found_in; i-- > 0;) {
		struct ml_cache *c = &s->tlbs[i][core / s->machine.tlb[i].share];
		uint64_t page = addr >> c->bits;
		uint32_t set = ml_cache_set(c, page);
		size_t at = ml_cache_room(c, page);

		c->counts->fills++;
		if (c->tags[at]) {
			c->counts->evictions++;
			ml_cache_drop(c, at);
		}
		ml_cache_put(c, at, page);
		if (c->miss_cause)
			c->notes[at].entry = ml_book_find(c->miss_cause->book, page);
		ml_policy_fill(c->policy, &c->order, set, ml_cache_way(c, set, at), 0);
	}
	return found_in;
}

void ml_translate(struct ml_sim *s, unsigned core, enum ml_access_kind kind,
		  uint64_t addr, uint64_t last, uint32_t access)
{
	unsigned bits = s->tlbs[0]->bits;
	uint64_t first = addr >> bits;

	for (uint64_t page = first; page <= last >> bits; page++) {
		unsigned tlb = translate(s, core, kind,
					 page == first ? addr : page << bits);
		struct ml_page found = { access, core, tlb, page != first };

		if ((tlb || found.more) && s->observer.page)
			s->observer.page(s->observer.arg, &found);
	}
	s->last_page[core] = s->same_page ? (last >> bits) + 1 : 0;
}
