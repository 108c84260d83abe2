/*
 * Functions of libc that work on memory, as programs built by `memlamp cc` call them: one
 * jump to what tells of it (ranges.c), which leaves the place of the call as it is. Built
 * once for each FUNCTION, so that a program takes in those that it calls and has none of
 * its own for.
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
