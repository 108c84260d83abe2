/*
 * What the compiler calls before each load and store. This part is linked into each
 * program and library that `memlamp cc` builds, so that the calls are direct; all else is
 * in the shared library (slot.h).
 *
 * A hook appends two words to the slot of its thread: where it was called from with what
 * happens there, and the address. The slot's cur lies in shared memory and moves last, so
 * whatever ends the program, all that was told is there to be read. What bounds the speed
 * is that each hook has to wait for the cur that the one before has stored, about five
 * cycles.
 *
 * At each multiple of 4096 a new page begins and memlamp_page has a look at the clock and
 * at the room. A thread that is not recorded has a slot whose cur is 0, so it costs one
 * test and no more.
 *
 * Hooks change no argument before their last store, so that a signal handler that finds
 * one interrupted can let it start anew (signals.c): they are 64 bytes apart, and only
 * their ret is behind that store.
 */
	.equ	CUR, 24 /* of struct ml_ring; slot.c holds it against the header */
	.equ	PAGE, 4096

	.macro	function name
	.p2align 6
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.endm

	/* code: enum ml_ref_kind << 4 | log2 of the size */
	.macro	hook name, code
	function \name
	movq	memlamp_slot@gottpoff(%rip), %rax
	movq	%fs:(%rax), %rax
	movq	CUR(%rax), %rcx
	testl	$(PAGE - 1), %ecx
	jz	1f
	movq	(%rsp), %rdx
	movq	%rdi, 8(%rcx)
	movq	%rdx, (%rcx)
	movw	$\code, 6(%rcx)
	addq	$16, %rcx
	movq	%rcx, CUR(%rax)
	ret
	.pushsection .text.memlamp_page, "ax", @progbits
1:	testq	%rcx, %rcx
	jz	2f
	movl	$\code, %esi
	jmp	*memlamp_page@GOTPCREL(%rip)
2:	ret
	.popsection
	.size	\name, . - \name
	.endm

	/* the same for one that other names stand for too */
	.macro	also name, as
	.globl	\name
	.hidden	\name
	.set	\name, \as
	.endm

	.macro	hooks size, code
	hook	__tsan_read\size, (0x10 + \code)
	also	__tsan_unaligned_read\size, __tsan_read\size
	also	__tsan_volatile_read\size, __tsan_read\size
	also	__tsan_unaligned_volatile_read\size, __tsan_read\size
	hook	__tsan_write\size, (0x20 + \code)
	also	__tsan_unaligned_write\size, __tsan_write\size
	also	__tsan_volatile_write\size, __tsan_write\size
	also	__tsan_unaligned_volatile_write\size, __tsan_write\size
	hook	__tsan_read_write\size, (0x30 + \code)
	also	__tsan_unaligned_read_write\size, __tsan_read_write\size
	.endm

	/* Entries and returns of functions are told only if somebody wants to know. */
	.macro	call_hook name, then
	function \name
	movq	memlamp_calls@GOTPCREL(%rip), %rax
	cmpl	$0, (%rax)
	jne	1f
	ret
1:	leaq	8(%rsp), %rdi
	jmp	*\then@GOTPCREL(%rip)
	.size	\name, . - \name
	.endm

	.text
	.p2align 6
memlamp_hooks:
	hooks	1, 0
	hooks	2, 1
	hooks	4, 2
	hooks	8, 3
	hooks	16, 4
	.p2align 6
memlamp_hooks_end:
	call_hook __tsan_func_entry, memlamp_entered
	call_hook __tsan_func_exit, memlamp_left

	/* The runtime is told of each program and library when it is loaded. */
	.section .text.memlamp_loaded, "ax", @progbits
memlamp_loaded_here:
	leaq	memlamp_hooks(%rip), %rdi
	leaq	memlamp_hooks_end(%rip), %rsi
	jmp	*memlamp_loaded@GOTPCREL(%rip)
	.section .init_array.00001, "aw", @init_array
	.p2align 3
	.quad	memlamp_loaded_here

	/* By this `memlamp record` knows a program that tells of itself. */
	.section .note.memlamp, "a", @note
	.p2align 2
	.long	8, 4, 1
	.asciz	"memlamp"
	.long	1
	.section .note.GNU-stack, "", @progbits
