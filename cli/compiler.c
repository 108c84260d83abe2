#include "cli/compiler.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/path.h"

enum { RESPONSE_MAX = 16 << 20, RESPONSE_DEPTH = 16 };

struct words {
	const char **at;
	size_t count, cap;
};

static void add(struct words *w, const char *word, struct ml_arena *a)
{
	if (w->count == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 64;
		const char **more = ml_arena_alloc(a, cap * sizeof(*more));

		if (w->count)
			memcpy(more, w->at, w->count * sizeof(*more));
		w->at = more;
		w->cap = cap;
	}
	w->at[w->count++] = word;
}

/* Words between blanks, as make would pass them on. */
static const char **split(const char *text, struct ml_arena *a)
{
	struct words w = { 0 };

	for (;;) {
		text += strspn(text, " \t");
		size_t n = strcspn(text, " \t");
		if (!n)
			break;
		add(&w, ml_arena_copy(a, text, n), a);
		text += n;
	}
	add(&w, NULL, a);
	return w.at;
}

static bool is_memlamp(const char **words)
{
	return words[0] && !strncmp(ml_path_name(words[0]), "memlamp", 7);
}

const char **compiler_choose(enum compiler_language language, const char *asked,
			     struct ml_arena *a)
{
	static const char *const ours[] = { "MEMLAMP_CC", "MEMLAMP_CXX", "MEMLAMP_FC" };
	static const char *const usual[] = { "CC", "CXX", "FC" };
	static const char *const plain[] = { "cc", "c++", "gfortran" };
	const char *texts[] = { asked, getenv(ours[language]), getenv(usual[language]) };
	/* a script that CC names may call memlamp cc again: then the plain compiler ends
	 * it */
	bool again = getenv(COMPILER_RUNS) != NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !again; i++) {
		const char **words = split(texts[i] ? texts[i] : "", a);

		/* CC="memlamp cc" make: not this program again */
		if (words[0] && !is_memlamp(words))
			return words;
	}
	return split(plain[language], a);
}

/* Options whose value is the next word. */
static bool takes_value(const char *arg)
{
	static const char *const options[] = {
		"-o",
		"-x",
		"-I",
		"-D",
		"-U",
		"-L",
		"-l",
		"-A",
		"-B",
		"-T",
		"-u",
		"-z",
		"-e",
		"-J",
		"-F",
		"-G",
		"-b",
		"-V",
		"-MF",
		"-MT",
		"-MQ",
		"-include",
		"-imacros",
		"-isystem",
		"-iquote",
		"-idirafter",
		"-iprefix",
		"-iwithprefix",
		"-iwithprefixbefore",
		"-isysroot",
		"-imultilib",
		"-aux-info",
		"-wrapper",
		"-Xlinker",
		"-Xassembler",
		"-Xpreprocessor",
		"-Xclang",
		"-mllvm",
		"-target",
		"-arch",
		"--param",
		"-dumpbase",
		"-dumpdir",
		"--sysroot",
		"-gcc-toolchain",
		"-framework",
		"-soname",
		"-rpath",
		"-h",
		"-R",
		"-specs",
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(arg, options[i]))
			return true;
	return false;
}

static bool is_one_of(const char *arg, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(arg, *list))
			return true;
	return false;
}

/* An input that only the linker reads. */
static bool is_linked(const char *arg)
{
	static const char *const ends[] = {
		"o", "a", "so", "lo", "la", "obj", "ld", NULL
	};
	const char *name = ml_path_name(arg), *dot = strrchr(name, '.');

	return strstr(name, ".so.") || !dot || is_one_of(dot + 1, ends);
}

struct reading {
	struct compiler_job job;
	bool stops;       /* compilation ends at an object file or earlier */
	bool value;       /* the next word is the value of the option before */
	bool language;    /* -x LANGUAGE is in force: all inputs are sources */
	bool of_language; /* the next word is that LANGUAGE */
};

static void read_word(struct reading *r, const char *arg)
{
	static const char *const stops[] = { "-c",           "-S",        "-E",
					     "-M",           "-MM",       "-fsyntax-only",
					     "--preprocess", "--compile", "--assemble",
					     "-emit-ast",    NULL };
	static const char *const statics[] = { "-static", "--static", "-static-pie",
					       NULL };

	if (r->value) {
		if (r->of_language)
			r->language = strcmp(arg, "none") != 0;
		r->value = r->of_language = false;
		return;
	}
	if (arg[0] != '-' || !arg[1]) {
		r->job.inputs = true;
		r->job.compiles |= r->language || !is_linked(arg);
		return;
	}
	r->value = takes_value(arg);
	r->of_language = !strcmp(arg, "-x");
	if (!strncmp(arg, "-x", 2) && arg[2])
		r->language = strcmp(arg + 2, "none") != 0;
	r->stops |= is_one_of(arg, stops);
	r->job.is_static |= is_one_of(arg, statics);
	r->job.partial |= !strcmp(arg, "-r");
	if (!strncmp(arg, "-flto", 5))
		r->job.lto = true;
	if (!strcmp(arg, "-fno-lto"))
		r->job.lto = false;
}

/* A response file: words between white space, with quotes and backslashes. */
static void read_file(struct reading *r, const char *path, unsigned depth,
		      struct ml_arena *a);

static void read_arg(struct reading *r, const char *arg, unsigned depth,
		     struct ml_arena *a)
{
	if (arg[0] == '@' && arg[1] && !r->value && depth < RESPONSE_DEPTH &&
	    access(arg + 1, R_OK) == 0)
		read_file(r, arg + 1, depth + 1, a);
	else
		read_word(r, arg);
}

static void read_file(struct reading *r, const char *path, unsigned depth,
		      struct ml_arena *a)
{
	struct ml_err err;
	char *text;
	size_t size;

	if (!ml_file_read(path, RESPONSE_MAX, a, &text, &size, &err))
		return; /* the compiler will report it */
	char *word = ml_arena_alloc(a, size + 1);
	for (size_t i = 0; i < size;) {
		size_t n = 0;
		char quote = 0;

		while (i < size && isspace((unsigned char)text[i]))
			i++;
		if (i == size)
			break;
		for (; i < size && (quote || !isspace((unsigned char)text[i])); i++) {
			if (text[i] == '\\' && i + 1 < size)
				word[n++] = text[++i];
			else if (quote ? text[i] == quote
				       : text[i] == '"' || text[i] == '\'')
				quote = quote ? 0 : text[i];
			else
				word[n++] = text[i];
		}
		read_arg(r, ml_arena_copy(a, word, n), depth, a);
	}
}

struct compiler_job compiler_read(char *const *args, struct ml_arena *a)
{
	struct reading r = { 0 };

	for (; *args; args++)
		read_arg(&r, *args, 0, a);
	r.job.links = r.job.inputs && !r.stops;
	return r.job;
}

/* clang under any name, also behind links and after a launcher such as ccache. */
static bool is_clang(const char **compiler)
{
	for (; *compiler; compiler++) {
		char path[PATH_MAX], *real = NULL;
		const char *dirs = getenv("PATH");

		if (strstr(ml_path_name(*compiler), "clang") ||
		    strstr(ml_path_name(*compiler), "flang"))
			return true;
		if (strchr(*compiler, '/'))
			real = realpath(*compiler, path);
		for (const char *at = dirs ? dirs : ""; *at && !real;) {
			size_t n = strcspn(at, ":");
			char file[PATH_MAX + 2];

			if (n + strlen(*compiler) + 2 < sizeof(file)) {
				memcpy(file, at, n);
				file[n] = '/';
				strcpy(file + n + 1, *compiler);
				if (access(file, X_OK) == 0)
					real = realpath(file, path);
			}
			at += n + (at[n] == ':');
		}
		if (real && strstr(ml_path_name(real), "clang"))
			return true;
	}
	return false;
}

/* Flags for compiling sources. */
static void add_flags(struct words *w, bool clang, enum compiler_language language,
		      const char *runtime, struct ml_arena *a)
{
	add(w, "-g", a);
	add(w, "-fsanitize=thread", a);
	add(w, "-fno-omit-frame-pointer", a);
	/* sources should not believe that they run under ThreadSanitizer */
	if (!clang && language != COMPILER_FORTRAN)
		add(w, "-U__SANITIZE_THREAD__", a);
	/* gcc would expand these into loops after the instrumentation */
	if (!clang) {
		add(w, "-mmemcpy-strategy=libcall:-1:noalign", a);
		add(w, "-mmemset-strategy=libcall:-1:noalign", a);
	}
	if (language != COMPILER_FORTRAN) { /* memlamp.h, behind all other folders */
		add(w, "-idirafter", a);
		add(w, ml_arena_printf(a, "%s/include", runtime), a);
	}
}

/*
 * The library comes first, so that its malloc is found before all others; the hooks come
 * last, where the linker knows which of them the program needs. -fsanitize=thread would
 * also link ThreadSanitizer's own library: clang has an option against that, gcc finds an
 * empty library first.
 */
static void add_runtime(struct words *w, bool clang, const char *runtime,
			struct ml_arena *a)
{
	add(w, "-Wl,--push-state,--no-as-needed", a);
	add(w, ml_arena_printf(a, "%s/libmemlamp.so", runtime), a);
	add(w, "-Wl,--pop-state", a);
	add(w, ml_arena_printf(a, "-Wl,-rpath,%s", runtime), a);
	add(w, "-Wl,-u,__tsan_func_entry", a);
	add(w,
	    clang ? "-fno-sanitize-link-runtime"
		  : ml_arena_printf(a, "-B%s/empty", runtime),
	    a);
}

bool compiler_line(const char **compiler, char *const *args, const char *runtime,
		   enum compiler_language language, struct ml_arena *a,
		   const char ***line, struct ml_err *err)
{
	struct compiler_job job = compiler_read(args, a);
	bool clang = is_clang(compiler), whole = job.links && !job.partial;
	struct words w = { 0 };

	if (whole && job.is_static)
		return ml_fail(
			err, ML_USAGE,
			"a program linked with -static cannot record itself: leave "
			"the option out, or record it with memlamp record, under "
			"Valgrind");
	for (; *compiler; compiler++)
		add(&w, *compiler, a);
	if (job.inputs)
		add_flags(&w, clang, language, runtime, a);
	if (whole)
		add_runtime(&w, clang, runtime, a);
	for (; *args; args++)
		add(&w, *args, a);
	if (whole) {
		add(&w, "-xnone", a);
		add(&w, ml_arena_printf(a, "%s/libmemlamp-hooks.a", runtime), a);
	}
	add(&w, NULL, a);
	*line = w.at;
	return true;
}
