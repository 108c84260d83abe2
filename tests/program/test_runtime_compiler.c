/* The command line that `memlamp cc` runs. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/compiler.h"
#include "lib/base/arena.h"
#include "tests/scratch.h"
#include "tests/test.h"

#define ARGS(...) ((char *[]){ __VA_ARGS__, NULL })

static struct compiler_job job(char *const *args)
{
	struct ml_arena a = { 0 };
	struct compiler_job j = compiler_read(args, &a);

	ml_arena_release(&a);
	return j;
}

TEST(sources_are_linked_unless_an_option_stops_before)
{
	CHECK(job(ARGS("a.c", "-o", "a")).links);
	CHECK(job(ARGS("a.o", "b.o", "-lm")).links);
	CHECK(!job(ARGS("-c", "a.c")).links);
	CHECK(!job(ARGS("a.c", "-S")).links);
	CHECK(!job(ARGS("-E", "-")).links);
	CHECK(!job(ARGS("-MM", "a.c")).links);
	CHECK(job(ARGS("-MMD", "-MF", "a.d", "a.c")).links);
	CHECK(!job(ARGS("-fsyntax-only", "a.c")).links);
}

TEST(without_an_input_nothing_is_linked)
{
	CHECK(!job(ARGS("--version")).links);
	CHECK(!job(ARGS("-v")).links);
	CHECK(!job(ARGS("-dumpmachine")).links);
	CHECK(!job(ARGS("-print-prog-name=ld")).links);
	CHECK(!job(ARGS("-o", "a.c")).inputs);
	CHECK(!job(ARGS("-I", "a", "-include", "b.h", "-Xlinker", "c.o")).inputs);
	CHECK(job(ARGS("-x", "c", "-")).links);
}

TEST(response_files_are_looked_into)
{
	struct ml_arena a = { 0 };
	FILE *f = fopen(scratch(), "w");
	char *name = ml_arena_printf(&a, "@%s", scratch());

	fputs("-c 'a b.c'\n-o \"x\"", f);
	fclose(f);
	CHECK(job(ARGS(name)).inputs);
	CHECK(!job(ARGS(name)).links);
	ml_arena_release(&a);
}

/* The words, with blanks between and the runtime's folder as R. */
static const char *line(const char *compiler, char *const *args, struct ml_arena *a)
{
	const char **words = compiler_choose(COMPILER_C, compiler, a), **at;
	struct ml_err err;
	const char *text = "";

	CHECK_OK(compiler_line(words, args, "R", COMPILER_C, a, &at, &err), &err);
	for (; *at; at++)
		text = ml_arena_printf(a, "%s%s%s", text, *text ? " " : "", *at);
	return text;
}

#define GCC_FLAGS \
	"-g -fsanitize=thread -fno-omit-frame-pointer -U__SANITIZE_THREAD__ " \
	"-mmemcpy-strategy=libcall:-1:noalign -mmemset-strategy=libcall:-1:noalign " \
	"-idirafter R/include"
#define RUNTIME \
	"-Wl,--push-state,--no-as-needed R/libmemlamp.so -Wl,--pop-state -Wl,-rpath,R " \
	"-Wl,-u,__tsan_func_entry"

TEST(the_users_words_stay_as_they_are)
{
	struct ml_arena a = { 0 };

	CHECK_STR(line("gcc-12 -m64", ARGS("-c", "x y.c", "-g0"), &a),
		  "gcc-12 -m64 " GCC_FLAGS " -c x y.c -g0");
	CHECK_STR(line("gcc-12", ARGS("--version"), &a), "gcc-12 --version");
	ml_arena_release(&a);
}

TEST(the_library_comes_first_and_the_hooks_last)
{
	struct ml_arena a = { 0 };

	CHECK_STR(line("gcc-12", ARGS("a.o", "-lm"), &a),
		  "gcc-12 " GCC_FLAGS " " RUNTIME
		  " -BR/empty a.o -lm -xnone R/libmemlamp-hooks.a");
	CHECK_STR(line("/opt/clang-14", ARGS("a.o", "-shared"), &a),
		  "/opt/clang-14 -g -fsanitize=thread -fno-omit-frame-pointer "
		  "-idirafter R/include " RUNTIME
		  " -fno-sanitize-link-runtime a.o -shared -xnone R/libmemlamp-hooks.a");
	ml_arena_release(&a);
}

TEST(static_programs_are_refused_and_static_objects_are_not)
{
	struct ml_arena a = { 0 };
	struct ml_err err;
	const char **words = compiler_choose(COMPILER_C, "gcc", &a), **at;

	CHECK_FAILS(compiler_line(words, ARGS("a.c", "-static"), "R", COMPILER_C, &a, &at,
				  &err),
		    &err, "-static");
	CHECK_OK(compiler_line(words, ARGS("-c", "a.c", "-static"), "R", COMPILER_C, &a,
			       &at, &err),
		 &err);
	ml_arena_release(&a);
}

TEST(memlamp_does_not_call_itself)
{
	struct ml_arena a = { 0 };

	setenv("CC", "/usr/bin/memlamp cc", 1);
	CHECK_STR(compiler_choose(COMPILER_C, NULL, &a)[0], "cc");
	setenv("CC", "clang -m64", 1);
	CHECK_STR(compiler_choose(COMPILER_C, NULL, &a)[1], "-m64");
	setenv("MEMLAMP_CC", "gcc-12", 1);
	CHECK_STR(compiler_choose(COMPILER_C, NULL, &a)[0], "gcc-12");
	CHECK_STR(compiler_choose(COMPILER_C, "tcc", &a)[0], "tcc");
	setenv(COMPILER_RUNS, "1", 1);
	CHECK_STR(compiler_choose(COMPILER_C, NULL, &a)[0], "cc");
	unsetenv(COMPILER_RUNS);
	ml_arena_release(&a);
}
