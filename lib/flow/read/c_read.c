/* Files and functions of C. */
#include "lib/flow/read/c_read.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/flow/flow_build.h"
#include "lib/flow/read/c_bounds.h"
#include "lib/flow/read/c_read_parts.h"
#include "lib/flow/read/delinear.h"

/* The lines of the first `#pragma scop`. */
static void find_scop(struct ml_c_reader *r, const char *text, size_t size)
{
	uint32_t line = 1;

	for (size_t i = 0; i < size; line++) {
		const char *end = memchr(text + i, '\n', size - i);
		size_t n = end ? (size_t)(end - text) - i : size - i;
		const char *hash = memchr(text + i, '#', n);

		size_t rest = hash ? n - (size_t)(hash - (text + i)) : 0;

		if (hash && memmem(hash, rest, "pragma", 6)) {
			if (memmem(hash, rest, "endscop", 7)) {
				if (r->scop_from && !r->scop_to)
					r->scop_to = line;
			} else if (memmem(hash, rest, "scop", 4) && !r->scop_from)
				r->scop_from = line;
		}
		i += n + 1;
	}
	if (!r->scop_to)
		r->scop_from = 0;
}

struct candidates {
	struct ml_c_reader *r;
	const char *wanted;
	CXCursor best;
	bool found, named;
	unsigned max; /* loops of the best */
};

static enum CXChildVisitResult consider(CXCursor c, CXCursor parent, CXClientData data)
{
	struct candidates *k = data;
	struct ml_c_reader *r = k->r;

	(void)parent;
	if (r->clang->getCursorKind(c) != CXCursor_FunctionDecl ||
	    !r->clang->isCursorDefinition(c) ||
	    !r->clang->Location_isFromMainFile(r->clang->getCursorLocation(c)))
		return CXChildVisit_Continue;
	const char *name = ml_c_name(r, c);
	struct ml_flow *f = r->f;
	f->function_list = ml_grow(f->function_list, &f->function_cap,
				   f->function_count + 1, sizeof(*f->function_list));
	f->function_list[f->function_count++] = name;
	unsigned loops = ml_c_loops(r, c);
	bool better = !k->found || loops > k->max;
	if (k->wanted)
		better = !strcmp(name, k->wanted);
	else if (r->scop_to)
		/* the function that begins last in front of the pragma */
		better = ml_c_line(r, c, NULL) <= r->scop_from;
	if (better) {
		k->best = c;
		k->max = loops;
		k->found = true;
	}
	return CXChildVisit_Continue;
}

/* Where headers were looked for, when one is missing. */
static void say_folders(const struct ml_flow_options *o, struct ml_buf *b)
{
	bool any = false;

	ml_buf_text(b, "; headers are looked for in the folder of the file");
	for (size_t i = 0; o && o->args && o->args[i]; i++)
		if (!strncmp(o->args[i], "-I", 2)) {
			const char *next = o->args[i + 1] ? o->args[i + 1] : "";

			ml_buf_printf(b, ", %s", o->args[i][2] ? o->args[i] + 2 : next);
			any = true;
		}
	ml_buf_text(b, any ? " and the folders of the system"
			   : " and in those of the system; --cc=-IFOLDER adds one");
}

static bool fail_diagnostic(struct ml_c_reader *r, CXDiagnostic d,
			    const struct ml_flow_options *o, struct ml_err *err)
{
	CXString text = r->clang->getDiagnosticSpelling(d), name = { 0 };
	const char *said = r->clang->getCString(text);
	CXFile file = NULL;
	unsigned line = 0, column = 0;
	struct ml_buf b = { 0 };

	r->clang->getExpansionLocation(r->clang->getDiagnosticLocation(d), &file, &line,
				       &column, NULL);
	if (file)
		name = r->clang->getFileName(file);
	const char *path = file ? r->clang->getCString(name) : NULL;
	if (line && path && *path != '<')
		ml_buf_printf(&b, "%s, line %u, column %u: %s", path, line, column, said);
	else
		ml_buf_printf(&b, "%s: %s", r->f->path, said);
	if (strstr(said, "file not found"))
		say_folders(o, &b);
	ml_fail(err, ML_FORMAT, "%.*s", (int)b.size, (const char *)b.data);
	ml_buf_release(&b);
	r->clang->disposeString(text);
	if (file)
		r->clang->disposeString(name);
	return false;
}

static bool diagnose(struct ml_c_reader *r, CXTranslationUnit unit,
		     const struct ml_flow_options *o, struct ml_err *err)
{
	unsigned n = r->clang->getNumDiagnostics(unit);
	bool ok = true;

	for (unsigned i = 0; ok && i < n; i++) {
		CXDiagnostic d = r->clang->getDiagnostic(unit, i);

		if (r->clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error)
			ok = fail_diagnostic(r, d, o, err);
		r->clang->disposeDiagnostic(d);
	}
	return ok;
}

/* libclang returned no translation unit; it does not say more. */
static bool fail_unit(const struct ml_flow *f, enum CXErrorCode code,
		      const struct ml_flow_options *o, struct ml_err *err)
{
	bool plain = !o || !o->args || !o->args[0];
	const char *why = code == CXError_Crashed ? "libclang crashed while parsing it"
			  : code == CXError_InvalidArguments
				  ? "libclang takes its path or arguments for invalid"
			  : plain ? "this is no C source, and no graph of DaCe (.sdfg, "
				    ".sdfgz)"
				  : "libclang cannot make a translation unit of it";

	if (plain)
		return ml_fail(err, ML_FORMAT, "%s: %s", f->path, why);
	return ml_fail(err, ML_FORMAT,
		       "%s: %s; an option of --cc may be to blame (the first is '%s')",
		       f->path, why, o->args[0]);
}

static bool read_function(struct ml_c_reader *r, CXTranslationUnit unit,
			  const struct ml_flow_options *o, struct ml_err *err)
{
	struct candidates k = { .r = r, .wanted = o ? o->function : NULL };
	struct ml_flow *f = r->f;

	r->clang->visitChildren(r->clang->getTranslationUnitCursor(unit), consider, &k);
	if (!k.found && k.wanted)
		return ml_fail(err, ML_USAGE, "%s: there is no function '%s'%s%s",
			       f->path, k.wanted,
			       f->function_count ? "; the first is " : "",
			       f->function_count ? f->function_list[0] : "");
	if (!k.found)
		return ml_fail(err, ML_FORMAT, "%s: the file defines no function",
			       f->path);
	if (k.wanted)
		r->scop_to = 0;
	f->function = ml_c_name(r, k.best);
	uint32_t root = ml_flow_add_node(f, ML_FLOW_NONE, ML_FLOW_SCOPE, f->function);
	f->node[root].line = ml_c_line(r, k.best, NULL);
	r->parent = root;
	r->work = ML_FLOW_NONE;
	r->unit = unit;
	r->base = root;
	r->calling[0] = k.best;
	r->body = ml_c_body_of(r, k.best);
	ml_c_take_addresses(r, k.best);
	struct ml_c_list l = { 0 };
	ml_c_list(r, k.best, &l);
	/* sizes may follow the arrays that use them: declare them first */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < l.count; i++) {
			CXType t = r->clang->getCursorType(l.at[i]);

			if (r->clang->getCursorKind(l.at[i]) == CXCursor_ParmDecl &&
			    ml_c_is_integer(r, t) == !pass)
				ml_c_declare(r, l.at[i], true);
		}
	for (size_t i = 0; i < l.count; i++)
		if (r->clang->getCursorKind(l.at[i]) == CXCursor_CompoundStmt)
			ml_c_statement(r, l.at[i]);
	ml_free(l.at);
	ml_c_finish(r);
	ml_delinear(f);
	return true;
}

/* What libclang is asked for. */
struct parsing {
	const struct ml_clang *clang;
	const char *args[73];
	int count;
	struct CXUnsavedFile file;
	CXIndex index;
	CXTranslationUnit unit;
	enum CXErrorCode code;
};

/* False: libclang crashed. */
static bool parse(void *arg)
{
	struct parsing *p = arg;

	p->index = p->clang->createIndex(0, 0);
	p->code = p->clang->parseTranslationUnit2(p->index, p->file.Filename, p->args,
						  p->count, &p->file, 1, 0, &p->unit);
	return p->code != CXError_Crashed;
}

bool ml_c_read(struct ml_flow *f, const char *text, size_t size,
	       const struct ml_flow_options *o, struct ml_err *err)
{
	struct ml_c_reader r = { .f = f, .clang = ml_clang_load(err) };
	struct parsing p = { .clang = r.clang,
			     .args = { "-std=gnu11", "-w", "-ferror-limit=1" },
			     .count = 3,
			     .file = { f->path, text, size } };

	if (!r.clang)
		return false;
	r.statement = r.body = r.switched = r.clang->getNullCursor();
	for (size_t i = 0; o && o->args && o->args[i] && p.count < 70; i++)
		p.args[p.count++] = o->args[i];
	p.args[p.count++] = "-DMEMLAMP_OFF"; /* its requests are no work of the program */
	if (o && o->headers) {
		p.args[p.count++] = "-idirafter";
		p.args[p.count++] = o->headers;
	}
	if (!ml_c_bounds_hold(parse, &p, f->path, err))
		return false;
	find_scop(&r, text, size);
	parse(&p);
	bool ok = p.code == CXError_Success && p.unit;
	if (!ok)
		fail_unit(f, p.code, o, err);
	ok = ok && diagnose(&r, p.unit, o, err) && read_function(&r, p.unit, o, err);
	f->dialect = "C";
	if (p.unit)
		r.clang->disposeTranslationUnit(p.unit);
	r.clang->disposeIndex(p.index);
	ml_free(r.variable);
	ml_free(r.taken.at);
	ml_free(r.called.at);
	ml_free(r.rows);
	ml_free(r.changed);
	f->apart = !o || !o->overlap;
	return ok;
}
