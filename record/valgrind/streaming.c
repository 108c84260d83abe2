/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/streaming.h"

/* An opcode of the map 0F; with every prefix that is legal it is a streaming store. */
static Bool is_opcode(UChar opcode, Bool vex)
{
	return opcode == 0x2b ||         /* movntps, movntpd */
	       opcode == 0xe7 ||         /* movntq, movntdq */
	       opcode == 0xf7 ||         /* maskmovq, maskmovdqu */
	       (opcode == 0xc3 && !vex); /* movnti */
}

/* Intel's manual, volume 2, chapter 2: prefixes, REX, escape; VEX of 2 and 3 bytes. */
Bool streaming_is(const UChar *code, UInt length)
{
	UInt i = 0;

	while (i < length &&
	       (code[i] == 0x66 || code[i] == 0x67 || code[i] == 0xf2 ||
		code[i] == 0xf3 || code[i] == 0x2e || code[i] == 0x36 ||
		code[i] == 0x3e || code[i] == 0x26 || code[i] == 0x64 || code[i] == 0x65))
		i++;
	if (i + 2 < length && code[i] == 0xc5)
		return is_opcode(code[i + 2], True);
	if (i + 3 < length && code[i] == 0xc4)
		return (code[i + 1] & 0x1f) == 1 && is_opcode(code[i + 3], True);
	if (i < length && (code[i] & 0xf0) == 0x40)
		i++;
	return i + 1 < length && code[i] == 0x0f && is_opcode(code[i + 1], False);
}
