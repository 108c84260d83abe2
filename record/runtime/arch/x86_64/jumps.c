/*
 * Jumps out of signal handlers. If the handler interrupted the runtime, a jump would
 * leave the slot of the thread held for ever, so the slot is released first. Nothing
 * needs repair: an unfinished message is not committed, and signals are blocked while a
 * segment is published.
 */
#include <dlfcn.h>
#include <setjmp.h>

#include "record/runtime/signals.h"
#include "record/runtime/slot.h"

typedef void (*jump)(struct __jmp_buf_tag *, int);

enum { JUMP_SP = 6, MANGLE = 17 };

static struct {
	jump longjmp, _longjmp, siglongjmp, checked;
} here;

void jumps_find(void)
{
	if (here.longjmp)
		return;
	here.checked = (jump)dlsym(RTLD_NEXT, "__longjmp_chk");
	here.siglongjmp = (jump)dlsym(RTLD_NEXT, "siglongjmp");
	here._longjmp = (jump)dlsym(RTLD_NEXT, "_longjmp");
	here.longjmp = (jump)dlsym(RTLD_NEXT, "longjmp");
}

/* The stack pointer of the target of a jump; glibc stores it rotated and masked. */
static uint64_t goes_to(const struct __jmp_buf_tag *to)
{
	uint64_t sp = (uint64_t)to->__jmpbuf[JUMP_SP], mask;

	__asm__("mov %%fs:0x30, %0" : "=r"(mask));
	return (sp >> MANGLE | sp << (64 - MANGLE)) ^ mask;
}

/* A jump within the handler does not leave it. */
static void leave(const struct __jmp_buf_tag *to)
{
	uint64_t sp = self.interrupted_sp ? goes_to(to) : 0;

	jumps_find();
	if (!sp || sp < self.interrupted_sp || (self.stack_high && sp >= self.stack_high))
		return;
	self.interrupted_sp = 0;
	self.depth = 0;
	if (slot_is_held())
		slot_release(self.slot);
}

EXPORT __typeof__(longjmp) longjmp;
EXPORT __typeof__(_longjmp) _longjmp;
EXPORT __typeof__(siglongjmp) siglongjmp;
EXPORT void __longjmp_chk(struct __jmp_buf_tag *to, int value);

void longjmp(jmp_buf to, int value)
{
	leave(to);
	here.longjmp(to, value);
	__builtin_unreachable();
}

void _longjmp(jmp_buf to, int value)
{
	leave(to);
	here._longjmp(to, value);
	__builtin_unreachable();
}

void siglongjmp(sigjmp_buf to, int value)
{
	leave(to);
	here.siglongjmp(to, value);
	__builtin_unreachable();
}

/* The name of the others with -D_FORTIFY_SOURCE. */
void __longjmp_chk(struct __jmp_buf_tag *to, int value)
{
	leave(to);
	here.checked(to, value);
}
