/*
 * Atomic operations: instrumented code calls these functions instead of doing the
 * operation. All are sequentially consistent, the strongest order that a program can ask
 * for; on x86 that costs more only for stores. The clock is written before a store, which
 * may release another thread, and behind all other operations, which may have waited for
 * one.
 */
#include "record/runtime/slot.h"

enum { LOG_1, LOG_2, LOG_4, LOG_8, LOG_16 };

static void tell(uint64_t site, enum ml_ref_kind kind, unsigned log_size,
		 const volatile void *at)
{
	struct ml_ring *slot = slot_hold();

	if (!slot)
		return;
	if (ring.threads)
		slot_stamp(slot);
	slot_ref(slot, site, kind, log_size, (uint64_t)at);
	slot_release(slot);
}

#define OPERATION(bits, log, name) \
	EXPORT uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, \
							   uint##bits##_t v, int order); \
	uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, \
						    uint##bits##_t v, int order) \
	{ \
		(void)order; \
		v = name(at, v); \
		tell(CALLER, ML_REF_MODIFY, log, at); \
		return v; \
	}

#define ATOMICS(bits, log) \
	EXPORT uint##bits##_t __tsan_atomic##bits##_load( \
		const volatile uint##bits##_t *at, int order); \
	EXPORT void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, \
						uint##bits##_t v, int order); \
	EXPORT int __tsan_atomic##bits##_compare_exchange_strong( \
		volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t v, \
		int order, int failing); \
	EXPORT int __tsan_atomic##bits##_compare_exchange_weak( \
		volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t v, \
		int order, int failing); \
	EXPORT uint##bits##_t __tsan_atomic##bits##_compare_exchange_val( \
		volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t v, \
		int order, int failing); \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, \
						  int order) \
	{ \
		uint##bits##_t v = load(at); \
\
		(void)order; \
		tell(CALLER, ML_REF_READ, log, at); \
		return v; \
	} \
	void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t v, \
					 int order) \
	{ \
		(void)order; \
		tell(CALLER, ML_REF_WRITE, log, at); \
		store(at, v); \
	} \
	OPERATION(bits, log, exchange) \
	OPERATION(bits, log, fetch_add) \
	OPERATION(bits, log, fetch_sub) \
	OPERATION(bits, log, fetch_and) \
	OPERATION(bits, log, fetch_or) \
	OPERATION(bits, log, fetch_xor) \
	OPERATION(bits, log, fetch_nand) \
	int __tsan_atomic##bits##_compare_exchange_strong( \
		volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t v, \
		int order, int failing) \
	{ \
		int done = compare_exchange(at, expected, v); \
\
		(void)order; \
		(void)failing; \
		tell(CALLER, done ? ML_REF_MODIFY : ML_REF_READ, log, at); \
		return done; \
	} \
	int __tsan_atomic##bits##_compare_exchange_weak( \
		volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t v, \
		int order, int failing) \
	{ \
		int done = compare_exchange(at, expected, v); \
\
		(void)order; \
		(void)failing; \
		tell(CALLER, done ? ML_REF_MODIFY : ML_REF_READ, log, at); \
		return done; \
	} \
	uint##bits##_t __tsan_atomic##bits##_compare_exchange_val( \
		volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t v, \
		int order, int failing) \
	{ \
		int done = compare_exchange(at, &expected, v); \
\
		(void)order; \
		(void)failing; \
		tell(CALLER, done ? ML_REF_MODIFY : ML_REF_READ, log, at); \
		return expected; \
	}

#define load(at)          __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define store(at, v)      __atomic_store_n(at, v, __ATOMIC_SEQ_CST)
#define exchange(at, v)   __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST)
#define fetch_add(at, v)  __atomic_fetch_add(at, v, __ATOMIC_SEQ_CST)
#define fetch_sub(at, v)  __atomic_fetch_sub(at, v, __ATOMIC_SEQ_CST)
#define fetch_and(at, v)  __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST)
#define fetch_or(at, v)   __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST)
#define fetch_xor(at, v)  __atomic_fetch_xor(at, v, __ATOMIC_SEQ_CST)
#define fetch_nand(at, v) __atomic_fetch_nand(at, v, __ATOMIC_SEQ_CST)
#define compare_exchange(at, expected, v) \
	__atomic_compare_exchange_n(at, expected, v, 0, __ATOMIC_SEQ_CST, \
				    __ATOMIC_SEQ_CST)

ATOMICS(8, LOG_1)
ATOMICS(16, LOG_2)
ATOMICS(32, LOG_4)
ATOMICS(64, LOG_8)

#undef load
#undef store
#undef exchange
#undef fetch_add
#undef fetch_sub
#undef fetch_and
#undef fetch_or
#undef fetch_xor
#undef fetch_nand
#undef compare_exchange

/* 16 bytes: the only instruction is cmpxchg16b (this file is built with -mcx16). */
__extension__ typedef unsigned __int128 uint128_t;

static uint128_t swap(volatile uint128_t *at, uint128_t expected, uint128_t v)
{
	return __sync_val_compare_and_swap(at, expected, v);
}

static uint128_t load(const volatile uint128_t *at)
{
	return swap((volatile uint128_t *)at, 0, 0);
}

static bool compare_exchange(volatile uint128_t *at, uint128_t *expected, uint128_t v)
{
	uint128_t old = swap(at, *expected, v);
	bool done = old == *expected;

	*expected = old;
	return done;
}

#define LOOP(name, value) \
	static uint128_t name(volatile uint128_t *at, uint128_t v) \
	{ \
		uint128_t old = load(at); \
\
		while (!compare_exchange(at, &old, value)) \
			continue; \
		return old; \
	}

LOOP(exchange, v)
LOOP(fetch_add, old + v)
LOOP(fetch_sub, old - v)
LOOP(fetch_and, old &v)
LOOP(fetch_or, old | v)
LOOP(fetch_xor, old ^ v)
LOOP(fetch_nand, ~(old &v))

static void store(volatile uint128_t *at, uint128_t v)
{
	exchange(at, v);
}

ATOMICS(128, LOG_16)

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
