/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wrappers of the program's allocators, loaded into the program. The allocators are
 * wrapped and not replaced, so blocks have the addresses that they have without memlamp.
 *
 * The references of a wrapper itself are not recorded (see instrument.c).
 */
#include <stddef.h>

#include "valgrind.h"

#define HEAP_REQUESTS_ONLY
#include "record/valgrind/heap.h"

#define TELL(request, a, b) \
	VALGRIND_DO_CLIENT_REQUEST_STMT(request, (size_t)(a), (size_t)(b), 0, 0, 0)

/* The wrapper itself must send the request: the stack is read from its caller on. */
#define WRAPPER(library, function) I_WRAP_SONAME_FNNAME_ZU(library, function)

#define WRAP_MALLOC(library) \
	void *WRAPPER(library, malloc)(size_t size); \
	void *WRAPPER(library, malloc)(size_t size) \
	{ \
		OrigFn original; \
		void *block; \
\
		VALGRIND_GET_ORIG_FN(original); \
		CALL_FN_W_W(block, original, size); \
		if (block) \
			TELL(HEAP_ALLOC, block, size); \
		return block; \
	}

#define WRAP_CALLOC(library) \
	void *WRAPPER(library, calloc)(size_t count, size_t size); \
	void *WRAPPER(library, calloc)(size_t count, size_t size) \
	{ \
		size_t bytes = count * size; \
		OrigFn original; \
		void *block; \
\
		VALGRIND_GET_ORIG_FN(original); \
		TELL(HEAP_BEGIN, 0, 0); \
		CALL_FN_W_WW(block, original, count, size); \
		TELL(HEAP_END, block, bytes); \
		return block; \
	}

#define WRAP_FREE(library, function) \
	void WRAPPER(library, function)(void *block); \
	void WRAPPER(library, function)(void *block) \
	{ \
		OrigFn original; \
\
		VALGRIND_GET_ORIG_FN(original); \
		if (block) \
			TELL(HEAP_FREE, block, 0); \
		CALL_FN_v_W(original, block); \
	}

#define WRAP_REALLOC(library) \
	void *WRAPPER(library, realloc)(void *old, size_t size); \
	void *WRAPPER(library, realloc)(void *old, size_t size) \
	{ \
		OrigFn original; \
		void *block; \
\
		VALGRIND_GET_ORIG_FN(original); \
		TELL(HEAP_BEGIN, old, 0); \
		CALL_FN_W_WW(block, original, old, size); \
		TELL(HEAP_END, block, size); \
		return block; \
	}

#define WRAP_REALLOCARRAY(library) \
	void *WRAPPER(library, reallocarray)(void *old, size_t count, size_t size); \
	void *WRAPPER(library, reallocarray)(void *old, size_t count, size_t size) \
	{ \
		size_t bytes = count * size; \
		OrigFn original; \
		void *block; \
\
		VALGRIND_GET_ORIG_FN(original); \
		TELL(HEAP_BEGIN, old, 0); \
		CALL_FN_W_WWW(block, original, old, count, size); \
		TELL(HEAP_END, block, bytes); \
		return block; \
	}

#define WRAP_ALIGNED(library, function) \
	void *WRAPPER(library, function)(size_t alignment, size_t size); \
	void *WRAPPER(library, function)(size_t alignment, size_t size) \
	{ \
		OrigFn original; \
		void *block; \
\
		VALGRIND_GET_ORIG_FN(original); \
		TELL(HEAP_BEGIN, 0, 0); \
		CALL_FN_W_WW(block, original, alignment, size); \
		TELL(HEAP_END, block, size); \
		return block; \
	}

#define WRAP_POSIX_MEMALIGN(library) \
	int WRAPPER(library, posix_memalign)(void **block, size_t alignment, \
					     size_t size); \
	int WRAPPER(library, posix_memalign)(void **block, size_t alignment, \
					     size_t size) \
	{ \
		OrigFn original; \
		int error; \
\
		VALGRIND_GET_ORIG_FN(original); \
		TELL(HEAP_BEGIN, 0, 0); \
		CALL_FN_W_WWW(error, original, block, alignment, size); \
		TELL(HEAP_END, error ? NULL : *block, size); \
		return error; \
	}

#define WRAP_PAGES(library, function) \
	void *WRAPPER(library, function)(size_t size); \
	void *WRAPPER(library, function)(size_t size) \
	{ \
		OrigFn original; \
		void *block; \
\
		VALGRIND_GET_ORIG_FN(original); \
		TELL(HEAP_BEGIN, 0, 0); \
		CALL_FN_W_W(block, original, size); \
		TELL(HEAP_END, block, size); \
		return block; \
	}

#define WRAP_ALL(library) \
	WRAP_MALLOC(library) \
	WRAP_CALLOC(library) \
	WRAP_FREE(library, free) \
	WRAP_FREE(library, cfree) \
	WRAP_REALLOC(library) \
	WRAP_REALLOCARRAY(library) \
	WRAP_ALIGNED(library, memalign) \
	WRAP_ALIGNED(library, aligned_alloc) \
	WRAP_POSIX_MEMALIGN(library) \
	WRAP_PAGES(library, valloc) \
	WRAP_PAGES(library, pvalloc)

WRAP_ALL(libcZdsoZa)      /* libc.so* */
WRAP_ALL(NONE)            /* the program itself */
WRAP_ALL(VgSoSynsomalloc) /* any library that exports an allocator, as jemalloc does */
