#include "record/runtime/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "record/runtime/slot.h"

enum { MODULES = 512, HOOK_BYTES = 64, RET = 0xc3, SIGNALS = 65 };

typedef void (*handler)(int, siginfo_t *, void *);

static struct {
	struct module {
		uint64_t low, high;
	} module[MODULES];
	unsigned modules;
	handler handler[SIGNALS]; /* the program's own, while ours stands for it */
	int flags[SIGNALS];       /* that the program asked for with it */
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

/* Those that the processor raises for what the thread does itself. */
#define FAULTS \
	(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) | \
	 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1))

/*
 * A fault cannot wait. Signals from SIGRTMIN on keep an order among each other, which one
 * that is sent again could lose. Of SA_RESETHAND's the kernel has forgotten the handler.
 */
static bool can_wait(int signal, const siginfo_t *info)
{
	bool fault = FAULTS >> (signal - 1) & 1 && info->si_code > 0;

	return signal < __SIGRTMIN && !fault && !self.deferred.waits &&
	       !(here.flags[signal] & (int)SA_RESETHAND);
}

/* It comes again when the slot is let go, and no other until then. */
static void defer(const siginfo_t *info, ucontext_t *context)
{
	uint64_t blocked = ~FAULTS;

	self.deferred.info = *info;
	memcpy(&self.deferred.mask, &context->uc_sigmask, sizeof(blocked));
	memcpy(&context->uc_sigmask, &blocked, sizeof(blocked));
	self.deferred.waits = true;
}

/*
 * A hook that was interrupted before its last store has told nothing yet, and would
 * write over what the handler tells: let it start from its beginning afterwards.
 */
static void deliver(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t ip = (uint64_t)regs[REG_RIP];

	uint64_t cut = self.cut;

	if (self.slot && memlamp_slot != self.slot) {
		if (can_wait(signal, info)) {
			defer(info, context);
			return;
		}
		self.missed = true;
		self.cut = cut ? cut : (uint64_t)regs[REG_RSP];
	} else if (in_hook(ip) && *(const uint8_t *)ip != RET) {
		regs[REG_RIP] = (greg_t)(ip & ~(uint64_t)(HOOK_BYTES - 1));
	}
	if (self.depth && !self.cut)
		self.cut = (uint64_t)regs[REG_RSP];
	here.handler[signal](signal, info, context);
	self.cut = cut;
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

/* Ours wants to be told all, whatever the flags say; the program's finds what it asked
 * for among the arguments. */
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
