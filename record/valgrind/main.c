/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memlamp's Valgrind tool: life cycle, options, signals and system calls. The tool writes
 * the references of the program into a slot of a ring (record/ring.h). Reading order:
 * out.h (the producer's end of the ring), shape.h (the references of a superblock),
 * instrument.h, then threads.h, maps.h, heap.h, requests.h, system.h (messages).
 */
#include "pub_tool_basics.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"

#include "record/valgrind/core.h"
#include "record/valgrind/has_hooks.h"
#include "record/valgrind/heap.h"
#include "record/valgrind/instrument.h"
#include "record/valgrind/load.h"
#include "record/valgrind/maps.h"
#include "record/valgrind/out.h"
#include "record/valgrind/requests.h"
#include "record/valgrind/strings.h"
#include "record/valgrind/system.h"
#include "record/valgrind/threads.h"
#include "record/valgrind/values.h"

enum {
	KILLED = 128,        /* exit status of a process killed by signal n: 128 + n */
	MAP_STACK = 0x20000, /* a flag of mmap that Valgrind's headers lack */
	COMMAND_MAX = 4000,  /* longer command lines are omitted */
};

static struct {
	const HChar *ring;
	Bool exited; /* by a system call, with this status */
	UInt status;
} self;

static Bool option(const HChar *arg)
{
	return VG_STR_CLO(arg, "--ring", self.ring);
}

static void usage(void)
{
	VG_(printf)
	("    --ring=PATH  the ring of `memlamp record` [none: discard all]\n");
}

static void debug_usage(void)
{
	VG_(printf)("    (none)\n");
}

static Bool is_fault(Int signal)
{
	return signal == VKI_SIGSEGV || signal == VKI_SIGBUS || signal == VKI_SIGFPE ||
	       signal == VKI_SIGILL || signal == VKI_SIGTRAP;
}

/* A fault cut the step short, so cur does not include the step. */
static void lost_step(void)
{
	uint64_t *w = out_begin(ML_WORD_LOST, ML_LOST_FAULT, 1);

	w[0] = 0;
	out_end(w + 1);
}

static void deliver_signal(ThreadId tid, Int signal, Bool alternate_stack)
{
	if (is_fault(signal) && !out_is_off())
		lost_step();
}

enum {
	OTHER = -1,
	CONTENDED = 2, /* the value of a mutex of glibc for which threads wait */
};

/*
 * Does this call of futex wait or wake? Mutexes do not count: which thread is first
 * depends on the schedule. A barrier that happens to wait at the value of a mutex is
 * missed.
 */
static Int futex_kind(const UWord *args)
{
	switch (args[1] & ~(UWord)(VKI_FUTEX_PRIVATE_FLAG | VKI_FUTEX_CLOCK_REALTIME)) {
	case VKI_FUTEX_WAIT: return (UInt)args[2] == CONTENDED ? OTHER : ML_SYNC_WAIT;
	case VKI_FUTEX_WAIT_BITSET: return ML_SYNC_WAIT;
	case VKI_FUTEX_WAKE:
	case VKI_FUTEX_WAKE_BITSET:
	case VKI_FUTEX_WAKE_OP:
	case VKI_FUTEX_REQUEUE:
	case VKI_FUTEX_CMP_REQUEUE: return ML_SYNC_WAKE;
	default: return OTHER;
	}
}

/* A futex is how threads of Linux wait for each other. */
static void before_futex(ThreadId tid, const UWord *args)
{
	Int kind = futex_kind(args);

	if (kind != OTHER)
		threads_sync(tid, (enum ml_sync)kind, args[0]);
}

static void after_futex(ThreadId tid, const UWord *args)
{
	if (futex_kind(args) == ML_SYNC_WAIT)
		threads_sync(tid, ML_SYNC_WOKEN, args[0]);
}

static void before_syscall(ThreadId tid, UInt number, UWord *args, UInt count)
{
	system_call(number, args);
	switch (number) {
	case __NR_exit: /* of one thread */
		if (threads_alive() > 1)
			break;
		/* fall through */
	case __NR_exit_group:
		self.exited = True;
		self.status = (UInt)args[0] & 0xff;
		break;
	case __NR_execve:
	case __NR_execveat:
		if (!out_is_off())
			out_end(out_begin(ML_WORD_EXEC, 0, 0));
		break;
	case __NR_futex: before_futex(tid, args); break;
	default: break;
	}
}

/*
 * Only a handler of failing memory accesses sees whether registers are up to date at each
 * access. As long as the program has no such handler, the tool lets Valgrind keep them
 * out of date, which is faster. Once there is a handler all registers must be exact: it
 * may repair the fault and go on with the access. This applies to code of files only: for
 * generated code `memlamp record` asks for exact registers from the start.
 */
static void allow_stale_registers(void)
{
	VG_(clo_px_file_backed) = VexRegUpdSpAtMemAccess;
}

static void require_exact_registers(void)
{
	if (VG_(clo_px_file_backed) != VexRegUpdSpAtMemAccess)
		return;
	VG_(clo_px_file_backed) = VexRegUpdAllregsAtMemAccess;
	instrument_discard();
}

static Bool is_handler(const struct vki_sigaction_base *action)
{
	return action && action->ksa_handler != VKI_SIG_DFL &&
	       action->ksa_handler != VKI_SIG_IGN;
}

static void after_syscall(ThreadId tid, UInt number, UWord *args, UInt count,
			  SysRes result)
{
	HChar name[16];

	if (number == __NR_futex)
		after_futex(tid, args);
	if (sr_isError(result))
		return;
	if (number == __NR_rt_sigaction && is_fault((Int)args[0]) &&
	    is_handler((const struct vki_sigaction_base *)args[1]))
		require_exact_registers();
	/* stacks of threads are reported with the threads */
	if (number == __NR_mmap && args[3] & VKI_MAP_ANONYMOUS && !(args[3] & MAP_STACK))
		heap_mapped(tid, sr_Res(result), args[1]);
	if (number != __NR_prctl || args[0] != VKI_PR_SET_NAME)
		return;
	VG_(strncpy)(name, (const HChar *)args[1], sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	threads_name(tid, name);
}

/*
 * Reports the command line: the process may be gone, or be another program, before the
 * companion can look. Over-long command lines are omitted, not truncated.
 */
static void report_command(void)
{
	HChar text[COMMAND_MAX];
	XArray *args = VG_(args_for_client);
	UInt n = VG_(snprintf)(text, sizeof(text), "%s", VG_(args_the_exename));
	uint64_t *w;

	for (Word i = 0; i < VG_(sizeXA)(args) && n < sizeof(text); i++)
		n += VG_(snprintf)(text + n, (Int)(sizeof(text) - n), " %s",
				   *(HChar **)VG_(indexXA)(args, i));
	if (n + 1 >= sizeof(text))
		return;
	w = out_begin(ML_WORD_ABOUT, 0, out_text_words(text));
	out_end(out_text(w, text));
}

static void before_fork(ThreadId tid)
{
	out_before_fork();
}

static void fork_child(ThreadId tid)
{
	out_fork();
	report_command();
	threads_fork(tid);
	maps_all();
	heap_fork();
	out_inherit();
	/*
	 * Shapes are declared when code is generated. Generating the code again declares
	 * to the new slot only the shapes that the child needs; most children only exec.
	 */
	instrument_restart();
}

static void close_slot(UInt status)
{
	if (!out_is_off() && out_options() & ML_RING_OPT_VALUES)
		values_report();
	if (!out_is_off())
		out_end(out_begin(ML_WORD_EXIT, status, 0));
	out_close();
}

/* The core passes no status. Without an exit, VG_(kill_self) comes next. */
static void finish(Int always_zero)
{
	if (self.exited)
		close_slot(self.status);
}

/* The core calls these instead of its own functions, by --wrap in build.sh. */
extern void __real_vgPlain_kill_self(Int signal);
extern void __wrap_vgPlain_kill_self(Int signal);
extern void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
extern Bool __real_vgPlain_should_we_trace_this_child(const HChar *, const HChar **);
extern Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *, const HChar **);

/*
 * The companion reads debug information, the tool needs none. Not reading it saves time
 * at each start and avoids failures: Valgrind 3.19 complains about the DWARF 5 of clang,
 * and sometimes aborts on it.
 */
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

/* Valgrind cannot run set-user-ID programs, and the tool knows no 32-bit code. */
static Bool is_recordable(const HChar *path)
{
	HChar head[5] = "";
	struct vg_stat st;
	Int fd;

	if (sr_isError(VG_(stat)(path, &st)))
		return True; /* the kernel will report why the file cannot be run */
	if (st.mode & (VKI_S_ISUID | VKI_S_ISGID))
		return False;
	fd = VG_(fd_open)(path, VKI_O_RDONLY, 0);
	if (fd < 0)
		return True;
	VG_(read)(fd, head, sizeof(head));
	VG_(close)(fd);
	return VG_(memcmp)(head, "\177ELF\1", sizeof(head)) != 0;
}

/*
 * A program that was built by `memlamp cc` records itself, by the ring that the
 * environment names, and runs without Valgrind. A program that cannot be recorded does so
 * too.
 */
Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *path, const HChar **argv)
{
	if (!__real_vgPlain_should_we_trace_this_child(path, argv))
		return False;
	if (path && !(out_options() & ML_RING_OPT_VALGRIND) && has_hooks(path))
		return False;
	if (!path || is_recordable(path))
		return True;
	if (!out_is_off())
		out_end(out_begin(ML_WORD_EXEC, 1, 0));
	return False;
}

void __wrap_vgPlain_kill_self(Int signal)
{
	if (is_fault(signal) && !out_is_off())
		lost_step();
	close_slot(KILLED + (UInt)signal);
	__real_vgPlain_kill_self(signal);
}

static void begin(void)
{
	if (!out_open(self.ring))
		VG_(exit)(1);
	allow_stale_registers();
	report_command();
	if (!(out_options() & ML_RING_OPT_NO_HEAP))
		load_wrappers();
	threads_init();
	heap_init();
	values_init();
	strings_init();
	VG_(atfork)(before_fork, NULL, fork_child);
}

static void describe(void)
{
	VG_(details_name)("memlamp");
	VG_(details_version)(NULL);
	VG_(details_description)("records memory references");
	VG_(details_copyright_author)("GPL-2.0-or-later, by the authors of memlamp.");
	VG_(details_bug_reports_to)("the authors of memlamp");
	VG_(details_avg_translation_sizeB)(400);

	VG_(basic_tool_funcs)(begin, instrument, finish);
	VG_(needs_command_line_options)(option, usage, debug_usage);
	VG_(needs_client_requests)(requests_handle);
	VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
	VG_(track_pre_deliver_signal)(deliver_signal);
	threads_track();
	maps_track();
}

VG_DETERMINE_INTERFACE_VERSION(describe)
