#include "lib/flow/read/c_clang.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Written once, under pthread_once, and constant from then on. */
static struct ml_clang clang;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	static const char *const names[] = { "libclang-19.so.19",
					     "libclang-19.so.1",
					     "libclang.so.19",
					     "libclang-20.so.20",
					     "libclang-18.so.18",
					     "libclang-17.so.17",
					     "/usr/lib/llvm-19/lib/libclang.so.1",
					     "libclang.so" };
	void *library = NULL;

	/* where no thread can be started, libclang would end the program */
	setenv("LIBCLANG_NOTHREADS", "1", 1);
	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		missing = "libclang";
		return;
	}
#define X(name) \
	{ \
		void *at = dlsym(library, "clang_" #name); \
\
		memcpy(&clang.name, &at, sizeof(at)); \
		if (!at) \
			missing = "clang_" #name; \
	}
	ML_CLANG_FUNCTIONS(X)
#undef X
}

const struct ml_clang *ml_clang_load(struct ml_err *err)
{
	pthread_once(&once, load);
	if (!missing)
		return &clang;
	ml_fail(err, ML_IO,
		"reading C needs libclang 17 or later (Debian: libclang1-19); %s is missing",
		missing);
	return NULL;
}
