/*
 * Building a flow, for front ends. Pointers to what is added are valid until the next of the
 * same kind is added.
 */
#pragma once

#include "lib/flow/flow.h"

struct ml_flow *ml_flow_new(const char *path);
uint32_t ml_flow_add_symbol(struct ml_flow *f, const char *name,
			    enum ml_flow_symbol_kind kind);
uint32_t ml_flow_add_container(struct ml_flow *f, const struct ml_flow_container *c);
uint32_t ml_flow_add_node(struct ml_flow *f, uint32_t parent, enum ml_flow_kind kind,
			  const char *label);
struct ml_flow_access *ml_flow_add_access(struct ml_flow *f, uint32_t node,
					  uint32_t container, bool write);
/* Notes are kept once each, and only the first hundred. */
void ml_flow_add_note(struct ml_flow *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Strides of rows one after another (the last dimension is contiguous), from the shape. */
void ml_flow_row_major(struct ml_flow *f, struct ml_flow_container *c);
