#include "lib/query/kinds/route_open.h"

#include "lib/base/path.h"
#include "lib/cache/machine/access.h"
#include "lib/cache/machine/machine.h"
#include "lib/cache/machine/policy.h"
#include "lib/query/drawing/role.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/workspace.h"

static const char *machine_text(struct ml_answer *a, const struct ml_machine *m)
{
	struct ml_buf text = { 0 };

	ml_machine_print(m, &text);
	const char *copy = ml_arena_copy(&a->arena, text.data, text.size);
	ml_buf_release(&text);
	return copy;
}

static void put_documents(struct ml_workspace *ws, struct ml_answer *a)
{
	struct ml_document *d;

	ml_json_key(&a->json, "documents");
	ml_json_array(&a->json);
	for (size_t i = 0; (d = ml_workspace_each(ws, i)); i++) {
		ml_json_object(&a->json);
		ml_answer_string(a, "kind", d->kind->name);
		ml_answer_u64(a, "number", d->number);
		ml_answer_string(a, "path", d->path);
		ml_answer_string(a, "name", ml_path_name(d->path));
		d->kind->describe(d, &a->json);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

static void put_machines(struct ml_answer *a)
{
	ml_json_key(&a->json, "machines");
	ml_json_array(&a->json);
	for (const struct ml_preset *p = ml_presets; p->name; p++) {
		ml_json_object(&a->json);
		ml_answer_string(a, "name", p->name);
		ml_answer_string(a, "text", p->text);
		ml_answer_string(a, "what", p->what);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

static void put_policies(struct ml_answer *a)
{
	ml_json_key(&a->json, "policies");
	ml_json_array(&a->json);
	for (const struct ml_policy *p = ml_policies; p->name; p++) {
		ml_json_object(&a->json);
		ml_answer_string(a, "name", p->name);
		ml_answer_string(a, "what", p->what);
		ml_json_key(&a->json, "future");
		ml_json_bool(&a->json, p->future);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
}

/* Names from 1 on: the first one of these lists means none. */
static void put_names(struct ml_answer *a, const char *key, const char *const *list,
		      size_t count)
{
	ml_json_key(&a->json, key);
	ml_json_array(&a->json);
	for (size_t i = 1; i < count; i++)
		ml_json_string(&a->json, list[i]);
	ml_json_end(&a->json);
}

bool ml_route_open(struct ml_workspace *ws, const struct ml_request *q,
		   struct ml_answer *a, struct ml_err *err)
{
	struct ml_machine host;

	(void)q;
	ml_json_object(&a->json);
	ml_answer_string(a, "version", ML_VERSION);
	put_documents(ws, a);
	put_machines(a);
	put_policies(a);
	put_names(a, "prefetchers", ml_prefetcher_names, ML_PREFETCHERS);
	put_names(a, "causes", ml_cause_names, ML_CAUSES);
	ml_json_key(&a->json, "colours");
	ml_role_tables_write(&a->json);
	/* where hwloc cannot tell the host's caches, the page offers the presets */
	ml_answer_string(a, "host",
			 ml_machine_host(&host, err) ? machine_text(a, &host) : NULL);
	ml_answer_string(a, "machine", machine_text(a, &ws->machine));
	ml_json_end(&a->json);
	return true;
}
