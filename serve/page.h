/* The page and its assets, built from web/ and put into the program (cmake/web.cmake). */
#pragma once

#include <stddef.h>

struct page_file {
	const char *path; /* "/", "/app.js" */
	const char *type; /* of the content */
	const unsigned char *data;
	size_t size;
};

extern const struct page_file page_files[]; /* ends with a zero one */
