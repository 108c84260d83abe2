#include "serve/events.h"

#include <microhttpd.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/query/workspace/workspace.h"

enum { PAUSE_MS = 100, ALIVE_MS = 15000 };

/* One listening page: what it was told last, and the bytes that are not yet sent. */
struct stream {
	struct ml_workspace *workspace;
	uint64_t changes; /* of the workspace, as told */
	uint64_t *told;   /* of each job: the version that was sent */
	size_t cap;
	struct ml_buf out;
	size_t sent;
	bool bye;
};

static void say(struct ml_buf *out, const char *text)
{
	ml_buf_put(out, text, strlen(text));
}

static void tell(struct stream *s)
{
	size_t count = ml_workspace_job_count(s->workspace);

	s->told = ml_grow(s->told, &s->cap, count + 1, sizeof(*s->told));
	for (size_t i = 0; i < count; i++) {
		uint64_t version;
		const char *event = ml_workspace_job_event(s->workspace, i, &version);

		if (version == s->told[i])
			continue;
		s->told[i] = version;
		say(&s->out, "event: ");
		say(&s->out, event);
		say(&s->out, "\ndata: ");
		ml_workspace_job_json(s->workspace, i, &s->out);
		say(&s->out, "\n\n");
	}
}

/* Blocks the connection's own thread until there is something to say. */
static ssize_t more(void *arg, uint64_t position, char *bytes, size_t room)
{
	struct stream *s = arg;

	(void)position;
	while (s->sent == s->out.size) {
		if (s->bye)
			return MHD_CONTENT_READER_END_OF_STREAM;
		s->out.size = s->sent = 0;
		uint64_t changes = ml_workspace_wait(s->workspace, s->changes, ALIVE_MS);
		if (ml_stopped(&s->workspace->stop)) {
			say(&s->out, "event: bye\ndata: {}\n\n");
			s->bye = true;
		} else if (changes == s->changes)
			say(&s->out, ": alive\n\n");
		else {
			s->changes = changes;
			tell(s);
			usleep(PAUSE_MS * 1000);
		}
	}
	size_t n = s->out.size - s->sent < room ? s->out.size - s->sent : room;
	memcpy(bytes, s->out.data + s->sent, n);
	s->sent += n;
	return (ssize_t)n;
}

static void end(void *arg)
{
	struct stream *s = arg;

	ml_buf_release(&s->out);
	ml_free(s->told);
	ml_free(s);
}

struct MHD_Response *events_response(struct ml_workspace *workspace)
{
	struct stream *s = ml_resize(NULL, sizeof(*s));

	*s = (struct stream){ .workspace = workspace };
	say(&s->out, "retry: 1000\n\n");
	tell(s);
	struct MHD_Response *r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN,
								   16384, more, s, end);
	MHD_add_response_header(r, "Content-Type", "text/event-stream");
	return r;
}
