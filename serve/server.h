/*
 * HTTP on loopback: the page, the routes of all kinds of documents, and a stream of
 * events that tells how far jobs are. One thread a connection, so a slow answer delays no
 * other. When a client hangs up, as a page that aborts a request does, the work on its
 * answer ends within milliseconds.
 * Held by tests/serve/test_server.c.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "serve/answer_cache.h"
#include "serve/admission.h"
#include "serve/strangers.h"

struct ml_workspace;

struct server {
	struct ml_workspace *workspace;
	char token[ADMISSION_TOKEN];
	uint16_t port;
	struct MHD_Daemon *daemon;
	struct answer_cache answers;
	struct strangers strangers;
	atomic_uint asked;     /* requests that are being answered */
	atomic_uint abandoned; /* requests given up because the client hung up */
};

/* Port 0 is any free one; the workspace must outlive the server. */
bool server_open(struct server *s, struct ml_workspace *workspace, uint16_t port,
		 struct ml_err *err);
/* Ends all connections; the workspace must be stopping (workspace->stop) so that streams
 * end. */
void server_close(struct server *s);
