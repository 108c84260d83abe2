#include "record/runtime/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
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

/* Ours takes three arguments whatever the flags say: the kernel passes them always. */
int sigaction(int signal, const struct sigaction *act, struct sigaction *old)
{
	jumps_find();
	if (!ring.control || signal <= 0 || signal >= SIGNALS)
		return real_sigaction(signal, act, old);
	handler before = here.handler[signal];
	struct sigaction ours, was;

	if (act && is_function(act)) {
		ours = *act;
		here.handler[signal] = act->sa_sigaction;
		ours.sa_sigaction = deliver;
		act = &ours;
	}
	int result = real_sigaction(signal, act, &was);
	if (result) {
		here.handler[signal] = before;
		return result;
	}
	if (is_function(&was) && was.sa_sigaction == deliver)
		was.sa_sigaction = before;
	if (old)
		*old = was;
	return 0;
}

__sighandler_t signal(int number, __sighandler_t wanted)
{
	struct sigaction act = { .sa_handler = wanted, .sa_flags = SA_RESTART }, old;

	return sigaction(number, &act, &old) ? SIG_ERR : old.sa_handler;
}
