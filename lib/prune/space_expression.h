/* Expressions in the text of a search space. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_space_reader;

/* Reads an expression from the token on; leaves the first token behind it. */
bool ml_space_expression(struct ml_space_reader *r, uint32_t *node);
