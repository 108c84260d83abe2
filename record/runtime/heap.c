/*
 * Reports the blocks of the program's allocator. Each call is passed on to the allocator
 * that the program has without memlamp, so blocks keep their addresses.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/runtime/process.h"
#include "record/runtime/slot.h"

enum { EARLY_BYTES = 16384, ALIGN = 16 };

/* dlsym may allocate before the allocator is known: it gets this memory, which is never
 * freed. */
static struct {
	_Alignas(ALIGN) char early[EARLY_BYTES];
	size_t used;
	int finding;
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
} here;

static void *early(size_t size)
{
	size_t bytes = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	size_t at = __atomic_fetch_add(&here.used, bytes, __ATOMIC_RELAXED);

	return at + bytes <= EARLY_BYTES ? here.early + at : NULL;
}

static bool is_early(const void *block)
{
	return (const char *)block >= here.early &&
	       (const char *)block < here.early + EARLY_BYTES;
}

static void find_allocator(void)
{
	if (__atomic_exchange_n(&here.finding, 1, __ATOMIC_ACQUIRE))
		return; /* dlsym itself is allocating */
	here.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	here.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	here.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	__atomic_store_n(&here.malloc, (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc"),
			 __ATOMIC_RELEASE);
}

static bool is_known(void)
{
	if (UNLIKELY(!__atomic_load_n(&here.malloc, __ATOMIC_ACQUIRE)))
		find_allocator();
	return here.malloc != NULL;
}

static bool is_watched(void)
{
	return memlamp_slot->cur && !self.depth &&
	       !(ring.control->options & ML_RING_OPT_NO_HEAP);
}

/* kind: 0 allocated, 1 mapped; frame: of the interposed function. */
static void tell_block(uint32_t kind, const void *block, size_t size, const void *frame)
{
	struct ml_ring *slot = block && is_watched() ? slot_hold() : NULL;
	uint64_t ips[STACK_DEPTH];

	if (!slot)
		return;
	size_t n = process_stack(frame, ips);
	uint64_t *w = slot_message(slot, ML_WORD_BLOCK, kind, (uint32_t)(2 + n));
	if (w) {
		w[0] = (uint64_t)block;
		w[1] = size;
		for (size_t i = 0; i < n; i++)
			w[2 + i] = ips[i];
		slot_commit(slot);
	}
	slot_release(slot);
}

/* A message whose payload is the address of a block. */
static void tell(enum ml_word type, uint32_t argument, const void *block)
{
	struct ml_ring *slot = block && is_watched() ? slot_hold() : NULL;

	if (!slot)
		return;
	uint64_t *w = slot_message(slot, type, argument, 1);
	if (w) {
		w[0] = (uint64_t)block;
		slot_commit(slot);
	}
	slot_release(slot);
}

static void leave(const unsigned *unused)
{
	(void)unused;
	self.depth--;
}

/* Allocators called until the end of the block are internals of this one. */
#define INSIDE unsigned inside_ __attribute__((cleanup(leave), unused)) = ++self.depth

#define FRAME __builtin_frame_address(0)

EXPORT void *malloc(size_t size);
EXPORT void *calloc(size_t count, size_t size);
EXPORT void *realloc(void *old, size_t size);
EXPORT void *reallocarray(void *old, size_t count, size_t size);
EXPORT void free(void *block);

void *malloc(size_t size)
{
	if (!is_known())
		return early(size);
	void *block = here.malloc(size);
	tell_block(0, block, size, FRAME);
	return block;
}

void *calloc(size_t count, size_t size)
{
	if (!is_known())
		return early(count * size);
	void *block = here.calloc(count, size);
	tell_block(0, block, count * size, FRAME);
	return block;
}

void free(void *block)
{
	if (!block || is_early(block))
		return;
	tell(ML_WORD_FREE, 0, block);
	if (is_known())
		here.free(block);
}

/*
 * The message BEGIN names the old block before another thread can be given its memory.
 * The old block ends with the message of the new one.
 */
static void *resize(void *old, size_t size, const void *frame)
{
	if (!is_known() || is_early(old)) {
		void *block = is_known() ? here.malloc(size) : early(size);

		if (block && old) {
			size_t left = (size_t)(here.early + EARLY_BYTES - (char *)old);

			memcpy(block, old, size < left ? size : left);
		}
		return block;
	}
	tell(ML_WORD_ALLOCATING, ML_ALLOCATING_BEGIN, old);
	void *block = here.realloc(old, size);
	if (block)
		tell_block(0, block, size, frame);
	else
		tell(ML_WORD_ALLOCATING,
		     size ? ML_ALLOCATING_FAILED : ML_ALLOCATING_FREED, old);
	return block;
}

void *realloc(void *old, size_t size)
{
	return resize(old, size, FRAME);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(old, bytes, FRAME);
}

/* All further functions are looked up at their first call. */
#define NEXT(pointer, function) \
	static __typeof__(&function) pointer; \
	if (UNLIKELY(!pointer)) \
	pointer = (__typeof__(&function))dlsym(RTLD_NEXT, #function)

EXPORT int posix_memalign(void **block, size_t alignment, size_t size);
EXPORT void *aligned_alloc(size_t alignment, size_t size);
EXPORT void *memalign(size_t alignment, size_t size);
EXPORT void *valloc(size_t size);
EXPORT void *pvalloc(size_t size);

int posix_memalign(void **block, size_t alignment, size_t size)
{
	NEXT(next, posix_memalign);
	int error = next(block, alignment, size);
	if (!error)
		tell_block(0, *block, size, FRAME);
	return error;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	NEXT(next, aligned_alloc);
	void *block = next(alignment, size);
	tell_block(0, block, size, FRAME);
	return block;
}

void *memalign(size_t alignment, size_t size)
{
	NEXT(next, memalign);
	void *block = next(alignment, size);
	tell_block(0, block, size, FRAME);
	return block;
}

void *valloc(size_t size)
{
	NEXT(next, valloc);
	void *block = next(size);
	tell_block(0, block, size, FRAME);
	return block;
}

void *pvalloc(size_t size)
{
	NEXT(next, pvalloc);
	void *block = next(size);
	tell_block(0, block, size, FRAME);
	return block;
}

/*
 * operator new, by its names in the C++ ABI. The allocators that it calls are not
 * reported, so the block belongs to the caller of new. An exception passes through.
 */
#define OPERATOR_NEW(name, parameters, arguments) \
	EXPORT void *name parameters; \
	void *name parameters \
	{ \
		void *block; \
		NEXT(next, name); \
		{ \
			INSIDE; \
			block = next arguments; \
		} \
		tell_block(0, block, size, FRAME); \
		return block; \
	}

struct nothrow;
OPERATOR_NEW(_Znwm, (size_t size), (size))
OPERATOR_NEW(_Znam, (size_t size), (size))
OPERATOR_NEW(_ZnwmRKSt9nothrow_t, (size_t size, const struct nothrow *t), (size, t))
OPERATOR_NEW(_ZnamRKSt9nothrow_t, (size_t size, const struct nothrow *t), (size, t))
OPERATOR_NEW(_ZnwmSt11align_val_t, (size_t size, size_t a), (size, a))
OPERATOR_NEW(_ZnamSt11align_val_t, (size_t size, size_t a), (size, a))
OPERATOR_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
	     (size_t size, size_t a, const struct nothrow *t), (size, a, t))
OPERATOR_NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
	     (size_t size, size_t a, const struct nothrow *t), (size, a, t))

/* Memory that the program maps itself. */
EXPORT void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
EXPORT void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);
EXPORT int munmap(void *at, size_t size);
EXPORT void *mremap(void *old, size_t old_size, size_t size, int flags, ...);

static void tell_unmap(const void *at, size_t size)
{
	struct ml_ring *slot = is_watched() ? slot_hold() : NULL;

	if (!slot)
		return;
	uint64_t *w = slot_message(slot, ML_WORD_UNMAP, 0, 2);
	if (w) {
		w[0] = (uint64_t)at;
		w[1] = (uint64_t)at + size;
		slot_commit(slot);
	}
	slot_release(slot);
}

static void tell_mmap(void *block, size_t size, int flags, int fd, const void *frame)
{
	if (block != MAP_FAILED && !(flags & MAP_ANONYMOUS))
		timed_mapped(block, size, fd);
	if (block != MAP_FAILED && flags & MAP_ANONYMOUS && !(flags & MAP_STACK))
		tell_block(1, block, size, frame);
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	NEXT(next, mmap);
	void *block = next(at, size, prot, flags, fd, offset);
	tell_mmap(block, size, flags, fd, FRAME);
	return block;
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	NEXT(next, mmap64);
	void *block = next(at, size, prot, flags, fd, offset);
	tell_mmap(block, size, flags, fd, FRAME);
	return block;
}

int munmap(void *at, size_t size)
{
	NEXT(next, munmap);
	tell_unmap(at, size);
	return next(at, size);
}

void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	va_list ap;

	va_start(ap, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	NEXT(next, mremap);
	tell_unmap(old, old_size);
	void *block = next(old, old_size, size, flags, to);
	if (block != MAP_FAILED)
		tell_block(1, block, size, FRAME);
	return block;
}
