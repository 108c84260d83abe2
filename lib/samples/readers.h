/* The readers behind read_samples.h. */
#pragma once

#include "lib/samples/read_options.h"
#include "lib/samples/samples.h"

struct ml_work;

/* The text of a file. */
struct ml_read_text {
	const char *name; /* for messages */
	const char *at, *end;
};

bool ml_read_csv(struct ml_samples *s, struct ml_read_text t,
		 const struct ml_read_options *o, const struct ml_work *work,
		 struct ml_err *err);
bool ml_read_csv_is(const char *text, size_t size);
bool ml_read_perf_script(struct ml_samples *s, struct ml_read_text t,
			 const struct ml_work *work, struct ml_err *err);
bool ml_read_perf_script_is(const char *text, size_t size);
bool ml_read_perf_mem(struct ml_samples *s, struct ml_read_text t,
		      const struct ml_work *work, struct ml_err *err);
bool ml_read_perf_mem_is(const char *text, size_t size);

/* Adds what is derived from other columns: the level, misses of the TLB, and the latency
 * of AMD IBS. The columns are packed. */
bool ml_read_derive(struct ml_samples *s, const struct ml_read_options *o,
		    struct ml_err *err);
