#include "lib/base/arena.h"
#include "record/symbols/debug_package.h"
#include "tests/debuginfo.h"

/* What is advised for a path, on a system of three packages. */
static void check(const char *path, const char *advice)
{
	struct scratch s = scratch_open();
	struct ml_arena a = { 0 };

	scratch_run(&s, "mkdir -p var/lib/dpkg/info var/lib/apt/lists");
	scratch_run(&s,
		    "printf '/.\\n/bin\\n/bin/gzip\\n' > var/lib/dpkg/info/gzip.list");
	scratch_run(&s, "printf '/usr/lib/libz.so.1\\n' > "
			"var/lib/dpkg/info/zlib1g:amd64.list");
	scratch_run(&s, "printf 'Package: gzip-dbgsym\\nVersion: 1\\n' > "
			"var/lib/apt/lists/debug_Packages");
	CHECK_STR(ml_debug_package_advice(s.folder, path, &a), advice);
	ml_arena_release(&a);
	scratch_close(&s);
}

TEST(the_package_with_debug_symbols_is_named)
{
	check("/usr/bin/gzip", "gzip has no debug symbols; gzip-dbgsym has them");
	check("/usr/lib/libz.so.1", "libz.so.1 has no debug symbols; zlib1g-dbgsym "
				    "(Debian's debug archive) has them");
}

TEST(a_program_of_no_package_is_to_be_compiled)
{
	check("/home/a/solve", "solve has no debug symbols: compile it with -g");
}
