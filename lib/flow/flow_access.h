/*
 * An access of a computation: which elements of which container, read or written. Part of
 * flow.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_sym;

enum { ML_FLOW_DIMS = 12 };

/* The elements of a dimension that an access touches, from and to included. */
struct ml_flow_range {
	const struct ml_sym *from, *to, *step;
};

/* x = x OP value, whose value does not come from x and whose result nothing else uses: any
 * order of such updates with one operator computes the same. */
enum ml_flow_update {
	ML_FLOW_NO_UPDATE,
	ML_FLOW_SUM, /* and differences */
	ML_FLOW_PRODUCT,
	ML_FLOW_BITS_AND,
	ML_FLOW_BITS_OR,
	ML_FLOW_BITS_XOR,
	ML_FLOW_MINIMUM,
	ML_FLOW_MAXIMUM,
};

struct ml_flow_access {
	uint32_t container;
	bool write;
	bool single;           /* one element: from equals to everywhere */
	uint32_t line, column; /* in the source; 0: not known */
	/* Places by dimension of the container; dims 0: `linear` has the place. */
	uint32_t dims;
	struct ml_flow_range range[ML_FLOW_DIMS];
	const struct ml_sym *linear; /* elements from the container's first */
	uint32_t field, size;        /* bytes inside the element; size 0: all of it */
	bool bounded;          /* not each of these elements is certain to be accessed */
	const char *connector; /* its name in the code of the node; NULL: none */
	/* This access is the read or the write of such an update. */
	enum ml_flow_update update;
	bool rounds; /* the update is of floating point: another order rounds otherwise */
};
