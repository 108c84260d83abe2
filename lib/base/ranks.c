#include "lib/base/ranks.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/buf.h"

bool ml_ranks_many(void)
{
	/* Open MPI; MPICH, Intel MPI and srun with PMI */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL };

	for (size_t i = 0; names[i]; i++) {
		const char *count = getenv(names[i]);

		if (count && atoi(count) > 1)
			return true;
	}
	return false;
}

bool ml_ranks_start(struct ml_ranks *r, const char *path, struct ml_err *err)
{
	*r = (struct ml_ranks){ .count = 1 };
	if (!path)
		return true;
	/* RTLD_GLOBAL: the plugins of MPI itself need its symbols */
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		return ml_fail(err, ML_IO, "cannot load the MPI plugin: %s", dlerror());
	r->plugin = dlsym(library, "ml_ranks_plugin");
	if (!r->plugin)
		return ml_fail(err, ML_FORMAT, "%s: not an MPI plugin of memlamp", path);
	return r->plugin->start(&r->rank, &r->count) ||
	       ml_fail(err, ML_IO, "MPI cannot be started");
}

void ml_ranks_end(struct ml_ranks *r)
{
	if (r->plugin)
		r->plugin->end();
	r->plugin = NULL;
}

void ml_ranks_tell(struct ml_ranks *r, struct ml_buf *bytes)
{
	uint64_t size = bytes->size;

	if (!r->plugin)
		return;
	r->plugin->tell(&size, sizeof(size));
	if (r->rank) {
		bytes->size = 0;
		ml_buf_reserve(bytes, size);
		bytes->size = size;
	}
	r->plugin->tell(bytes->data, size);
}

bool ml_ranks_gather(struct ml_ranks *r, const struct ml_buf *bytes,
		     bool (*take)(void *arg, int rank, const void *data, size_t size,
				  struct ml_err *err),
		     void *arg, struct ml_err *err)
{
	struct ml_buf part = { 0 };
	uint64_t size = bytes->size;
	bool ok = true;

	if (r->rank) {
		r->plugin->hand_in(&size, sizeof(size));
		r->plugin->hand_in(bytes->data, size);
	}
	for (int i = 1; !r->rank && i < r->count; i++) {
		r->plugin->take(i, &size, sizeof(size));
		part.size = 0;
		ml_buf_reserve(&part, size);
		r->plugin->take(i, part.data, size);
		ok = ok && take(arg, i, part.data, size, err);
	}
	ml_buf_release(&part);
	return ok;
}
