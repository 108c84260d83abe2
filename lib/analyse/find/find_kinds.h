/*
 * All kinds of findings, each in its own file. docs/findings.md explains what they mean
 * and when they are wrong. Of findings that rank alike the kind that stands first wins.
 * Held by tests/analyse/test_find_kinds.c.
 */
#pragma once

struct ml_finder;

/* clang-format off */
#define ML_FINDERS(EACH) \
	EACH(sharing) \
	EACH(true_sharing) \
	EACH(stride) \
	EACH(padding) \
	EACH(overlap) \
	EACH(fields) \
	EACH(holes) \
	EACH(streaming) \
	EACH(never_read) \
	EACH(tile) \
	EACH(sweep) \
	EACH(fuse) \
	EACH(nodes) \
	EACH(gather) \
	EACH(probes) \
	EACH(cleared) \
	EACH(copies) \
	EACH(unused) \
	EACH(pages) \
	EACH(same_lines) \
	EACH(imbalance) \
	EACH(first_touch) \
	EACH(width)
/* clang-format on */

#define ML_FINDER_OF(name) extern const struct ml_finder ml_find_##name;
ML_FINDERS(ML_FINDER_OF)
#undef ML_FINDER_OF
