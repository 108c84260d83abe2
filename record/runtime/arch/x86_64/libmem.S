/*
 * Functions of libc that work on memory, for programs built by `memlamp cc`: one jump to
 * the function of ranges.c that reports the references. A jump keeps the return address.
 * Assembled once for each FUNCTION, so that a program links only those that it calls and
 * does not define itself.
 */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

	.text
	.p2align 4
	.globl	FUNCTION
	.hidden	FUNCTION
	.type	FUNCTION, @function
FUNCTION:
	jmp	*PASTE(memlamp_, FUNCTION)@GOTPCREL(%rip)
	.size	FUNCTION, . - FUNCTION
	.section .note.GNU-stack, "", @progbits
