/*
 * The server as a stranger meets it: raw requests over a socket. It answers only to
 * who has the token, under a loopback name, from no other site's page.
 */
#include "serve/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/cache/machine/machine.h"
#include "lib/query/kinds/kinds.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"
#include "lib/query/workspace/workspace.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/trace/text/model.h"
#include "lib/trace/writer.h"
#include "tests/read_text.h"
#include "tests/scratch.h"
#include "tests/test.h"

static struct ml_workspace workspace;
static struct server server;
static char reply[1 << 20];

static void start(void)
{
	static const char text[] = "region A 4096 64 8\nr4096+8*8\n";
	struct ml_machine m;
	struct ml_writer *w;
	struct ml_err err;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(read_text(w, text, strlen(text), "text", &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_machine_parse(&m, "L1 1K 2w", &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	CHECK_OK(server_open(&server, &workspace, 0, &err), &err);
}

static void stop(void)
{
	ml_workspace_stop(&workspace);
	server_close(&server);
	ml_workspace_close(&workspace);
}

/* Sends a request as it is; the status of the answer, whose bytes are in reply. */
static int ask(const char *request)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(server.port) };
	int s = socket(AF_INET, SOCK_STREAM, 0), status = 0;
	size_t size = 0;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_EQ(connect(s, (struct sockaddr *)&to, sizeof(to)), 0);
	CHECK_EQ(send(s, request, strlen(request), MSG_NOSIGNAL),
		 (ssize_t)strlen(request));
	for (ssize_t n; size + 1 < sizeof(reply) &&
			(n = recv(s, reply + size, sizeof(reply) - 1 - size, 0)) > 0;)
		size += (size_t)n;
	reply[size] = 0;
	close(s);
	sscanf(reply, "HTTP/1.1 %d", &status);
	return status;
}

/* GET with a Host and, if they are not NULL, an Origin and a token. */
static int get(const char *path, const char *host, const char *origin, const char *token)
{
	char request[2000];

	snprintf(request, sizeof(request),
		 "GET %s HTTP/1.1\r\nConnection: close\r\n%s%s%s%s%s%s%s%s%s\r\n", path,
		 host ? "Host: " : "", host ? host : "", host ? "\r\n" : "",
		 origin ? "Origin: " : "", origin ? origin : "", origin ? "\r\n" : "",
		 token ? "X-Memlamp-Token: " : "", token ? token : "",
		 token ? "\r\n" : "");
	return ask(request);
}

TEST(the_page_needs_no_token_and_the_answers_do)
{
	start();
	CHECK_EQ(get("/", "127.0.0.1", NULL, NULL), 200);
	CHECK(strstr(reply, "<!doctype html>") || strstr(reply, "<!DOCTYPE html>"));
	CHECK_EQ(get("/api/open", "127.0.0.1", NULL, NULL), 403);
	CHECK_EQ(get("/api/open", "127.0.0.1", NULL, "00000000000000000000000000000000"),
		 403);
	CHECK_EQ(get("/api/open", "127.0.0.1", NULL, ""), 403);
	CHECK_EQ(get("/api/open", "127.0.0.1", NULL, server.token), 200);
	CHECK(strstr(reply, "\"references\":8"));
	char path[100];
	snprintf(path, sizeof(path), "/api/open?token=%s", server.token);
	CHECK_EQ(get(path, "127.0.0.1", NULL, NULL), 200);
	stop();
}

TEST(only_loopback_names_are_answered_to)
{
	static const char *const good[] = { "127.0.0.1:1", "localhost", "localhost:8080",
					    "[::1]:99" };
	static const char *const bad[] = { "evil.example",
					   "127.0.0.1.evil.example",
					   "localhost.evil:80",
					   "127.0.0.1:80@evil",
					   "127.0.0.2",
					   "localhost:",
					   "[::1",
					   "" };

	start();
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		CHECK_EQ(get("/api/open", good[i], NULL, server.token), 200);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK_EQ(get("/api/open", bad[i], NULL, server.token), 403);
		CHECK_EQ(get("/", bad[i], NULL, NULL), 403);
	}
	CHECK(get("/api/open", NULL, NULL, server.token) >= 400);
	stop();
}

TEST(a_page_of_another_site_is_refused)
{
	start();
	CHECK_EQ(get("/api/open", "localhost:5", "http://localhost:5", server.token),
		 200);
	CHECK_EQ(get("/api/open", "localhost:5", "http://localhost:6", server.token),
		 403);
	CHECK_EQ(get("/api/open", "localhost", "https://localhost", server.token), 403);
	CHECK_EQ(get("/api/open", "localhost", "http://evil.example", server.token), 403);
	CHECK_EQ(get("/api/open", "localhost", "null", server.token), 403);
	stop();
}

TEST(a_second_host_or_origin_is_refused)
{
	static const char *const twice[] = {
		"Host: localhost\r\nHost: evil.example\r\n",
		"Host: localhost\r\nHost: localhost\r\n",
		"Host: localhost\r\nhost: evil.example\r\n",
		("Host: localhost\r\nOrigin: http://localhost\r\n"
		 "Origin: http://evil.example\r\n"),
	};
	char request[500];

	start();
	for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		snprintf(request, sizeof(request),
			 "GET /api/open HTTP/1.1\r\nConnection: close\r\n"
			 "%sX-Memlamp-Token: %s\r\n\r\n",
			 twice[i], server.token);
		int status = ask(request);
		CHECK(status == 400 || status == 403);
	}
	stop();
}

TEST(nothing_is_served_that_was_not_opened)
{
	start();
	CHECK_EQ(get("/../../etc/passwd", "localhost", NULL, server.token), 404);
	CHECK_EQ(get("/%2e%2e/%2e%2e/etc/passwd", "localhost", NULL, server.token), 404);
	CHECK_EQ(get("/api/traces/1", "localhost", NULL, server.token), 400);
	CHECK_EQ(get("/api/traces/0/source?file=0", "localhost", NULL, server.token),
		 400);
	CHECK_EQ(get("/api/nothing", "localhost", NULL, server.token), 404);
	CHECK_EQ(get("/api/traces/99999999999999999999", "localhost", NULL, server.token),
		 404);
	CHECK(strstr(reply, "\"kind\":\"usage\""));
	stop();
}

TEST(other_methods_and_bodies_do_no_harm)
{
	char request[500];

	start();
	CHECK_EQ(ask("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		     "Content-Length: 0\r\n\r\n"),
		 405);
	snprintf(request, sizeof(request),
		 "POST /api/open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		 "X-Memlamp-Token: %s\r\nContent-Length: 5\r\n\r\nhello",
		 server.token);
	CHECK_EQ(ask(request), 405);
	CHECK(ask("nonsense\r\n\r\n") != 200);
	stop();
}

TEST(answers_are_not_to_be_kept_or_framed)
{
	start();
	CHECK_EQ(get("/api/open", "localhost", NULL, server.token), 200);
	CHECK(strstr(reply, "Cache-Control: no-store"));
	CHECK(strstr(reply, "X-Content-Type-Options: nosniff"));
	CHECK(strstr(reply, "frame-ancestors 'none'"));
	stop();
}

TEST(two_servers_have_different_tokens)
{
	char first[ADMISSION_TOKEN];

	start();
	memcpy(first, server.token, sizeof(first));
	CHECK_EQ(strlen(first), 32);
	stop();
	start();
	CHECK(strcmp(first, server.token) != 0);
	stop();
}

TEST(events_tell_of_simulations_and_say_bye)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	char request[300];
	size_t size = 0;
	bool stopped = false;

	start();
	snprintf(request, sizeof(request),
		 "POST /api/sims?trace=0&machine=L1+1K+2w HTTP/1.1\r\nHost: localhost\r\n"
		 "Connection: close\r\nX-Memlamp-Token: %s\r\nContent-Length: 0\r\n\r\n",
		 server.token);
	CHECK_EQ(ask(request), 200);
	CHECK(strstr(reply, "\"sim\":0"));
	int s = socket(AF_INET, SOCK_STREAM, 0);
	to.sin_port = htons(server.port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_EQ(connect(s, (struct sockaddr *)&to, sizeof(to)), 0);
	snprintf(request, sizeof(request),
		 "GET /api/events?token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
		 server.token);
	CHECK(send(s, request, strlen(request), 0) > 0);
	for (ssize_t n; (n = recv(s, reply + size, sizeof(reply) - 1 - size, 0)) > 0;) {
		size += (size_t)n;
		reply[size] = 0;
		if (strstr(reply, "\"state\":\"ready\"") && !stopped) {
			stopped = true;
			ml_workspace_stop(&workspace);
		}
		if (strstr(reply, "event: bye"))
			break;
	}
	CHECK(stopped);
	CHECK(strstr(reply, "event: sim\ndata: {\"sim\":0"));
	CHECK(strstr(reply, "event: bye"));
	close(s);
	stop();
}

static void write_model(const char *text)
{
	struct ml_model model;
	struct ml_writer *w;
	struct ml_err err;

	CHECK_OK(ml_model_init(&model, "model", text, strlen(text), &err), &err);
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_model_run(&model, w, &err), &err);
	CHECK_OK(ml_writer_close(w, &err), &err);
	ml_model_release(&model);
}

TEST(who_hangs_up_is_not_worked_for_any_longer)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct ml_machine m;
	struct ml_err err;
	char request[400];
	uint32_t sim;

	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	/* going over all of it takes many times as long as hanging up */
	write_model("sweep 0x10000 64K 8 repeat 100");
	CHECK_OK(ml_machine_parse(&m, "L1 1K 2w", &err), &err);
	ml_workspace_init(&workspace, ml_kinds, ml_common_routes, &m);
	CHECK_OK(ml_workspace_open(&workspace, scratch(), &err), &err);
	CHECK_OK(ml_open_sim_start(&workspace, 0, &m, 0, &sim, &err), &err);
	CHECK_OK(ml_open_sim_finish(&workspace, sim, &err), &err);
	CHECK_OK(server_open(&server, &workspace, 0, &err), &err);
	int s = socket(AF_INET, SOCK_STREAM, 0);
	to.sin_port = htons(server.port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_EQ(connect(s, (struct sockaddr *)&to, sizeof(to)), 0);
	snprintf(request, sizeof(request),
		 "GET /api/sims/0/plane?region=1 HTTP/1.1\r\n"
		 "Host: localhost\r\nX-Memlamp-Token: %s\r\n\r\n",
		 server.token);
	CHECK(send(s, request, strlen(request), 0) > 0);
	while (!server.asked)
		usleep(100);
	close(s);
	while (server.asked)
		usleep(100);
	CHECK_EQ(server.abandoned, 1);
	stop();
}

TEST(connections_without_a_token_keep_nobody_out)
{
	enum { SILENT = 300 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int silent[SILENT];

	start();
	to.sin_port = htons(server.port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < SILENT; i++) {
		silent[i] = socket(AF_INET, SOCK_STREAM, 0);
		CHECK_EQ(connect(silent[i], (struct sockaddr *)&to, sizeof(to)), 0);
		CHECK_EQ(send(silent[i], "GET ", 4, MSG_NOSIGNAL), 4);
	}
	for (int i = 0; i < 5; i++)
		CHECK_EQ(get("/api/open", "127.0.0.1", NULL, server.token), 200);
	for (int i = 0; i < SILENT; i++)
		close(silent[i]);
	stop();
}

/* All connect before the first of them says anything. */
TEST(a_crowd_with_the_token_is_answered_beside_silent_connections)
{
	enum { SILENT = 200, CROWD = 400 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd[SILENT + CROWD];
	char text[256], answer[16];

	start();
	to.sin_port = htons(server.port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < SILENT + CROWD; i++) {
		fd[i] = socket(AF_INET, SOCK_STREAM, 0);
		CHECK(fd[i] >= 0);
		CHECK_EQ(connect(fd[i], (struct sockaddr *)&to, sizeof(to)), 0);
	}
	snprintf(text, sizeof(text),
		 "GET /api/open HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		 "X-Memlamp-Token: %s\r\nConnection: close\r\n\r\n",
		 server.token);
	for (int i = SILENT; i < SILENT + CROWD; i++)
		CHECK_EQ(send(fd[i], text, strlen(text), MSG_NOSIGNAL), strlen(text));
	for (int i = SILENT; i < SILENT + CROWD; i++) {
		CHECK_EQ(recv(fd[i], answer, 12, MSG_WAITALL), 12);
		CHECK(!memcmp(answer, "HTTP/1.1 200", 12));
	}
	for (int i = 0; i < SILENT + CROWD; i++)
		close(fd[i]);
	stop();
}
