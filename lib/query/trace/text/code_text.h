/* Lines of the recorded program as text for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_code_line;
struct ml_source_lines;
struct ml_say;

/* "main.c:12", or what else is known of the line; names are cut to so many characters. */
const char *ml_code_place(struct ml_say *s, const struct ml_code_line *l,
			  size_t file_room, size_t name_room);
/*
 * The source text of a line, or the function that it is in. Before the text stands, in
 * brackets, the library function that made most of the refs references of the line.
 */
const char *ml_code_source(struct ml_say *s, const struct ml_code_line *l, uint64_t refs,
			   struct ml_source_lines *sources, size_t name_room);
