#include "serve/strangers.h"

#include <string.h>
#include <sys/socket.h>

void strangers_init(struct strangers *s, size_t max)
{
	*s = (struct strangers){ .max = max < STRANGERS_MAX ? max : STRANGERS_MAX };
	pthread_mutex_init(&s->lock, NULL);
}

void strangers_release(struct strangers *s)
{
	pthread_mutex_destroy(&s->lock);
}

static void drop(struct strangers *s, size_t i)
{
	s->count--;
	memmove(s->fd + i, s->fd + i + 1, (s->count - i) * sizeof(*s->fd));
}

void strangers_add(struct strangers *s, int fd)
{
	pthread_mutex_lock(&s->lock);
	if (s->count == s->max) {
		shutdown(s->fd[0], SHUT_RDWR); /* the server then closes it */
		drop(s, 0);
	}
	s->fd[s->count++] = fd;
	pthread_mutex_unlock(&s->lock);
}

void strangers_remove(struct strangers *s, int fd)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->count; i++)
		if (s->fd[i] == fd) {
			drop(s, i);
			break;
		}
	pthread_mutex_unlock(&s->lock);
}
