/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/requests.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_vki.h"

#include "include/memlamp.h"
#include "record/valgrind/heap.h"
#include "record/valgrind/out.h"

enum { NAME_MAX = 255 };

/* Copies a text of the program, as far as it is readable. */
static void copy_name(HChar *name, const HChar *text)
{
	UInt n = 0;

	for (; n < NAME_MAX; n++) {
		Addr at = (Addr)(text + n);

		if ((n == 0 || at % VKI_PAGE_SIZE == 0) &&
		    !VG_(am_is_valid_for_client)(at, 1, VKI_PROT_READ))
			break;
		if (!text[n])
			break;
		name[n] = text[n];
	}
	name[n] = 0;
}

static void register_region(const struct memlamp_call *call)
{
	HChar name[NAME_MAX + 1];
	uint64_t *w;

	copy_name(name, call->name);
	w = out_begin(ML_WORD_REGION, 0, 5 + out_text_words(name));
	w[0] = (uint64_t)call->address;
	w[1] = call->bytes;
	w[2] = call->elem;
	w[3] = call->rows;
	w[4] = call->cols;
	out_end(out_text(w + 5, name));
}

static void unregister(UWord address)
{
	uint64_t *w = out_begin(ML_WORD_UNREGION, 0, 1);

	w[0] = address;
	out_end(w + 1);
}

static void mark(UInt kind, const HChar *text)
{
	HChar name[NAME_MAX + 1];
	uint64_t *w;

	copy_name(name, text);
	w = out_begin(ML_WORD_MARK, kind, out_text_words(name));
	out_end(out_text(w, name));
}

static void state(Long value, const HChar *text)
{
	HChar name[NAME_MAX + 1];
	uint64_t *w;

	copy_name(name, text);
	w = out_begin(ML_WORD_STATE, 0, 1 + out_text_words(name));
	w[0] = (uint64_t)value;
	out_end(out_text(w + 1, name));
}

static void serve(const struct memlamp_call *call)
{
	switch (call->request) {
	case MEMLAMP_REQUEST_REGION: register_region(call); break;
	case MEMLAMP_REQUEST_UNREGION: unregister((UWord)call->address); break;
	case MEMLAMP_REQUEST_MARK: mark(0, call->name); break;
	case MEMLAMP_REQUEST_BEGIN: mark(1, call->name); break;
	case MEMLAMP_REQUEST_END: mark(2, call->name); break;
	case MEMLAMP_REQUEST_STATE: state(call->value, call->name); break;
	case MEMLAMP_REQUEST_START: out_end(out_begin(ML_WORD_RECORD, 1, 0)); break;
	case MEMLAMP_REQUEST_STOP: out_end(out_begin(ML_WORD_RECORD, 0, 0)); break;
	default: break; /* of a newer memlamp.h */
	}
}

Bool requests_handle(ThreadId tid, UWord *args, UWord *result)
{
	*result = 0;
	if (args[0] >> 16 != MEMLAMP_REQUEST_REGION >> 16)
		return False;
	if (!heap_request(tid, args) && !out_is_off())
		serve((const struct memlamp_call *)args);
	return True;
}
