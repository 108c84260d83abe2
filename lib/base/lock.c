#include "lib/base/lock.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/map.h"

/* The name of the socket: the hash of the file's folder without links, and of its name.
 */
static socklen_t name_of(const char *path, struct sockaddr_un *name)
{
	char folder[PATH_MAX], real[PATH_MAX], whole[2 * PATH_MAX + 2];
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	if (!realpath(folder, real))
		snprintf(real, sizeof(real), "%s", folder);
	snprintf(whole, sizeof(whole), "%s/%s", real, last);
	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* the first byte is 0: an abstract name */
	int size = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1,
			    "memlamp-%u-%016llx", geteuid(),
			    (unsigned long long)ml_hash(whole, strlen(whole)));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

/* Is the process that has the name one of this user? Others cannot keep us from writing.
 */
static bool is_ours(const struct sockaddr_un *name, socklen_t size)
{
	/* a queue of those that ask may be full: nobody waits for that */
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred peer = { 0 };
	socklen_t room = sizeof(peer);
	bool ours = fd >= 0 && !connect(fd, (const struct sockaddr *)name, size) &&
		    !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &room) &&
		    peer.uid == geteuid();

	if (fd >= 0)
		close(fd);
	return ours;
}

bool ml_lock_take(struct ml_lock *l, const char *path, struct ml_err *err)
{
	struct sockaddr_un name;
	struct stat st;

	l->fd = -1;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return true;
	socklen_t size = name_of(path, &name);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return true;
	if (!bind(l->fd, (const struct sockaddr *)&name, size) &&
	    !listen(l->fd, SOMAXCONN))
		return true;
	bool taken = errno == EADDRINUSE && is_ours(&name, size);
	ml_lock_release(l);
	return !taken ||
	       ml_fail(err, ML_IO, "%s: another memlamp is writing this file", path);
}

void ml_lock_release(struct ml_lock *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
