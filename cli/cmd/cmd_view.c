#include "cli/cmd.h"
#include "cli/machine_option.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/workspace.h"
#include "serve/server.h"

struct options {
	struct machine_without without;
	const char *machine;
	uint64_t port;
};

static const struct opt opts[] = {
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE first, as in 'memlamp sim'; the page can change it "
		 "(default: host)"),
	OPT_WITHOUT,
	OPT_COUNT("port", 'p', "N", port,
		  "serve on port N of 127.0.0.1, for an ssh tunnel that stays (default: "
		  "any free port)"),
	{ 0 },
};

static void say_where(const struct server *s)
{
	char host[256] = "";

	printf("http://127.0.0.1:%u/?token=%s\n", s->port, s->token);
	fflush(stdout);
	gethostname(host, sizeof(host) - 1);
	fprintf(stderr,
		"Open this address in a browser. From another machine, first run:\n  "
		"ssh -L %u:127.0.0.1:%u %s\nCtrl-C ends the server.\n",
		s->port, s->port, host);
}

static int run(int argc, char **argv)
{
	struct options o = { .machine = "host" };
	struct ml_machine machine;
	struct ml_workspace workspace;
	struct ml_arena arena = { 0 };
	struct ml_document *d;
	struct server server;
	struct ml_err err;
	struct cmd_work work;
	int status;

	if (!options_parse(&cmd_view, &o, &argc, &argv, &status))
		return status;
	if (o.port > UINT16_MAX)
		return cmd_misused(&cmd_view, "there is no port %" PRIu64, o.port);
	if (!machine_option(&machine, o.machine, &o.without, &err))
		return cmd_fail(&cmd_view, &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &machine);
	workspace.headers = cmd_path_headers(&arena);
	status = EXIT_DONE;
	for (int i = 0; i < argc && status == EXIT_DONE; i++)
		if (!ml_workspace_open(&workspace, argv[i], &err))
			status = cmd_fail(&cmd_view, &err);
	for (size_t i = 0; status == EXIT_DONE && (d = ml_workspace_each(&workspace, i));
	     i++)
		if (d->kind->no_views) {
			ml_fail(&err, ML_USAGE, "%s: %s", d->path, d->kind->no_views);
			status = cmd_fail(&cmd_view, &err);
		}
	if (status == EXIT_DONE &&
	    !server_open(&server, &workspace, (uint16_t)o.port, &err))
		status = cmd_fail(&cmd_view, &err);
	if (status == EXIT_DONE) {
		cmd_work_begin(&work);
		say_where(&server);
		cmd_work_wait(&work);
		cmd_work_end(&work);
		ml_workspace_stop(&workspace);
		server_close(&server);
	}
	ml_workspace_close(&workspace);
	ml_arena_release(&arena);
	return status;
}

const struct cmd cmd_view = {
	.name = "view",
	.help = "show traces in the browser, served on loopback only",
	.operands = "TRACE...",
	.min_operands = 1,
	.max_operands = CMD_ANY,
	.opts = opts,
	.run = run,
};
