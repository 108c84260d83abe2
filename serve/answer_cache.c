#include "serve/answer_cache.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"

enum { BYTES_MAX = 64 << 20 };

struct kept_answer {
	struct kept_answer *next;
	struct ml_buf question, answer;
	enum ml_answer_kind kind;
};

void answer_cache_init(struct answer_cache *a)
{
	*a = (struct answer_cache){ 0 };
	pthread_mutex_init(&a->lock, NULL);
}

static void drop(struct answer_cache *a, struct kept_answer **at)
{
	struct kept_answer *k = *at;

	*at = k->next;
	a->bytes -= k->answer.size;
	ml_buf_release(&k->question);
	ml_buf_release(&k->answer);
	ml_free(k);
}

void answer_cache_release(struct answer_cache *a)
{
	while (a->list)
		drop(a, &a->list);
	pthread_mutex_destroy(&a->lock);
}

/* The request as bytes: path and parameters without the token. */
static void spell(const struct ml_request *q, struct ml_buf *out)
{
	ml_buf_put(out, q->path, strlen(q->path) + 1);
	for (size_t i = 0; i < q->count; i++)
		if (strcmp(q->params[i].key, "token") != 0) {
			ml_buf_put(out, q->params[i].key, strlen(q->params[i].key) + 1);
			ml_buf_put(out, q->params[i].value,
				   strlen(q->params[i].value) + 1);
		}
}

static struct kept_answer **find(struct answer_cache *a, const struct ml_buf *question)
{
	struct kept_answer **at = &a->list;

	while (*at && ((*at)->question.size != question->size ||
		       memcmp((*at)->question.data, question->data, question->size) != 0))
		at = &(*at)->next;
	return at;
}

static void put_first(struct answer_cache *a, struct kept_answer *k)
{
	k->next = a->list;
	a->list = k;
}

bool answer_cache_find(struct answer_cache *a, const struct ml_request *q,
		       enum ml_answer_kind *kind, struct ml_buf *out)
{
	struct ml_buf question = { 0 };

	spell(q, &question);
	pthread_mutex_lock(&a->lock);
	struct kept_answer **at = find(a, &question), *k = *at;
	if (k) {
		*at = k->next;
		put_first(a, k);
		ml_buf_put(out, k->answer.data, k->answer.size);
		*kind = k->kind;
	}
	pthread_mutex_unlock(&a->lock);
	ml_buf_release(&question);
	return k != NULL;
}

void answer_cache_keep(struct answer_cache *a, const struct ml_request *q,
		       enum ml_answer_kind kind, const struct ml_buf *answer)
{
	if (answer->size > BYTES_MAX / 4)
		return;
	struct kept_answer *k = ml_resize(NULL, sizeof(*k));
	*k = (struct kept_answer){ .kind = kind };
	spell(q, &k->question);
	ml_buf_put(&k->answer, answer->data, answer->size);
	pthread_mutex_lock(&a->lock);
	/* two connections may have asked at once */
	struct kept_answer **same = find(a, &k->question);
	if (*same)
		drop(a, same);
	put_first(a, k);
	a->bytes += answer->size;
	while (a->bytes > BYTES_MAX) {
		struct kept_answer **last = &a->list;

		while ((*last)->next)
			last = &(*last)->next;
		drop(a, last);
	}
	pthread_mutex_unlock(&a->lock);
}
