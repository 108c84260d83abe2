/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/valgrind/system.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "record/valgrind/out.h"

enum { READS, WRITES, MAX_PARTS = 1024 };

static void report(UInt what, Addr at, SizeT size)
{
	uint64_t *w;

	if (!size)
		return;
	w = out_begin(ML_WORD_SYSTEM, what, 2);
	w[0] = at;
	w[1] = size;
	out_end(w + 2);
}

static void report_parts(UInt what, Addr at, SizeT count)
{
	const struct vki_iovec *part = (const struct vki_iovec *)at;

	if (count > MAX_PARTS ||
	    !VG_(am_is_valid_for_client)(at, count * sizeof(*part), VKI_PROT_READ))
		return;
	for (SizeT i = 0; i < count; i++)
		report(what, (Addr)part[i].iov_base, part[i].iov_len);
}

static void report_message(UInt what, Addr at)
{
	const struct vki_msghdr *m = (const struct vki_msghdr *)at;

	if (VG_(am_is_valid_for_client)(at, sizeof(*m), VKI_PROT_READ))
		report_parts(what, (Addr)m->msg_iov, m->msg_iovlen);
}

/* The calls that move data of any size between the program and files or sockets. */
void system_call(UInt number, const UWord *args)
{
	if (out_is_off())
		return;
	switch (number) {
	case __NR_write:
	case __NR_pwrite64:
	case __NR_sendto: report(READS, args[1], args[2]); break;
	case __NR_read:
	case __NR_pread64:
	case __NR_recvfrom: report(WRITES, args[1], args[2]); break;
	case __NR_writev:
	case __NR_pwritev:
	case __NR_vmsplice: report_parts(READS, args[1], args[2]); break;
	case __NR_readv:
	case __NR_preadv: report_parts(WRITES, args[1], args[2]); break;
	case __NR_sendmsg: report_message(READS, args[1]); break;
	case __NR_recvmsg: report_message(WRITES, args[1]); break;
	default: break;
	}
}
