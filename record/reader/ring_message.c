#include "record/reader/ring_message.h"

#include <string.h>

#include "lib/base/buf.h"

void ml_ring_message_put(struct ml_buf *words, enum ml_word type, uint32_t argument,
			 const uint64_t *payload, size_t count, const char *text)
{
	const uint64_t zeros = 0;
	size_t bytes = text ? strlen(text) : 0, text_words = text ? bytes / 8 + 1 : 0;

	ml_buf_u64(words, ML_WORD(type, count + text_words, argument));
	if (count)
		ml_buf_put(words, payload, count * sizeof(*payload));
	if (text) {
		ml_buf_put(words, text, bytes);
		ml_buf_put(words, &zeros, text_words * 8 - bytes);
	}
}
