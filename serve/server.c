#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"
#include "serve/events.h"
#include "serve/page.h"

enum {
	CONNECTIONS = 1000, /* of which a part may be without the token */
	OTHER_FILES = 128,  /* that traces and their sources take */
	MIN_CONNECTIONS = 64,
	STRANGER_SECONDS =
		10,         /* that a connection may be idle before it shows the token */
	IDLE_SECONDS = 600, /* and afterwards */
	LONG_MS = 50,
};

/* As many connections as the limit of open files allows, which is raised first. */
static unsigned connection_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return MIN_CONNECTIONS;
	if (files.rlim_cur < CONNECTIONS + OTHER_FILES &&
	    files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max < 4 * CONNECTIONS ? files.rlim_max
								  : 4 * CONNECTIONS;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= CONNECTIONS + OTHER_FILES)
		return CONNECTIONS;
	return files.rlim_cur > MIN_CONNECTIONS + OTHER_FILES
		       ? (unsigned)files.rlim_cur - OTHER_FILES
		       : MIN_CONNECTIONS;
}

static unsigned status_of(const struct ml_err *err)
{
	switch (err->kind) {
	case ML_OK: return 500;
	case ML_USAGE: return 400;
	case ML_STOPPED: return 410;
	case ML_FORMAT:
	case ML_IO: break;
	}
	return 500;
}

static const char *kind_of(const struct ml_err *err)
{
	static const char *const kinds[] = {
		[ML_OK] = "ok", [ML_USAGE] = "usage",     [ML_FORMAT] = "format",
		[ML_IO] = "io", [ML_STOPPED] = "stopped",
	};

	return kinds[err->kind];
}

/* Browsers must not store answers, show the page in a frame, or load anything from
 * elsewhere. */
static enum MHD_Result queue(struct MHD_Connection *c, unsigned status,
			     struct MHD_Response *r)
{
	static const char *const headers[][2] = {
		{ "Cache-Control", "no-store" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Content-Security-Policy",
		  "default-src 'self'; img-src 'self' data: blob:; style-src 'self' "
		  "'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'" },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	enum MHD_Result result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result send_bytes(struct MHD_Connection *c, unsigned status,
				  const char *type, const void *bytes, size_t size)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);

	MHD_add_response_header(r, "Content-Type", type);
	return queue(c, status, r);
}

static enum MHD_Result send_error(struct MHD_Connection *c, unsigned status,
				  const struct ml_err *err)
{
	struct ml_buf out = { 0 };
	struct ml_json w = { .out = &out };

	ml_json_object(&w);
	ml_json_key_object(&w, "error");
	ml_json_key_string(&w, "kind", kind_of(err));
	ml_json_key_string(&w, "text", err->text);
	ml_json_end(&w);
	ml_json_end(&w);
	enum MHD_Result r = send_bytes(c, status, "application/json", out.data, out.size);
	ml_buf_release(&out);
	return r;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct ml_err err;

	ml_fail(&err, ML_USAGE, "%s", text);
	return send_error(c, status, &err);
}

static enum MHD_Result add_param(void *arg, enum MHD_ValueKind kind, const char *key,
				 const char *value)
{
	struct ml_request *q = arg;

	(void)kind;
	if (q->count == ML_REQUEST_PARAMS)
		return MHD_NO;
	q->params[q->count++] = (struct ml_param){ key, value ? value : "" };
	return MHD_YES;
}

static int socket_of(struct MHD_Connection *c)
{
	return MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void connection_changes(void *arg, struct MHD_Connection *c, void **memo,
			       enum MHD_ConnectionNotificationCode what)
{
	struct server *s = arg;

	(void)memo;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		strangers_add(&s->strangers, socket_of(c));
	else
		strangers_remove(&s->strangers, socket_of(c));
}

/* Whether the other end of a connection has hung up. */
static bool hung_up(void *arg)
{
	struct pollfd fd = { *(const int *)arg, POLLRDHUP, 0 };

	return poll(&fd, 1, 0) > 0 && fd.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* The bytes of the answer, which are kept when they took long. */
static bool work_out(struct server *s, const struct ml_route *route,
		     const struct ml_request *q, struct ml_answer *a, struct ml_buf *out,
		     struct ml_err *err)
{
	uint64_t start = ml_now();

	if (!ml_request_check(route, s->workspace, q, err))
		return false;
	bool keep = route->lasts && route->lasts(s->workspace, q);
	if (keep && answer_cache_find(&s->answers, q, &a->kind, out))
		return true;
	if (!ml_request_answer(route, s->workspace, q, a, err))
		return false;
	ml_answer_write(a, out);
	if (keep && ml_now() - start >= LONG_MS * ML_MS)
		answer_cache_keep(&s->answers, q, a->kind, out);
	return true;
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *c,
			      const char *path, const char *method)
{
	struct ml_request q = { .method = method, .path = path };
	struct ml_answer a;
	struct ml_err err = { 0 };
	struct ml_buf out = { 0 };
	bool exists;

	int fd = socket_of(c);

	q.work = (struct ml_work){ .cancelled = hung_up, .arg = &fd };
	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, add_param, &q);
	const struct ml_route *route = ml_workspace_route(s->workspace, &q, &exists);
	if (!route)
		return exists ? refuse(c, 405, "that is asked in another way")
			      : refuse(c, 404, "there is no such question");
	ml_answer_init(&a);
	s->asked++;
	bool ok = work_out(s, route, &q, &a, &out, &err);
	s->abandoned += !ok && err.kind == ML_STOPPED && hung_up(&fd);
	s->asked--;
	enum MHD_Result r = ok ? send_bytes(c, 200, ml_answer_type(&a), out.data,
					    out.size)
			       : send_error(c, status_of(&err), &err);
	ml_buf_release(&out);
	ml_answer_release(&a);
	return r;
}

static enum MHD_Result send_page(struct MHD_Connection *c, const char *path)
{
	for (const struct page_file *f = page_files; f->path; f++)
		if (!strcmp(f->path, path))
			return send_bytes(c, 200, f->type, f->data, f->size);
	return refuse(c, 404, "there is no such page");
}

static enum MHD_Result count_header(void *arg, enum MHD_ValueKind kind, const char *key,
				    const char *value)
{
	unsigned *count = arg;

	(void)kind;
	(void)value;
	count[0] += !strcasecmp(key, MHD_HTTP_HEADER_HOST);
	count[1] += !strcasecmp(key, MHD_HTTP_HEADER_ORIGIN);
	return MHD_YES;
}

/* A second Host or Origin may be the one that some proxy or browser meant. */
static bool is_own(struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_HOST);
	const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ORIGIN);
	unsigned count[2] = { 0, 0 };

	MHD_get_connection_values(c, MHD_HEADER_KIND, count_header, count);
	return count[0] == 1 && count[1] <= 1 && admission_host(host) &&
	       admission_origin(origin, host);
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *c, const char *path,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **memo)
{
	static const int seen = 1;
	struct server *s = arg;

	(void)version;
	(void)body;
	if (!*memo) { /* the headers alone: the body, if any, comes with later calls */
		*memo = (void *)(uintptr_t)&seen;
		return MHD_YES;
	}
	if (*body_size) { /* no question has one */
		*body_size = 0;
		return MHD_YES;
	}
	if (!is_own(c))
		return refuse(c, 403, "this server answers to its own page on loopback");
	if (strncmp(path, "/api/", 5) != 0)
		return strcmp(method, "GET") ? refuse(c, 405, "pages are read with GET")
					     : send_page(c, path);
	const char *token = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
							"X-Memlamp-Token");
	if (!token)
		token = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token");
	if (!admission_token(s->token, token))
		return refuse(c, 403,
			      "the token is missing or wrong: open the address "
			      "that memlamp view printed");
	strangers_remove(&s->strangers, socket_of(c));
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT,
				  (unsigned)IDLE_SECONDS);
	if (!strcmp(path, "/api/events") && !strcmp(method, "GET"))
		return queue(c, 200, events_response(s->workspace));
	return answer(s, c, path, method);
}

bool server_open(struct server *s, struct ml_workspace *workspace, uint16_t port,
		 struct ml_err *err)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };

	*s = (struct server){ .workspace = workspace };
	answer_cache_init(&s->answers);
	unsigned limit = connection_limit();
	strangers_init(&s->strangers, limit * 6 / 10); /* the others have the token */
	if (!admission_make_token(s->token, err))
		return false;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->daemon = MHD_start_daemon(
		MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
			MHD_USE_POLL, /* select() ends at 1,024 files */
		port, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
		MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)STRANGER_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
		connection_changes, s, MHD_OPTION_END);
	if (!s->daemon)
		return ml_fail_errno(err, "cannot listen on 127.0.0.1:%u", port);
	s->port = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	return true;
}

void server_close(struct server *s)
{
	MHD_stop_daemon(s->daemon);
	answer_cache_release(&s->answers);
	strangers_release(&s->strangers);
}
