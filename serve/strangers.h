/*
 * Connections that have not shown the token. There may be only so many of them; when
 * another one comes, the oldest is closed. So connections that are opened and say nothing
 * keep nobody out: whoever has the token shows it with the first request and is no
 * stranger from then on. A crowd that has the token is a crowd of strangers for a moment,
 * so there is room for hundreds.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { STRANGERS_MAX = 600 };

struct strangers {
	pthread_mutex_t lock;
	int fd[STRANGERS_MAX]; /* sockets, the oldest first */
	size_t count, max;
};

/* At most `max` of them, up to STRANGERS_MAX. */
void strangers_init(struct strangers *s, size_t max);
void strangers_release(struct strangers *s);
/* A connection was accepted. */
void strangers_add(struct strangers *s, int fd);
/* It has shown the token, or is closed; the socket is still open. */
void strangers_remove(struct strangers *s, int fd);
