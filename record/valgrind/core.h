/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of Valgrind's core that libcoregrind exports but whose headers are
 * not installed. They have had these signatures since 3.11.
 */
#pragma once

#include "pub_tool_basics.h"

extern SysRes VG_(do_syscall)(UWord number, RegWord a1, RegWord a2, RegWord a3,
			      RegWord a4, RegWord a5, RegWord a6, RegWord a7, RegWord a8);

/* Moves a file descriptor out of the range that the program uses. */
extern Int VG_(safe_fd)(Int fd);

/* Maps a file into Valgrind's own memory, apart from the program's. */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
						      Off64T offset);
/* Maps a file into the memory of the program; finds an address for that. */
extern SysRes VG_(am_mmap_file_fixed_client)(Addr start, SizeT length, UInt prot, Int fd,
					     Off64T offset);
extern Addr VG_(am_get_advisory_client_simple)(Addr start, SizeT length, Bool *ok);
/* mmap without the address space manager: for replacing a mapping that it knows. */
extern SysRes VG_(am_do_mmap_NO_NOTIFY)(Addr start, SizeT length, UInt prot, UInt flags,
					UInt fd, Off64T offset);

/* Discards generated code; generated code must not call it. */
extern void VG_(discard_translations)(Addr start, ULong range, const HChar *who);
