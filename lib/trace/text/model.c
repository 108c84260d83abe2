#include "lib/trace/text/model.h"

#include <stdio.h>
#include <string.h>

#include "lib/trace/text/model_parts.h"
#include "lib/trace/ref.h"
#include "lib/trace/text/scan.h"

enum { DEPTH_MAX = 32 /* levels of repeat */ };
#define REFS_MAX    (1ull << 40)
#define MATRIX_BASE (1ull << 20)

struct parser {
	struct ml_model *m;
	const char *at, *end;
	uint64_t line; /* of the text, for messages */
	unsigned depth;
	struct ml_scan_word word; /* the current one; empty at the end */
	struct ml_err *err;
};

static bool is(struct ml_scan_word w, const char *text)
{
	return strlen(text) == w.size && !memcmp(w.at, text, w.size);
}

static bool bad(const struct parser *p, const char *reason, struct ml_scan_word w)
{
	char shown[ML_SCAN_SHOWN];

	if (is(w, "\n"))
		w.size = 0;
	return ml_fail(p->err, ML_FORMAT, "%s:%llu: %s '%s'", p->m->name,
		       (unsigned long long)p->line, reason, ml_scan_shown(w, shown));
}

/* Reads the next word. ; ( ) and the end of a line are words. */
static void step_on(struct parser *p)
{
	struct ml_buf *source = &p->m->source;

	if (is(p->word, "\n"))
		p->line++;
	p->at = ml_scan_blanks(p->at, p->end);
	if (p->at < p->end && *p->at == '#')
		while (p->at < p->end && *p->at != '\n')
			p->at++;
	p->word = (struct ml_scan_word){ p->at, 0 };
	if (p->at == p->end)
		return;
	do
		p->at++;
	while (p->at < p->end && !strchr(";()\n#", p->at[-1]) &&
	       !strchr(";()\n#", *p->at) && !ml_scan_blank(*p->at));
	p->word.size = (size_t)(p->at - p->word.at);
	char first = *p->word.at;
	if (source->size && source->data[source->size - 1] != '\n' &&
	    !strchr(";\n)", first))
		ml_buf_u8(source, ' ');
	ml_buf_put(source, p->word.at, p->word.size);
	if (first == ';' || first == '(')
		ml_buf_u8(source, '\n');
}

static bool number(struct parser *p, const char *reason, uint64_t *value)
{
	const char *end = p->word.at + p->word.size;
	const char *at = ml_scan_number(p->word.at, end, value);
	unsigned shift = 0;

	if (at && at + 1 == end)
		shift = *at == 'K' ? 10 : *at == 'M' ? 20 : *at == 'G' ? 30 : 0;
	if (!at || (at != end && !shift) || *value >> 62 >> 1 ||
	    *value > ML_MODEL_ADDRESSES >> shift)
		return bad(p, reason, p->word);
	*value <<= shift;
	step_on(p);
	return true;
}

static bool positive(struct parser *p, const char *reason, uint64_t *value)
{
	struct ml_scan_word w = p->word;

	return number(p, reason, value) && (*value || bad(p, reason, w));
}

static bool order(struct parser *p, struct ml_model_step *s)
{
	unsigned seen = 0;

	for (size_t i = 0; p->word.size == 3 && i < 3; i++) {
		unsigned index = (unsigned char)p->word.at[i] - (unsigned)'i';

		if (index < 3) {
			s->order[i] = (uint8_t)index;
			seen |= 1u << index;
		}
	}
	if (seen != 7)
		return bad(p, "an order of loops is a permutation of ijk, not", p->word);
	step_on(p);
	return true;
}

static bool option(struct parser *p, struct ml_model_step *s)
{
	unsigned have = s->kind->options;
	struct ml_scan_word w = p->word;

	step_on(p);
	if (have & ML_MODEL_KIND && (is(w, "r") || is(w, "w") || is(w, "m"))) {
		s->reads = *w.at != 'w';
		s->writes = *w.at != 'r';
		return true;
	}
	if (have & ML_MODEL_REPEAT && is(w, "repeat"))
		return positive(p, "expected how often to repeat, not", &s->repeat);
	if (have & ML_MODEL_SEED && is(w, "seed"))
		return number(p, "expected a number as seed, not", &s->seed);
	if (have & ML_MODEL_ORDER && is(w, "order"))
		return order(p, s);
	if (have & ML_MODEL_BLOCK && is(w, "block"))
		return positive(p, "expected the elements of a tile, not", &s->block);
	if (have & ML_MODEL_PAD && is(w, "pad"))
		return number(p, "expected the elements of padding, not", &s->pad);
	if (have & ML_MODEL_BASE && is(w, "base"))
		return number(p, "expected an address, not", &s->base);
	if (have & ML_MODEL_REGISTER && is(w, "register"))
		return s->in_register = true;
	if (have & ML_MODEL_NAME && is(w, "name")) {
		if (!p->word.size || strchr(";()\n", *p->word.at))
			return bad(p, "expected a name, not", p->word);
		s->name = ml_arena_copy(&p->m->arena, p->word.at, p->word.size);
		step_on(p);
		return true;
	}
	char reason[64];

	snprintf(reason, sizeof(reason), "%s has no option", s->kind->name);
	return bad(p, reason, w);
}

static bool steps(struct parser *p, struct ml_model_step **list, uint64_t *refs);

static bool repeat(struct parser *p, struct ml_model_step *s, uint64_t *refs)
{
	uint64_t inside = 0;

	if (!positive(p, "expected how often to repeat, not", &s->repeat))
		return false;
	if (!is(p->word, "(") || p->depth == DEPTH_MAX)
		return bad(p,
			   p->depth < DEPTH_MAX
				   ? "expected ( after repeat N, not"
				   : "there are more than 32 levels of repeat at",
			   p->word);
	step_on(p);
	p->depth++;
	if (!steps(p, &s->body, &inside))
		return false;
	if (!is(p->word, ")"))
		return bad(p, "expected the ) of repeat, not", p->word);
	p->depth--;
	step_on(p);
	*refs = ml_model_sum(*refs, ml_model_product(s->repeat, inside));
	return true;
}

static bool step(struct parser *p, struct ml_model_step *s, uint64_t *refs)
{
	struct ml_scan_word name = p->word;
	unsigned args = 0;

	s->line = 1;
	for (size_t i = 0; i < p->m->source.size; i++)
		s->line += p->m->source.data[i] == '\n';
	s->repeat = 1;
	s->base = MATRIX_BASE;
	s->reads = true;
	memcpy(s->order, (uint8_t[]){ ML_MODEL_I, ML_MODEL_J, ML_MODEL_K },
	       sizeof(s->order));
	s->arg[1] = 8; /* bytes of a matrix element, unless given */
	step_on(p);
	if (is(name, "repeat"))
		return repeat(p, s, refs);
	for (const struct ml_model_step_kind *k = ml_model_step_kinds; k->name; k++)
		if (is(name, k->name))
			s->kind = k;
	if (!s->kind)
		return bad(p, "a model has no step", name);
	s->name = s->kind->name;
	while (args < s->kind->max &&
	       (args < s->kind->min ||
		(p->word.size && ml_scan_digit(*p->word.at) < 10))) {
		/* only a base may be 0: a count or size of 0 is a mistake */
		bool base = !args && s->kind->based;
		const char *reason = "expected another number, not";

		if (!(base ? number : positive)(p, reason, &s->arg[args++]))
			return false;
	}
	while (p->word.size && !strchr(";)\n", *p->word.at))
		if (!option(p, s))
			return false;
	uint64_t elem = s->kind->elem < 0 ? ML_MODEL_POINTER : s->arg[s->kind->elem];
	const char *reason = elem > ML_SIZE_MAX ? "an element has at most 16383 bytes"
						: s->kind->check(s);
	if (reason)
		return ml_fail(p->err, ML_FORMAT, "%s:%llu: %s: %s", p->m->name,
			       (unsigned long long)p->line, s->kind->name, reason);
	if (s->nodes > p->m->nodes)
		p->m->nodes = s->nodes;
	*refs = ml_model_sum(*refs, ml_model_product(s->repeat, s->refs));
	return true;
}

static bool steps(struct parser *p, struct ml_model_step **list, uint64_t *refs)
{
	for (;;) {
		while (is(p->word, ";") || is(p->word, "\n"))
			step_on(p);
		if (!p->word.size || is(p->word, ")"))
			return true;
		struct ml_model_step *s = *list = ml_arena_alloc(&p->m->arena,
								 sizeof(*s));
		if (!step(p, s, refs))
			return false;
		list = &s->next;
		if (p->word.size && !strchr(";)\n", *p->word.at))
			return bad(p, "expected ; between steps, not", p->word);
	}
}

bool ml_model_init(struct ml_model *m, const char *name, const char *text, size_t size,
		   struct ml_err *err)
{
	struct parser p = {
		.m = m, .at = text, .end = text + size, .line = 1, .err = err
	};

	*m = (struct ml_model){ .name = name };
	step_on(&p);
	if (!steps(&p, &m->steps, &m->refs))
		return false;
	if (p.word.size)
		return bad(&p, "unexpected", p.word);
	if (!m->steps)
		return ml_fail(err, ML_FORMAT, "%s: the model has no steps", name);
	if (m->refs > REFS_MAX)
		return ml_fail(err, ML_FORMAT,
			       "%s: the model makes more than 2^40 references", name);
	return true;
}

void ml_model_release(struct ml_model *m)
{
	ml_arena_release(&m->arena);
	ml_buf_release(&m->source);
	*m = (struct ml_model){ 0 };
}

bool ml_model_detect(const char *text, size_t size)
{
	struct ml_model m = { 0 };
	struct parser p = { .m = &m, .at = text, .end = text + size };
	bool yes = false;

	do
		step_on(&p);
	while (is(p.word, ";") || is(p.word, "\n"));
	for (const struct ml_model_step_kind *k = ml_model_step_kinds; k->name; k++)
		yes = yes || is(p.word, k->name);
	yes = yes || is(p.word, "repeat");
	ml_model_release(&m);
	return yes;
}
