#include "record/reader/guest_phases.h"

#include <string.h>

#include "lib/base/arena.h"
#include "record/reader/ring_message.h"
#include "record/ring.h"

void ml_guest_phases_release(struct ml_guest_phases *p)
{
	ml_free(p->open);
	ml_free(p->states);
	ml_map_release(&p->places);
}

/* Of several open phases with that name, the latest ends. */
static void end(struct ml_guest_phases *p, uint32_t thread, uint32_t name)
{
	for (size_t i = p->open_count; i-- > 0;)
		if (p->open[i].thread == thread && p->open[i].name == name) {
			p->open_count--;
			memmove(&p->open[i], &p->open[i + 1],
				(p->open_count - i) * sizeof(p->open[0]));
			return;
		}
}

void ml_guest_phases_mark(struct ml_guest_phases *p, uint32_t thread, uint32_t name,
			  enum ml_mark_kind kind)
{
	if (kind == ML_MARK_END)
		end(p, thread, name);
	if (kind != ML_MARK_BEGIN)
		return;
	p->open = ml_grow(p->open, &p->open_cap, p->open_count + 1, sizeof(*p->open));
	p->open[p->open_count++] = (struct ml_guest_phase){ thread, name };
}

void ml_guest_phases_state(struct ml_guest_phases *p, uint32_t thread, uint32_t name,
			   int64_t value)
{
	uint64_t *place = ml_map_add(&p->places, (uint64_t)thread << 32 | name, NULL);

	if (!*place) {
		p->states = ml_grow(p->states, &p->state_cap, p->state_count + 1,
				    sizeof(*p->states));
		*place = ++p->state_count;
	}
	p->states[*place - 1] = (struct ml_guest_state){ thread, name, value };
}

void ml_guest_phases_report(const struct ml_guest_phases *p, uint32_t thread,
			    const struct ml_tables *tables, struct ml_buf *out)
{
	for (size_t i = 0; i < p->open_count; i++)
		if (p->open[i].thread == thread)
			ml_ring_message_put(out, ML_WORD_MARK, ML_MARK_BEGIN, NULL, 0,
					    ml_tables_text(tables, p->open[i].name));
	for (size_t i = 0; i < p->state_count; i++) {
		uint64_t value = (uint64_t)p->states[i].value;

		if (p->states[i].thread == thread)
			ml_ring_message_put(out, ML_WORD_STATE, 0, &value, 1,
					    ml_tables_text(tables, p->states[i].name));
	}
}
