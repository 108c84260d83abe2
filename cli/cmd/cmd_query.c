#include "cli/cmd.h"
#include "cli/machine_option.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/simulated.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/workspace.h"

struct options {
	struct machine_without without;
	const char *machine, *second, *with;
	bool list;
};

static const struct opt opts[] = {
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE as simulation 0, for routes below /api/sims/0 "
		 "(default: host)"),
	OPT_WITHOUT,
	OPT_TEXT("second", 's', "MACHINE", second,
		 "simulate MACHINE as simulation 1, for routes that compare two "
		 "(default: the same machine)"),
	OPT_TEXT("with", 'w', "TRACE", with,
		 "simulate TRACE as simulation 1 (default: the same trace)"),
	OPT_FLAG("list", 'l', list,
		 "list the routes and their parameters; with a word only those that have "
		 "it in their path"),
	{ 0 },
};

static int list(const char *with)
{
	struct ml_buf out = { 0 };

	ml_routes_print(ml_common_routes, with, &out);
	for (size_t i = 0; ml_kinds[i]; i++)
		ml_routes_print(ml_kinds[i]->routes, with, &out);
	if (!out.size)
		return cmd_misused(&cmd_query, "no route has '%s' in its path", with);
	int status = cmd_print(&cmd_query, &out);
	ml_buf_release(&out);
	return status;
}

/* Decodes %41 and + in place. */
static void unescape(char *text)
{
	char *to = text;

	for (char *at = text; *at; at++) {
		if (*at == '%' && isxdigit((unsigned char)at[1]) &&
		    isxdigit((unsigned char)at[2])) {
			char digits[] = { at[1], at[2], 0 };

			*to++ = (char)strtoul(digits, NULL, 16);
			at += 2;
		} else
			*to++ = *at == '+' ? ' ' : *at;
	}
	*to = 0;
}

/* Splits PATH?KEY=VALUE&... in place into a request. */
static void parse(struct ml_request *q, char *route)
{
	char *params = strchr(route, '?'), *next;

	*q = (struct ml_request){ .method = "GET", .path = route };
	if (!params)
		return;
	*params++ = 0;
	for (; params && q->count < ML_REQUEST_PARAMS; params = next) {
		next = strchr(params, '&');
		if (next)
			*next++ = 0;
		char *value = strchr(params, '=');
		if (value)
			*value++ = 0;
		else
			value = params + strlen(params);
		unescape(params);
		unescape(value);
		q->params[q->count++] = (struct ml_param){ params, value };
	}
}

static bool ask(struct ml_workspace *ws, struct ml_request *q, struct ml_buf *out,
		struct ml_err *err)
{
	struct ml_answer a;
	bool exists;
	const struct ml_route *r = ml_workspace_route(ws, q, &exists);

	if (!r)
		return ml_fail(
			err, ML_USAGE,
			"there is no route %s; 'memlamp query --list' lists the routes",
			q->path);
	ml_answer_init(&a);
	bool ok = ml_request_answer(r, ws, q, &a, err);
	if (ok) {
		ml_answer_write(&a, out);
		if (a.kind == ML_ANSWER_JSON)
			ml_buf_u8(out, '\n');
	}
	ml_answer_release(&a);
	return ok;
}

/* Runs the simulations that a route needs: 0, and 1 if the route compares two. */
static bool simulate(struct simulated *s, const struct options *o, const char *path,
		     struct ml_err *err)
{
	struct ml_workspace *ws = &s->workspace;
	bool two = !strncmp(path, "/api/compare", 12) ||
		   !strncmp(path, "/api/disagreements", 18);
	struct ml_machine second = ws->machine;

	if (!two && strncmp(path, "/api/sims/", 10) != 0)
		return !o->with || ml_workspace_open(ws, o->with, err);
	if (!ml_simulated_window_run(&s->window, 0, &ws->machine, err))
		return false;
	return !two ||
	       ((!o->second || machine_option(&second, o->second, &o->without, err)) &&
		(!o->with || ml_workspace_open(ws, o->with, err)) &&
		ml_simulated_window_run(&s->window, o->with ? 1 : 0, &second, err));
}

static int run(int argc, char **argv)
{
	struct options o = { .machine = "host" };
	struct ml_machine machine;
	struct simulated s = { 0 };
	struct ml_arena arena = { 0 };
	struct ml_request q;
	struct ml_buf out = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_query, &o, &argc, &argv, &status))
		return status;
	if (o.list)
		return list(argc ? argv[0] : "");
	if (argc != 2)
		return cmd_misused(&cmd_query,
				   "give a trace or an ensemble, and a route");
	if (!machine_option(&machine, o.machine, &o.without, &err))
		return cmd_fail(&cmd_query, &err);
	simulated_begin(&s, &cmd_query, &machine);
	s.workspace.headers = cmd_path_headers(&arena);
	parse(&q, argv[1]);
	q.work = ml_work_silent(&s.work.work);
	bool ok = ml_workspace_open(&s.workspace, argv[0], &err) &&
		  simulate(&s, &o, q.path, &err);
	ok = ok && ask(&s.workspace, &q, &out, &err);
	simulated_notes(&s);
	status = ok ? cmd_print(&cmd_query, &out) : cmd_fail(&cmd_query, &err);
	if (status == EXIT_DONE && s.window.sim)
		status = simulated_status(&s);
	ml_buf_release(&out);
	simulated_close(&s);
	ml_arena_release(&arena);
	return status;
}

const struct cmd cmd_query = {
	.name = "query",
	.help = "print the server's answer to one request of the page",
	.operands = "TRACE ROUTE",
	.min_operands = 0,
	.max_operands = 2,
	.opts = opts,
	.run = run,
};
