/*
 * Writing a result file (result.h) is a pass of a replay. The file appears under its name
 * only when it is complete.
 *
 *	ml_result_describe(&info, trace, &options, &arena);
 *	if (!ml_result_writer_open(&w, path, &info, err))
 *		return false;
 *	struct ml_pass passes[] = { ml_profiler_pass(x), ml_result_writer_pass(w) };
 *	bool ok = ml_replay_run(r, passes, 2, err);
 *	ml_profiler_close(x, r);
 *	if (!ok)
 *		ml_result_writer_abandon(w);
 *	return ok && ml_result_writer_close(w, &profile, err);
 */
#pragma once

#include <stdbool.h>

struct ml_err;
struct ml_pass;
struct ml_profile;
struct ml_result_info;
struct ml_result_writer;

/* Creates a file that gets the name path when the writer is closed. */
bool ml_result_writer_open(struct ml_result_writer **w, const char *path,
			   const struct ml_result_info *info, struct ml_err *err);
struct ml_pass ml_result_writer_pass(struct ml_result_writer *w);
/* Writes the rest and frees w, also on failure; then no file is left. */
bool ml_result_writer_close(struct ml_result_writer *w, const struct ml_profile *p,
			    struct ml_err *err);
void ml_result_writer_abandon(struct ml_result_writer *w);
