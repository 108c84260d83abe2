#include "lib/query/workspace/answer.h"

void ml_answer_init(struct ml_answer *a)
{
	*a = (struct ml_answer){ 0 };
	a->json.out = &a->head;
}

void ml_answer_release(struct ml_answer *a)
{
	ml_buf_release(&a->head);
	ml_arena_release(&a->arena);
}

void ml_answer_columns(struct ml_answer *a)
{
	a->kind = ML_ANSWER_COLUMNS;
	ml_json_object(&a->json);
}

void ml_answer_column(struct ml_answer *a, const char *name, enum ml_type type,
		      const void *data, size_t count)
{
	a->columns[a->count++] = (struct ml_answer_column){ name, type, data, count };
}

void ml_answer_u64(struct ml_answer *a, const char *key, uint64_t v)
{
	ml_json_key(&a->json, key);
	ml_json_u64(&a->json, v);
}

void ml_answer_string(struct ml_answer *a, const char *key, const char *text)
{
	ml_json_key(&a->json, key);
	ml_json_string(&a->json, text);
}

static const struct {
	const char *name;
	size_t size;
} types[] = {
	[ML_TYPE_U8] = { "u8", 1 },   [ML_TYPE_U16] = { "u16", 2 },
	[ML_TYPE_U32] = { "u32", 4 }, [ML_TYPE_U64] = { "u64", 8 },
	[ML_TYPE_I64] = { "i64", 8 }, [ML_TYPE_F32] = { "f32", 4 },
	[ML_TYPE_F64] = { "f64", 8 },
};

static void pad(struct ml_buf *b, uint8_t with)
{
	while (b->size % 8)
		ml_buf_u8(b, with);
}

void ml_answer_write(struct ml_answer *a, struct ml_buf *out)
{
	struct ml_json *w = &a->json;

	if (a->kind != ML_ANSWER_COLUMNS) {
		ml_buf_put(out, a->head.data, a->head.size);
		return;
	}
	ml_json_key(w, "columns");
	ml_json_array(w);
	for (size_t i = 0; i < a->count; i++) {
		ml_json_object(w);
		ml_answer_string(a, "name", a->columns[i].name);
		ml_answer_string(a, "type", types[a->columns[i].type].name);
		ml_answer_u64(a, "count", a->columns[i].count);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
	pad(&a->head, ' ');
	ml_buf_put(out, "MLC1", 4);
	ml_buf_u32(out, (uint32_t)a->head.size);
	ml_buf_put(out, a->head.data, a->head.size);
	for (size_t i = 0; i < a->count; i++) {
		const struct ml_answer_column *c = &a->columns[i];

		ml_buf_put(out, c->data, c->count * types[c->type].size);
		pad(out, 0);
	}
}

const char *ml_answer_type(const struct ml_answer *a)
{
	static const char *const names[] = {
		[ML_ANSWER_JSON] = "application/json",
		[ML_ANSWER_TEXT] = "text/plain; charset=utf-8",
		[ML_ANSWER_COLUMNS] = "application/octet-stream",
	};

	return names[a->kind];
}
