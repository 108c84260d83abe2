/* What requests about samples have in common: the table, a selection, a pre-selection. */
#pragma once

#include "lib/query/samples/open_samples.h"
#include "lib/query/samples/sample_tables.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/workspace/request.h"

struct ml_sample_request {
	struct ml_open_samples *x;
	struct ml_open_table *table;
	const struct ml_samples *s; /* of the table */
	struct ml_sample_question q;
	bool has_also;            /* the request has a pre-selection: */
	struct ml_selection also; /* selected rows that the pointer is on */
	const struct ml_request *request;
	struct ml_taken_bins taken;
};

bool ml_sample_request_read(struct ml_sample_request *r, struct ml_workspace *ws,
			    const struct ml_request *q, struct ml_answer *a,
			    struct ml_err *err);
/* Gives back what the request took. Call it also after a failure. */
void ml_sample_request_end(struct ml_sample_request *r);

/* The column that a word names, by its heading, its role or its number from 0. */
bool ml_sample_request_word(const struct ml_sample_request *r, const char *word,
			    size_t size, size_t *column, struct ml_err *err);
/* The column that a parameter names. */
bool ml_sample_request_column(const struct ml_sample_request *r, const char *key,
			      size_t *column, struct ml_err *err);
/* Whether the parameter `log` lists a column that can have growing bins. */
bool ml_sample_request_log(const struct ml_sample_request *r, size_t column);
/* Its bins, as many as the parameter `bins` says, growing if `log` lists it. */
const struct ml_bins *ml_sample_request_bins(struct ml_sample_request *r, size_t column,
					     struct ml_err *err);

/*
 * Conditions as texts that ml_selection_parse reads: "latency 10..20". A value that is
 * missing has one too if the column holds numbers; NULL: there is none.
 */
const char *ml_sample_condition(const struct ml_samples *s, size_t column, uint64_t value,
				bool missing, struct ml_arena *a);
