/*
 * A toy kind of document, registered beside none of the real ones: a text file of lines,
 * a route that counts them, and a job. The workspace must open, list, ask and close it
 * without knowing what it is.
 */
#include "lib/query/workspace/workspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/query/kinds/route_open.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "tests/scratch.h"
#include "tests/test.h"

struct toy {
	struct ml_document document;
	char *text;
	size_t size;
	struct ml_arena arena;
};

static unsigned open_toys;

static bool is_toy(const char *path)
{
	return ml_file_begins_with(path, "toy\n", 4);
}

static struct ml_document *open_toy(struct ml_workspace *ws, const char *path,
				    struct ml_err *err)
{
	struct toy *t = ml_resize(NULL, sizeof(*t));

	*t = (struct toy){ .document.workspace = ws };
	if (!ml_file_read(path, 1000, &t->arena, &t->text, &t->size, err)) {
		ml_arena_release(&t->arena);
		ml_free(t);
		return NULL;
	}
	t->document.path = ml_arena_strdup(&t->arena, path);
	open_toys++;
	return &t->document;
}

static void close_toy(struct ml_document *d)
{
	struct toy *t = (struct toy *)d;

	ml_arena_release(&t->arena);
	ml_free(t);
	open_toys--;
}

static void describe_toy(struct ml_document *d, struct ml_json *w)
{
	ml_json_key(w, "bytes");
	ml_json_u64(w, ((struct toy *)d)->size);
}

static bool count_lines(struct ml_workspace *ws, const struct ml_request *q,
			struct ml_answer *a, struct ml_err *err)
{
	struct toy *t = (struct toy *)ml_workspace_document(ws, "toy", q->number[0], err);
	uint64_t lines = 0;

	for (size_t i = 0; t && i < t->size; i++)
		lines += t->text[i] == '\n';
	if (t) {
		ml_json_object(&a->json);
		ml_answer_u64(a, "lines", lines);
		ml_json_end(&a->json);
	}
	return t != NULL;
}

static const struct ml_route toy_routes[] = {
	{ "GET", "/api/toys/#/lines", count_lines, "lines of a toy", NULL, ML_NO_PARAMS },
	{ 0 },
};

static const struct ml_document_kind toy_kind = {
	.name = "toy",
	.what = "a toy",
	.suffixes = (const char *const[]){ ".toy", NULL },
	.is_mine = is_toy,
	.open = open_toy,
	.close = close_toy,
	.describe = describe_toy,
	.routes = toy_routes,
};

static const struct ml_document_kind *const kinds[] = { &toy_kind, NULL };

static const struct ml_route common[] = {
	{ "GET", "/api/open", ml_route_open, "what is open", NULL, ML_NO_PARAMS },
	{ 0 },
};

static bool toys(struct ml_workspace *ws, const struct ml_request *q, uint64_t *count,
		 struct ml_err *err)
{
	(void)ws;
	(void)q;
	(void)err;
	*count = 1;
	return true;
}

static const struct ml_route asking[] = {
	{ "GET", "/api/toys/#/words", NULL, "words of a toy", NULL,
	  ML_PARAMS(ML_NUMBER("from"), ML_NUMBER_IN("cells", 1, 64), ML_REAL("window"),
		    ML_TEXT("select", 10), ML_NUMBER_OF("toy", toys)) },
	{ "POST", "/api/toys/#/words", NULL, "not printed", NULL, ML_NO_PARAMS },
	{ "GET", "/api/open", NULL, "what is open", NULL, ML_NO_PARAMS },
	{ 0 },
};

TEST(the_list_of_routes_has_the_parameters_as_they_are_declared)
{
	struct ml_buf out = { 0 }, some = { 0 };

	ml_routes_print(asking, "", &out);
	ml_buf_u8(&out, 0);
	CHECK_STR((const char *)out.data,
		  "/api/toys/#/words             words of a toy\n"
		  "    from=N cells=1..64 window=X select=TEXT toy=N\n"
		  "/api/open                     what is open\n");
	ml_routes_print(asking, "open", &some);
	ml_buf_u8(&some, 0);
	CHECK_STR((const char *)some.data,
		  "/api/open                     what is open\n");
	ml_buf_release(&out);
	ml_buf_release(&some);
}

static struct ml_workspace workspace;
static struct ml_err err;
static struct ml_buf bytes;

static void start(void)
{
	struct ml_machine m;

	CHECK_OK(ml_machine_parse(&m, "L1 1K 2w", &err), &err);
	ml_workspace_init(&workspace, kinds, common, &m);
}

static void done(void)
{
	ml_workspace_close(&workspace);
	ml_buf_release(&bytes);
	bytes = (struct ml_buf){ 0 };
	unlink(scratch());
}

static void write_toy(const char *text)
{
	FILE *f = fopen(scratch(), "w");

	fputs(text, f);
	fclose(f);
}

static bool ask(const char *path)
{
	struct ml_request q = { .method = "GET", .path = path };
	struct ml_answer a;
	bool exists;
	const struct ml_route *r = ml_workspace_route(&workspace, &q, &exists);

	CHECK(r != NULL);
	ml_answer_init(&a);
	bool ok = r->answer(&workspace, &q, &a, &err);
	bytes.size = 0;
	if (ok)
		ml_answer_write(&a, &bytes);
	ml_buf_u8(&bytes, 0);
	ml_answer_release(&a);
	return ok;
}

static bool says(const char *text)
{
	return strstr((const char *)bytes.data, text) != NULL;
}

TEST(a_kind_that_the_workspace_has_never_heard_of_is_opened_listed_asked_and_closed)
{
	start();
	write_toy("toy\none\ntwo\n");
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	write_toy("toy\n");
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	CHECK_EQ(open_toys, 2);
	CHECK(ask("/api/open"));
	CHECK(says("\"documents\":[{\"kind\":\"toy\",\"number\":0,"));
	CHECK(says("\"bytes\":12}"));
	CHECK(says("{\"kind\":\"toy\",\"number\":1,"));
	CHECK(ask("/api/toys/0/lines"));
	CHECK(says("\"lines\":3}"));
	CHECK(ask("/api/toys/1/lines"));
	CHECK(says("\"lines\":1}"));
	CHECK(!ask("/api/toys/2/lines"));
	CHECK_STR(err.text, "there is no toy 2");
	done();
	CHECK_EQ(open_toys, 0);
}

TEST(a_file_that_no_kind_knows_goes_to_the_first_one_which_says_what_is_wrong)
{
	start();
	CHECK_FAILS(ml_workspace_open(&workspace, "/nonexistent/x.other", &err), &err,
		    "/nonexistent/x.other");
	CHECK(ml_workspace_each(&workspace, 0) == NULL);
	done();
}

TEST(a_route_is_found_by_path_and_method)
{
	struct ml_request q = { .method = "POST", .path = "/api/toys/7/lines" };
	bool exists;

	start();
	CHECK(!ml_workspace_route(&workspace, &q, &exists));
	CHECK(exists);
	q.method = "GET";
	CHECK(ml_workspace_route(&workspace, &q, &exists) == &toy_routes[0]);
	CHECK_EQ(q.number[0], 7);
	q.path = "/api/toys//lines";
	CHECK(!ml_workspace_route(&workspace, &q, &exists));
	CHECK(!exists);
	q.path = "/api/toys/99999999999999999999/lines"; /* more than 64 bits */
	CHECK(!ml_workspace_route(&workspace, &q, &exists));
	done();
}

/* A job that waits until it is told how to end. */
struct toy_job {
	struct ml_job job;
	volatile bool go;
	bool fails;
};

static bool run_toy(struct ml_job *j, struct ml_err *e)
{
	struct toy_job *t = (struct toy_job *)j;

	while (!ml_stopped(&t->go)) {
		if (ml_stopped(&j->stop))
			return ml_fail(e, ML_STOPPED, "stopped");
		usleep(1000);
	}
	return !t->fails || ml_fail(e, ML_IO, "the toy broke");
}

static void describe_job(const struct ml_job *j, struct ml_json *w)
{
	ml_json_string(w, ml_job_state_name(j->state));
}

static void close_job(struct ml_job *j)
{
	((struct toy_job *)j)->go = false;
}

static void start_job(struct toy_job *t)
{
	t->job = (struct ml_job){ .name = "toy job",
				  .event = "toy",
				  .run = run_toy,
				  .describe = describe_job,
				  .close = close_job };
	pthread_mutex_lock(&workspace.lock);
	CHECK_OK(ml_workspace_start(&workspace, &t->job, &err), &err);
	pthread_mutex_unlock(&workspace.lock);
}

TEST(a_job_runs_until_it_is_ready_fails_or_is_cancelled)
{
	struct toy_job good = { 0 }, bad = { .fails = true }, endless = { 0 };
	uint64_t before, after;

	start();
	start_job(&good);
	start_job(&bad);
	start_job(&endless);
	CHECK_EQ(ml_workspace_job_count(&workspace), 3);
	CHECK_FAILS(ml_workspace_job_ready(&good.job, &err), &err,
		    "toy job 0 is not ready yet");
	CHECK_STR(ml_workspace_job_event(&workspace, 0, &before), "toy");
	ml_stop(&good.go);
	CHECK_OK(ml_workspace_job_finish(&good.job, &err), &err);
	ml_workspace_job_event(&workspace, 0, &after);
	CHECK(after > before);
	bytes.size = 0;
	ml_workspace_job_json(&workspace, 0, &bytes);
	ml_buf_u8(&bytes, 0);
	CHECK_STR((const char *)bytes.data, "\"ready\"");
	ml_stop(&bad.go);
	CHECK_FAILS(ml_workspace_job_finish(&bad.job, &err), &err, "the toy broke");
	ml_workspace_job_cancel(&endless.job);
	CHECK_FAILS(ml_workspace_job_finish(&endless.job, &err), &err,
		    "toy job 2 was cancelled");
	CHECK(ml_workspace_job(&workspace, "toy job", 1, &err) == &bad.job);
	CHECK(!ml_workspace_job(&workspace, "simulation", 1, &err));
	CHECK_STR(err.text, "there is no simulation 1");
	done();
}

TEST(closing_the_workspace_ends_jobs_that_run)
{
	struct toy_job endless = { 0 };

	start();
	start_job(&endless);
	done(); /* would hang */
	CHECK_EQ(endless.job.state, ML_JOB_CANCELLED);
}
