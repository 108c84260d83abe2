#include "cli/output_name.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/path.h"

/* What starts the ranks of a job tells each its number and their count. */
static const struct launcher {
	const char *rank, *count;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, /* Open MPI */
	{ "PMI_RANK", "PMI_SIZE" },                         /* MPICH, Intel MPI */
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },   /* MVAPICH */
	{ "SLURM_PROCID", "SLURM_NTASKS" },                 /* srun */
};

/* The rank as text, NULL outside of a job; *many: there are others. */
static const char *rank_of_job(bool *many)
{
	*many = false;
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const char *rank = getenv(launchers[i].rank),
			   *count = getenv(launchers[i].count);

		/* only digits: it becomes a part of a path */
		if (!rank || !*rank || rank[strspn(rank, "0123456789")])
			continue;
		*many = count && atoi(count) > 1;
		return rank;
	}
	return NULL;
}

static bool put_host(struct ml_buf *b, struct ml_err *err)
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) || strchr(host, '/'))
		return ml_fail(err, ML_IO, "%%h: this host has no name");
	ml_buf_text(b, host);
	return true;
}

static bool expand(const char *pattern, const char *rank, struct ml_buf *b,
		   struct ml_err *err)
{
	for (const char *p = pattern; *p; p++) {
		if (*p != '%') {
			ml_buf_u8(b, (uint8_t)*p);
			continue;
		}
		switch (*++p) {
		case '%': ml_buf_u8(b, '%'); break;
		case 'p': ml_buf_printf(b, "%ld", (long)getpid()); break;
		case 'r':
			if (!rank)
				return ml_fail(
					err, ML_USAGE,
					"%s: %%r is the rank of an MPI job, and this "
					"process is in none",
					pattern);
			ml_buf_text(b, rank);
			break;
		case 'h':
			if (!put_host(b, err))
				return false;
			break;
		default:
			return ml_fail(err, ML_USAGE,
				       "%s: a name may have %%p, %%r, %%h and %%%%",
				       pattern);
		}
	}
	return true;
}

bool cmd_output_name(const char *pattern, const char *program, struct ml_arena *a,
		     const char **name, struct ml_err *err)
{
	static const char suffix[] = ".mlt";
	bool many;
	const char *rank = rank_of_job(&many);
	struct ml_buf b = { 0 };

	if (!pattern)
		ml_buf_printf(&b, "%s%s", ml_path_name(program), suffix);
	else if (!expand(pattern, rank, &b, err)) {
		ml_buf_release(&b);
		return false;
	}
	*name = ml_arena_copy(a, (const char *)b.data, b.size);
	ml_buf_release(&b);
	if (!many || (pattern && (strstr(pattern, "%p") || strstr(pattern, "%r"))))
		return true;
	size_t size = strlen(*name), end = strlen(suffix);
	bool has = size > end && !strcmp(*name + size - end, suffix);
	*name = ml_arena_printf(a, "%.*s.%s%s", (int)(has ? size - end : size), *name,
				rank, has ? suffix : "");
	return true;
}
