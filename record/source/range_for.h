/*
 * for (auto &v : comp): in the loop v is an element of comp, and a person looks for comp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/source/lvalue.h"

struct ml_sources;

/*
 * If the text declares the variable of that name in the head of such a loop: the lvalue
 * that is walked, with [] behind it. False: it does not. Comments must be blanked.
 */
bool ml_range_for_parse(char walked[ML_LVALUE_MAX], const char *text, size_t size,
			const char *variable);

/* Replaces the first word of a name, a variable that is declared in a line of a file. */
void ml_range_for_rename(char name[ML_LVALUE_MAX], struct ml_sources *sources,
			 const char *path, uint32_t line);
