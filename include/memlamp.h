/* SPDX-License-Identifier: MIT */
/*
 * memlamp.h - tell memlamp about regions, phases and states of your program
 *
 * Include this header anywhere; nothing has to be linked. A program that is not
 * being recorded spends a few instructions on each of these macros. The header
 * needs C99 or C++98. The macros work on Linux for x86-64 and in programs built by
 * `memlamp cc`; elsewhere, and where MEMLAMP_OFF is defined before the header is
 * included, they do nothing.
 *
 *	#include "memlamp.h"
 *
 *	double *grid = malloc(rows * cols * sizeof(*grid));
 *	MEMLAMP_REGION(grid, rows * cols * sizeof(*grid), sizeof(*grid), "grid",
 *		       rows, cols);
 *	for (int t = 0; t < steps; t++) {
 *		MEMLAMP_STATE("t", t);
 *		MEMLAMP_BEGIN("sweep");
 *		sweep(grid);
 *		MEMLAMP_END("sweep");
 *	}
 *
 * Names have up to 255 bytes and are copied at once. All macros are statements, may
 * be used from any thread, and never fail.
 *
 * MEMLAMP_REGION(ptr, bytes, elem, name, rows, cols)
 *	From now on the memory from ptr on is the region `name`: an array of
 *	elements of elem bytes each, rows x cols of them with the columns side by
 *	side. Give 0 for elem, rows or cols where there are none. The region hides
 *	what memlamp found out by itself about this memory, and replaces a region
 *	at the same ptr.
 *
 * MEMLAMP_UNREGION(ptr)
 *	Ends the region that was registered at ptr. Freeing the memory does not.
 *
 * MEMLAMP_BEGIN(name), MEMLAMP_END(name)
 *	The phase `name` of the program begins or ends. Phases may be nested and
 *	repeated. `memlamp record --from-mark` and --to-mark refer to them.
 *
 * MEMLAMP_MARK(name)
 *	Names a point in time.
 *
 * MEMLAMP_STATE(name, value)
 *	The state variable `name` has this value (a long) until it gets another.
 *	Each reference recorded meanwhile carries the value. Good for iteration
 *	counters and sizes.
 *
 * MEMLAMP_STOP(), MEMLAMP_START()
 *	References between these two are left out of the trace. The trace shows the
 *	gap and its length.
 */
#ifndef MEMLAMP_H
#define MEMLAMP_H

enum {
	MEMLAMP_REQUEST_REGION = 0x4d4c0000, /* 'M' 'L' 0 0 */
	MEMLAMP_REQUEST_UNREGION,
	MEMLAMP_REQUEST_MARK,
	MEMLAMP_REQUEST_BEGIN,
	MEMLAMP_REQUEST_END,
	MEMLAMP_REQUEST_STATE,
	MEMLAMP_REQUEST_START,
	MEMLAMP_REQUEST_STOP
};

/* The argument of a request. The recorders know this layout; it may only grow. */
struct memlamp_call {
	unsigned long request;
	const void *address;
	unsigned long bytes, elem;
	const char *name;
	unsigned long rows, cols;
	long value;
};

#if defined(__ELF__) && defined(__GNUC__) && !defined(MEMLAMP_OFF)

#ifdef __cplusplus
extern "C" {
#endif

/* Defined in programs built by `memlamp cc`; in all others its address is null. */
extern void memlamp_request(const struct memlamp_call *call) __attribute__((weak));

/* The references of memlamp_tell itself are not recorded. */
#if defined(__clang__) || __GNUC__ >= 5
#define MEMLAMP_UNSEEN_ __attribute__((no_sanitize_thread))
#else
#define MEMLAMP_UNSEEN_
#endif

static __inline__ __attribute__((unused)) MEMLAMP_UNSEEN_ void
memlamp_tell(unsigned long request, const void *address, unsigned long bytes,
	     unsigned long elem, const char *name, unsigned long rows, unsigned long cols,
	     long value)
{
	struct memlamp_call call;

	call.request = request;
	call.address = address;
	call.bytes = bytes;
	call.elem = elem;
	call.name = name;
	call.rows = rows;
	call.cols = cols;
	call.value = value;
#if defined(__x86_64__) && defined(__linux__) && defined(__LP64__)
	{
		unsigned long result = 0;

		/* Four rotations that cancel out: Valgrind takes them for a request. */
		__asm__ __volatile__("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
				     "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
				     "xchgq %%rbx, %%rbx"
				     : "+d"(result)
				     : "a"(&call)
				     : "cc", "memory");
	}
#endif
	if (memlamp_request)
		memlamp_request(&call);
}

#ifdef __cplusplus
}
#endif

#define MEMLAMP_CALL_(request, address, bytes, elem, name, rows, cols, value) \
	memlamp_tell(request, address, bytes, elem, name, rows, cols, value)

#else

#define MEMLAMP_CALL_(request, address, bytes, elem, name, rows, cols, value) ((void)0)

#endif

/* Casts numbers of any integer type, so that no warning flag complains. */
#ifdef __cplusplus
#define MEMLAMP_CAST_(type, n) static_cast<type>(n)
#else
#define MEMLAMP_CAST_(type, n) ((type)(n))
#endif
#define MEMLAMP_COUNT_(n) MEMLAMP_CAST_(unsigned long, n)

#define MEMLAMP_REGION(ptr, bytes, elem, name, rows, cols) \
	MEMLAMP_CALL_(MEMLAMP_REQUEST_REGION, ptr, MEMLAMP_COUNT_(bytes), \
		      MEMLAMP_COUNT_(elem), name, MEMLAMP_COUNT_(rows), \
		      MEMLAMP_COUNT_(cols), 0)
#define MEMLAMP_UNREGION(ptr) \
	MEMLAMP_CALL_(MEMLAMP_REQUEST_UNREGION, ptr, 0, 0, "", 0, 0, 0)
#define MEMLAMP_MARK(name)  MEMLAMP_CALL_(MEMLAMP_REQUEST_MARK, 0, 0, 0, name, 0, 0, 0)
#define MEMLAMP_BEGIN(name) MEMLAMP_CALL_(MEMLAMP_REQUEST_BEGIN, 0, 0, 0, name, 0, 0, 0)
#define MEMLAMP_END(name)   MEMLAMP_CALL_(MEMLAMP_REQUEST_END, 0, 0, 0, name, 0, 0, 0)
#define MEMLAMP_STATE(name, value) \
	MEMLAMP_CALL_(MEMLAMP_REQUEST_STATE, 0, 0, 0, name, 0, 0, \
		      MEMLAMP_CAST_(long, value))
#define MEMLAMP_START() MEMLAMP_CALL_(MEMLAMP_REQUEST_START, 0, 0, 0, "", 0, 0, 0)
#define MEMLAMP_STOP()  MEMLAMP_CALL_(MEMLAMP_REQUEST_STOP, 0, 0, 0, "", 0, 0, 0)

#endif
