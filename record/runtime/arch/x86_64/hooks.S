/*
 * The hooks that compiled code calls before each load and store. This part is linked into
 * each program and library that `memlamp cc` builds, so that the calls are direct; the
 * rest is in the shared library (slot.h).
 *
 * A hook appends two words to the slot of its thread (record/ring.h): its return address
 * with kind and size, and the address of the reference. cur lies in shared memory and is
 * stored last, so the companion can read all references however the program ends. The
 * speed is bounded by cur: each hook waits about five cycles for the cur that the hook
 * before has stored.
 *
 * At each multiple of 4096 a new page begins, and memlamp_page stamps it with the clock
 * and makes room. A thread that is not recorded has a slot whose cur is 0, so a hook
 * costs it one test.
 *
 * Hooks change no argument before their last store, so that the wrapper of a signal
 * handler can make an interrupted hook start again (signals.c). Each hook begins at a
 * multiple of 64 bytes, and only its ret is behind that store.
 */
	.equ	CUR, 24 /* in struct ml_ring; slot.c asserts it */
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

	/* another name of a hook */
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

	/* Entries and returns of functions are reported only if memlamp_calls is 1. */
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

	/*
	 * Copies of small constant size are one instruction of the program, so they are
	 * one reference, wherever they lie. Others go to the shared library in pieces.
	 */
	.macro	range_hook name, one, then
	function \name
	cmpq	$4, %rsi
	je	\one\()4
	cmpq	$8, %rsi
	je	\one\()8
	cmpq	$2, %rsi
	je	\one\()2
	cmpq	$16, %rsi
	je	\one\()16
	cmpq	$1, %rsi
	je	\one\()1
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
	range_hook __tsan_read_range, __tsan_read, memlamp_read_range
	range_hook __tsan_write_range, __tsan_write, memlamp_write_range
	call_hook __tsan_func_entry, memlamp_entered
	call_hook __tsan_func_exit, memlamp_left

	/* Each program and library registers its hooks when it is loaded. */
	.section .text.memlamp_loaded, "ax", @progbits
memlamp_loaded_here:
	leaq	memlamp_hooks(%rip), %rdi
	leaq	memlamp_hooks_end(%rip), %rsi
	jmp	*memlamp_loaded@GOTPCREL(%rip)
	.section .init_array.00001, "aw", @init_array
	.p2align 3
	.quad	memlamp_loaded_here

	/* `memlamp record` recognises programs built by `memlamp cc` by this note. */
	.section .note.memlamp, "a", @note
	.p2align 2
	.long	8, 4, 1
	.asciz	"memlamp"
	.long	1
	.section .note.GNU-stack, "", @progbits
