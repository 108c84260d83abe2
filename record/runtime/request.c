/*
 * The requests of include/memlamp.h.
 */
#include <string.h>

#include "include/memlamp.h"
#include "record/runtime/slot.h"

enum { NAME_BYTES = 256 };

EXPORT void memlamp_request(const struct memlamp_call *call);

static void tell_region(struct ml_ring *slot, const struct memlamp_call *call,
			const char *name)
{
	uint64_t *w = slot_message(slot, ML_WORD_REGION, 0, 5 + text_words(name));

	if (!w)
		return;
	w[0] = (uint64_t)call->address;
	w[1] = call->bytes;
	w[2] = call->elem;
	w[3] = call->rows;
	w[4] = call->cols;
	text_put(w + 5, name);
	slot_commit(slot);
}

static void tell_mark(struct ml_ring *slot, uint32_t kind, const char *name)
{
	uint64_t *w = slot_message(slot, ML_WORD_MARK, kind, text_words(name));

	if (!w)
		return;
	text_put(w, name);
	slot_commit(slot);
}

static void tell_state(struct ml_ring *slot, long value, const char *name)
{
	uint64_t *w = slot_message(slot, ML_WORD_STATE, 0, 1 + text_words(name));

	if (!w)
		return;
	w[0] = (uint64_t)value;
	text_put(w + 1, name);
	slot_commit(slot);
}

static void tell(struct ml_ring *slot, enum ml_word type, uint32_t argument,
		 uint64_t value)
{
	uint64_t *w = slot_message(slot, type, argument, 1);

	if (!w)
		return;
	w[0] = value;
	slot_commit(slot);
}

void memlamp_request(const struct memlamp_call *call)
{
	struct ml_ring *slot = slot_hold();
	char name[NAME_BYTES];

	if (!slot)
		return;
	size_t n = call->name ? strnlen(call->name, NAME_BYTES - 1) : 0;
	if (n)
		memcpy(name, call->name, n);
	name[n] = 0;
	switch (call->request) {
	case MEMLAMP_REQUEST_REGION: tell_region(slot, call, name); break;
	case MEMLAMP_REQUEST_UNREGION:
		tell(slot, ML_WORD_UNREGION, 0, (uint64_t)call->address);
		break;
	case MEMLAMP_REQUEST_MARK: tell_mark(slot, 0, name); break;
	case MEMLAMP_REQUEST_BEGIN: tell_mark(slot, 1, name); break;
	case MEMLAMP_REQUEST_END: tell_mark(slot, 2, name); break;
	case MEMLAMP_REQUEST_STATE: tell_state(slot, call->value, name); break;
	case MEMLAMP_REQUEST_START: tell(slot, ML_WORD_RECORD, 1, 0); break;
	case MEMLAMP_REQUEST_STOP: tell(slot, ML_WORD_RECORD, 0, 0); break;
	default: break; /* of a newer memlamp.h */
	}
	slot_release(slot);
}
