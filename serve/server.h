/*
 * HTTP on loopback: the page, the questions of lib/query/workspace/request.h, and a
 * stream of events that tells how far long work is. One thread a connection, so a slow
 * answer delays nobody else. Who hangs up (a page that aborts a request does) ends the
 * work on its answer within milliseconds.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "serve/answers.h"
#include "serve/guard.h"

struct ml_workspace;

struct server {
	struct ml_workspace *workspace;
	char token[GUARD_TOKEN];
	uint16_t port;
	struct MHD_Daemon *daemon;
	struct answers answers;
	atomic_uint asked;     /* questions that are being answered */
	atomic_uint abandoned; /* that were given up, for nobody waited any more */
};

/* Port 0 is any free one; the workspace must outlive the server. */
bool server_open(struct server *s, struct ml_workspace *workspace, uint16_t port,
		 struct ml_err *err);
/* Ends all connections; the workspace must be stopping (workspace->stop) so that streams
 * end. */
void server_close(struct server *s);
