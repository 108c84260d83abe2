/*
 * Findings as SARIF 2.1.0 (OASIS). A finding is a result with the line where it costs
 * most; its kind is the rule. Paths below the folder in which the program was started are
 * relative to it, so that code hosts find the file in the repository.
 */
#include "lib/query/trace/export/export_sarif.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/query/trace/open/open_sim.h"

/* A share of all cycles that makes a finding a warning; the others are notes. */
static const double warning = 0.1;

/* A path as a part of a URI. */
static const char *uri_of(const char *path, struct ml_arena *a)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/+@";
	struct ml_buf b = { 0 };

	for (const char *p = path; *p; p++)
		if (strchr(plain, *p))
			ml_buf_u8(&b, (uint8_t)*p);
		else
			ml_buf_printf(&b, "%%%02X", (uint8_t)*p);
	const char *uri = ml_arena_copy(a, (const char *)b.data, b.size);
	ml_buf_release(&b);
	return uri;
}

static void put_message(struct ml_json *w, const char *key, const char *text)
{
	ml_json_key_object(w, key);
	ml_json_key_string(w, "text", text);
	ml_json_end(w);
}

/* A rule for each kind of finding. GitHub refuses rules without the three texts. */
static void put_rules(struct ml_json *w, const struct ml_findings *f)
{
	struct ml_names kinds = { 0 };

	ml_json_key_array(w, "rules");
	for (size_t i = 0; i < f->count; i++) {
		size_t before = kinds.count;

		ml_names_add(&kinds, f->at[i].kind);
		if (kinds.count == before)
			continue;
		ml_json_object(w);
		const char *text = f->at[i].rule;
		ml_json_key_string(w, "id", f->at[i].kind);
		put_message(w, "shortDescription", text);
		put_message(w, "fullDescription", text);
		put_message(w, "help",
			    "docs/findings.md of memlamp says how this kind is found, "
			    "how its gain is predicted and when it is wrong.");
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_names_release(&kinds);
}

static void put_text(struct ml_json *w, const struct ml_finding *f, struct ml_arena *a)
{
	const char *text = f->title;

	for (size_t i = 0; i < ML_FINDING_SAYS && f->says[i]; i++)
		text = ml_arena_printf(a, "%s%s %s", text, i ? "" : ".", f->says[i]);
	put_message(w, "message",
		    ml_arena_printf(a, "%s Advice: %s. %s %.1f %% of all cycles.", text,
				    f->advice,
				    f->simulated ? "Simulated, it saves"
						 : "It would save about",
				    100 * f->gain));
}

static void put_location(struct ml_json *w, const struct ml_finding *f, const char *cwd,
			 struct ml_arena *a)
{
	size_t n = strlen(cwd);
	bool below = n && !strncmp(f->file, cwd, n) && f->file[n] == '/';

	ml_json_key_array(w, "locations");
	ml_json_object(w);
	ml_json_key_object(w, "physicalLocation");
	ml_json_key_object(w, "artifactLocation");
	if (below || *f->file != '/') {
		ml_json_key_string(w, "uri", uri_of(f->file + (below ? n + 1 : 0), a));
		ml_json_key_string(w, "uriBaseId", "SRCROOT");
	} else
		ml_json_key_string(w, "uri",
				   ml_arena_printf(a, "file://%s", uri_of(f->file, a)));
	ml_json_end(w);
	if (f->line) {
		ml_json_key_object(w, "region");
		ml_json_key_u64(w, "startLine", f->line);
		ml_json_end(w);
	}
	ml_json_end(w);
	if (*f->func) {
		ml_json_key_array(w, "logicalLocations");
		ml_json_object(w);
		ml_json_key_string(w, "name", f->func);
		ml_json_key_string(w, "kind", "function");
		ml_json_end(w);
		ml_json_end(w);
	}
	ml_json_end(w);
	ml_json_end(w);
}

static void put_properties(struct ml_json *w, const struct ml_finding *f)
{
	ml_json_key_object(w, "properties");
	ml_json_key_string(w, "region", f->region);
	ml_json_key_real(w, "cost", f->cost);
	ml_json_key_real(w, "gain", f->gain);
	ml_json_key_bool(w, "simulated", f->simulated);
	for (size_t i = 0; i < ML_FINDING_FACTS && f->facts[i].key; i++)
		if (f->facts[i].text)
			ml_json_key_string(w, f->facts[i].key, f->facts[i].text);
		else
			ml_json_key_real(w, f->facts[i].key, f->facts[i].number);
	ml_json_end(w);
}

static void put_result(struct ml_json *w, const struct ml_finding *f, const char *cwd,
		       struct ml_arena *a)
{
	ml_json_object(w);
	ml_json_key_string(w, "ruleId", f->kind);
	ml_json_key_string(w, "level", f->gain >= warning ? "warning" : "note");
	put_text(w, f, a);
	if (*f->file)
		put_location(w, f, cwd, a);
	/* the same finding of another run, also when the line moved */
	ml_json_key_object(w, "partialFingerprints");
	ml_json_key_string(w, "memlamp/v1",
			   ml_arena_printf(a, "%s:%s:%s", f->kind, f->func, f->region));
	ml_json_end(w);
	put_properties(w, f);
	ml_json_end(w);
}

bool ml_export_sarif(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err)
{
	const struct ml_findings *f = ml_open_sim_findings(s, err);
	const char *cwd = ml_tables_meta_find(&s->trace->trace.tables, "cwd");
	struct ml_json w = { .out = out, .indent = 2 };
	struct ml_arena a = { 0 };

	if (!f)
		return false;
	cwd = cwd ? cwd : "";
	ml_json_object(&w);
	ml_json_key_string(&w, "$schema",
			   "https://json.schemastore.org/sarif-2.1.0.json");
	ml_json_key_string(&w, "version", "2.1.0");
	ml_json_key_array(&w, "runs");
	ml_json_object(&w);
	ml_json_key_object(&w, "tool");
	ml_json_key_object(&w, "driver");
	ml_json_key_string(&w, "name", "memlamp");
	ml_json_key_string(&w, "version", ML_VERSION);
	put_rules(&w, f);
	ml_json_end(&w);
	ml_json_end(&w);
	if (*cwd) {
		ml_json_key_object(&w, "originalUriBaseIds");
		ml_json_key_object(&w, "SRCROOT");
		ml_json_key_string(&w, "uri",
				   ml_arena_printf(&a, "file://%s/", uri_of(cwd, &a)));
		ml_json_end(&w);
		ml_json_end(&w);
	}
	ml_json_key_array(&w, "results");
	for (size_t i = 0; i < f->count; i++)
		put_result(&w, &f->at[i], cwd, &a);
	ml_json_end(&w);
	ml_json_end(&w);
	ml_json_end(&w);
	ml_json_end(&w);
	ml_buf_u8(out, '\n');
	ml_arena_release(&a);
	return true;
}
