/*
 * One load between two fenced time stamps. The runtime times accesses of the program with
 * it, and `memlamp sample` calibrates with the same instructions. The fences make the
 * processor finish all earlier loads before the first stamp, and the load before the
 * second. rdtscp names the CPU along with the time.
 *
 * Exactly one source of each program that uses these functions says
 * ML_TIMED_LOAD_DEFINE.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_timed_load {
	uint64_t clock;         /* of the first stamp */
	uint64_t ticks;         /* between the stamps */
	uint32_t before, after; /* TSC_AUX of both: the CPU in the low 12 bits */
};

enum { ML_TIMED_CPU_MASK = 0xfff };

/* A byte is loaded from `at`. False: signals.c has left out the load, which faulted. */
bool ml_timed_load(const void *at, struct ml_timed_load *t);
/* The same without the load: what the measurement itself costs. */
bool ml_timed_empty(const void *at, struct ml_timed_load *t);

/* The instruction that loads, and where to continue instead if it faults. */
extern const uint8_t ml_timed_load_at[], ml_timed_load_faulted[];

#if defined(__x86_64__)
#define ML_TIMED_LOAD_BODY(name, load) \
	"	.p2align 6\n" \
	"	.hidden	" name "\n" \
	"	.globl	" name "\n" \
	"	.type	" name ", @function\n" name ":\n" \
	"	lfence\n" \
	"	rdtscp\n" \
	"	movl	%eax, %r8d\n" \
	"	movl	%edx, %r9d\n" \
	"	movl	%ecx, %r10d\n" \
	"	lfence\n" load "	rdtscp\n" \
	"	lfence\n" \
	"	shlq	$32, %r9\n" \
	"	orq	%r9, %r8\n" \
	"	shlq	$32, %rdx\n" \
	"	orq	%rdx, %rax\n" \
	"	subq	%r8, %rax\n" \
	"	movq	%r8, (%rsi)\n" \
	"	movq	%rax, 8(%rsi)\n" \
	"	movl	%r10d, 16(%rsi)\n" \
	"	movl	%ecx, 20(%rsi)\n" \
	"	movl	$1, %eax\n" \
	"	ret\n"

#define ML_TIMED_LOAD_DEFINE \
	__asm__(".text\n" ML_TIMED_LOAD_BODY( \
		"ml_timed_load", \
		"	.hidden	ml_timed_load_at\n" \
		"	.globl	ml_timed_load_at\n" \
		"ml_timed_load_at:\n" \
		"	movzbl	(%rdi), %eax\n") "	.hidden	ml_timed_load_faulted\n" \
						 "	.globl	ml_timed_load_faulted\n" \
						 "ml_timed_load_faulted:\n" \
						 "	xorl	%eax, %eax\n" \
						 "	ret\n" ML_TIMED_LOAD_BODY( \
							 "ml_timed_empty", ""))
#endif
