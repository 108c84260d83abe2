#include "record/runtime/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "record/runtime/slot.h"
#include "record/arch/timed_load.h"

enum { MODULES = 512, HOOK_BYTES = 64, RET = 0xc3, SIGNALS = 65 };

typedef void (*handler)(int, siginfo_t *, void *);

static struct {
	struct module {
		uint64_t low, high;
	} module[MODULES];
	unsigned modules;
	handler handler[SIGNALS]; /* the program's own handlers, which deliver() wraps */
	int flags[SIGNALS];       /* that the program gave with them */
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
} here;

void signals_hooks(uint64_t low, uint64_t high)
{
	unsigned n = __atomic_fetch_add(&here.modules, 1, __ATOMIC_RELAXED);

	if (n < MODULES)
		here.module[n] = (struct module){ low, high };
}

static bool in_hook(uint64_t ip)
{
	unsigned n = here.modules < MODULES ? here.modules : MODULES;

	for (unsigned i = 0; i < n; i++)
		if (ip >= here.module[i].low && ip < here.module[i].high)
			return true;
	return false;
}

/* Signals that the processor raises for an instruction of the thread. */
#define FAULTS \
	(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) | \
	 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

/*
 * A fault cannot be deferred. Real-time signals (from SIGRTMIN on) are ordered, and a
 * signal that is sent again could lose its place. With SA_RESETHAND the kernel has
 * removed the handler already.
 */
static bool can_defer(int signal, const siginfo_t *info)
{
	bool fault = FAULTS >> (signal - 1) & 1 && info->si_code > 0;

	return signal < __SIGRTMIN && !fault && !self.deferred.pending &&
	       !(here.flags[signal] & (int)SA_RESETHAND);
}

/* slot_release sends the signal again; all others are blocked until then. */
static void defer(const siginfo_t *info, ucontext_t *context)
{
	uint64_t blocked = ~FAULTS;

	self.deferred.info = *info;
	memcpy(&self.deferred.mask, &context->uc_sigmask, sizeof(blocked));
	memcpy(&context->uc_sigmask, &blocked, sizeof(blocked));
	self.deferred.pending = true;
}

/*
 * A hook that was interrupted before its last store has reported nothing yet, and would
 * overwrite the references of the handler. It starts again from its beginning afterwards.
 */
static void deliver(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t ip = (uint64_t)regs[REG_RIP];
	uint64_t before = self.interrupted_sp;

	if (ip == (uint64_t)ml_timed_load_at && FAULTS >> (signal - 1) & 1 &&
	    info->si_code > 0) {
		/* the program's own access faults next, with all its registers */
		regs[REG_RIP] = (greg_t)ml_timed_load_faulted;
		return;
	}

	if (slot_is_held()) {
		if (can_defer(signal, info)) {
			defer(info, context);
			return;
		}
		self.missed = true;
		self.interrupted_sp = before ? before : (uint64_t)regs[REG_RSP];
	} else if (in_hook(ip) && *(const uint8_t *)ip != RET) {
		regs[REG_RIP] = (greg_t)(ip & ~(uint64_t)(HOOK_BYTES - 1));
	}
	if (self.depth && !self.interrupted_sp)
		self.interrupted_sp = (uint64_t)regs[REG_RSP];
	here.handler[signal](signal, info, context);
	self.interrupted_sp = before;
}

EXPORT int sigaction(int signal, const struct sigaction *act, struct sigaction *old);
EXPORT __sighandler_t signal(int signal, __sighandler_t wanted);

static int real_sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
	if (!here.sigaction)
		here.sigaction = (int (*)(int, const struct sigaction *,
					  struct sigaction *))dlsym(RTLD_NEXT,
								    "sigaction");
	return here.sigaction(signal, act, old);
}

static bool is_function(const struct sigaction *act)
{
	return act->sa_flags & SA_SIGINFO ||
	       (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN);
}

/* Our handler always needs SA_SIGINFO. A handler of the program without that flag ignores
 * the further arguments. */
int sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
	jumps_find();
	if (!ring.control || signal <= 0 || signal >= SIGNALS)
		return real_sigaction(signal, act, old);
	handler before = here.handler[signal];
	int flags_before = here.flags[signal];
	struct sigaction ours, was;

	if (act && is_function(act)) {
		ours = *act;
		here.handler[signal] = act->sa_sigaction;
		here.flags[signal] = act->sa_flags;
		ours.sa_sigaction = deliver;
		ours.sa_flags |= SA_SIGINFO;
		act = &ours;
	}
	int result = real_sigaction(signal, act, &was);
	if (result) {
		here.handler[signal] = before;
		here.flags[signal] = flags_before;
		return result;
	}
	if (is_function(&was) && was.sa_sigaction == deliver) {
		was.sa_sigaction = before;
		was.sa_flags = flags_before;
	}
	if (old)
		*old = was;
	return 0;
}

__sighandler_t signal(int number, __sighandler_t wanted)
{
	struct sigaction act = { .sa_handler = wanted, .sa_flags = SA_RESTART }, old;

	return sigaction(number, &act, &old) ? SIG_ERR : old.sa_handler;
}
