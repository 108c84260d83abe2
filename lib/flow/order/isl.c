#include "lib/flow/order/isl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* Written once, under pthread_once, and constant from then on. */
static struct ml_isl isl;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	static const char *const names[] = { "libisl.so.23", "libisl.so.22",
					     "libisl.so.24", "libisl.so" };
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		missing = "libisl";
		return;
	}
#define X(type, name, arguments) \
	{ \
		void *at = dlsym(library, "isl_" #name); \
\
		memcpy(&isl.name, &at, sizeof(at)); \
		if (!at) \
			missing = "isl_" #name; \
	}
	ML_ISL_FUNCTIONS(X)
#undef X
}

const struct ml_isl *ml_isl_load(struct ml_err *err)
{
	pthread_once(&once, load);
	if (!missing)
		return &isl;
	ml_fail(err, ML_IO,
		"exact dependences need the library isl (Debian: libisl23); %s is missing",
		missing);
	return NULL;
}
