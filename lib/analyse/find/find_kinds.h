/*
 * All kinds of findings, each in its own file. docs/findings.md explains what they mean
 * and when they are wrong.
 */
#pragma once

struct ml_finder;

extern const struct ml_finder ml_find_same_lines, ml_find_imbalance, ml_find_first_touch,
	ml_find_sharing, ml_find_true_sharing, ml_find_stride, ml_find_padding,
	ml_find_overlap, ml_find_fields, ml_find_holes, ml_find_width, ml_find_streaming,
	ml_find_never_read, ml_find_tile, ml_find_sweep, ml_find_fuse, ml_find_nodes,
	ml_find_gather, ml_find_probes, ml_find_cleared, ml_find_copies, ml_find_unused,
	ml_find_pages;
