#include "lib/analyse/find/findings.h"
#include "lib/base/json.h"

/* An empty text is null. */
static void write_text(struct ml_json *w, const char *key, const char *text)
{
	ml_json_key_string(w, key, *text ? text : NULL);
}

/* What the page needs to play misses of the finding. */
static void write_view(struct ml_json *w, const struct ml_finding_view *v)
{
	ml_json_key_object(w, "view");
	ml_json_key_string(w, "name", v->name);
	ml_json_key_string(w, "cause", v->cause);
	ml_json_key_bool(w, "again", v->again);
	ml_json_key_bool(w, "threads", v->threads);
	ml_json_key_string(w, "miss", v->miss);
	ml_json_end(w);
}

/* The alternatives are written as a list of findings, not as a chain. */
static void write_finding(struct ml_json *w, const struct ml_finding *n, bool others,
			  bool views)
{
	ml_json_object(w);
	write_text(w, "kind", n->kind);
	write_text(w, "title", n->title);
	write_text(w, "region", n->region);
	write_text(w, "file", n->file);
	ml_json_key(w, "line");
	if (n->line)
		ml_json_u64(w, n->line);
	else
		ml_json_null(w);
	write_text(w, "function", n->func);
	ml_json_key_real(w, "cost", n->cost);
	ml_json_key_real(w, "gain", n->gain);
	ml_json_key_real(w, "gain_low", n->low);
	ml_json_key_real(w, "gain_high", n->high);
	write_text(w, "predicted", n->simulated ? "simulated" : "estimated");
	ml_json_key(w, "vague");
	ml_json_bool(w, n->vague);
	ml_json_key_array(w, "evidence");
	for (size_t i = 0; n->says[i]; i++)
		ml_json_string(w, n->says[i]);
	ml_json_end(w);
	write_text(w, "advice", n->advice);
	ml_json_key_object(w, "facts");
	for (const struct ml_fact *x = n->facts; x->key; x++)
		if (x->text)
			write_text(w, x->key, x->text);
		else
			ml_json_key_real(w, x->key, x->number);
	ml_json_end(w);
	if (others) {
		ml_json_key_array(w, "or");
		for (const struct ml_finding *x = n->other; x; x = x->other)
			write_finding(w, x, false, views);
		ml_json_end(w);
	}
	if (views)
		write_view(w, n->view);
	ml_json_end(w);
}

void ml_findings_json(const struct ml_findings *f, struct ml_json *w, bool views)
{
	ml_json_array(w);
	for (size_t i = 0; i < f->count; i++)
		write_finding(w, &f->at[i], true, views);
	ml_json_end(w);
}
