#include "lib/trace/events.h"

void ml_events_put(struct ml_events_put *out, const struct ml_event *event)
{
	struct ml_buf *b = &out->bytes;
	bool switched = event->thread != out->last.thread;

	ml_buf_u8(b, (uint8_t)((unsigned)event->kind | (switched ? 4u : 0u)));
	if (switched)
		ml_buf_varint(b, event->thread);
	ml_buf_varint(b, event->time - out->last.time);
	ml_buf_zigzag(b, (int64_t)(event->addr - out->last.addr));
	if (event->kind == ML_EVENT_ALLOC || event->kind == ML_EVENT_REGISTER) {
		ml_buf_varint(b, event->region);
		ml_buf_varint(b, event->size);
	}
	out->last = *event;
}

bool ml_events_get(struct ml_bytes *in, struct ml_event *event)
{
	uint8_t head = ml_bytes_u8(in);

	event->kind = (enum ml_event_kind)(head & 3);
	if (head & 4)
		event->thread = (uint16_t)ml_bytes_varint(in);
	event->time += ml_bytes_varint(in);
	event->addr += (uint64_t)ml_bytes_zigzag(in);
	event->region = 0;
	event->size = 0;
	if (event->kind == ML_EVENT_ALLOC || event->kind == ML_EVENT_REGISTER) {
		event->region = (uint32_t)ml_bytes_varint(in);
		event->size = ml_bytes_varint(in);
	}
	return !in->bad && head < 8;
}
