/*
 * Templates are containers, as those of the standard library. Their members are called
 * data or memory in each of them, so blocks are told apart by the variable that holds the
 * container: trail of trail.push(x), whichever methods lie between.
 */
#include <stdio.h>
#include <string.h>

#include "record/symbols/heap_name_parts.h"
#include "record/symbols/objects.h"

enum { LEVELS_MAX = 4 }; /* containers in containers */

/* A method's function name taken apart: Minisat::vec<Lit>::push has class vec<Lit>. */
struct method {
	const char *class, *name; /* class NULL: it is no method */
	size_t class_size;        /* with its template arguments */
	size_t bare_size;         /* without */
};

static struct method method_of(const char *func)
{
	struct method m = { NULL, func, 0, 0 };
	int depth = 0;

	for (const char *p = func; *p && !(depth == 0 && *p == '('); p++) {
		depth += *p == '<' ? 1 : *p == '>' ? -1 : 0;
		if (depth == 0 && p[0] == ':' && p[1] == ':') {
			m.class = m.name;
			m.class_size = (size_t)(p - m.name);
			m.name = p + 2;
		}
	}
	if (m.class) {
		m.bare_size = strcspn(m.class, "<");
		m.bare_size = m.bare_size < m.class_size ? m.bare_size : m.class_size;
	}
	return m;
}

static bool is_of_template(const struct method *m)
{
	return m->bare_size < m->class_size;
}

/* Constructors may be templates themselves: Matrix<double>::Matrix<int, int>. */
static bool is_constructor(const struct method *m)
{
	return m->class && strcspn(m->name, "<(") == m->bare_size &&
	       !strncmp(m->class, m->name, m->bare_size);
}

/* What holds the object that a frame works on by calling a method. */
struct holder {
	char name[ML_LVALUE_MAX];
	bool member, alone, pointer;
	struct ml_candidate frame;
};

static void take(struct holder *h, const char *name, const struct ml_variable *v,
		 const struct ml_candidate *c)
{
	*h = (struct holder){ .frame = *c };
	memcpy(h->name, name, strlen(name) + 1);
	if (v) {
		h->member = v->member;
		h->alone = v->alone;
		h->pointer = v->pointer;
	}
}

/* A constructor makes a member that its text does not name. */
static bool take_member(struct holder *h, const struct ml_candidate *c,
			const struct method *callee, size_t *members)
{
	const char *name = NULL;

	*members = 1;
	if (c->object)
		name = ml_variable_member(c->object, c->vaddr, c->inlined, callee->class,
					  callee->class_size, members);
	if (name && strlen(name) < ML_LVALUE_MAX)
		take(h, name, NULL, c);
	return name;
}

/* The nearest frame that calls a method of another object than its own. */
static bool find_holder(struct holder *h, struct ml_heap_frames *frames)
{
	struct ml_tables *t = frames->objects->tables;
	struct ml_candidate c;
	size_t members;

	for (;;) {
		struct method callee = method_of(frames->callee);

		if (!ml_heap_frames_next(frames, &c))
			return false;
		struct method own = method_of(ml_tables_text(t, c.frame.func));
		if (is_constructor(&callee)) {
			if (c.known && !c.variable.number) {
				take(h, c.statement.name, &c.variable, &c);
				return true;
			}
			if (!is_constructor(&own))
				return false;
			if (take_member(h, &c, &callee, &members))
				return true;
			if (members) /* else it makes its base */
				return false;
		} else if (c.statement.object[0]) {
			take(h, c.statement.object, c.held ? &c.holder : NULL, &c);
			return true;
		} else if (!c.statement.own || !own.class) {
			return false;
		}
	}
}

void ml_heap_name_hold(struct ml_candidate *best, struct ml_heap_frames *frames)
{
	struct ml_tables *t = frames->objects->tables;
	bool member = best->known && best->variable.member, alone = best->variable.alone;
	struct holder h;

	for (int level = 0; member && level < LEVELS_MAX; level++) {
		struct method m = method_of(ml_tables_text(t, best->frame.func));
		bool made = level == 0 && is_constructor(&m);
		char name[2 * ML_LVALUE_MAX + 3];

		if (!is_of_template(&m) || !find_holder(&h, frames))
			return;
		/* A constructor that allocates itself has an array of fixed size, A.data;
		 * what grows is a container, v. */
		if (alone && !made)
			snprintf(name, sizeof(name), "%s", h.name);
		else
			snprintf(name, sizeof(name), "%s%s%s", h.name,
				 h.pointer ? "->" : ".", best->statement.name);
		if (strlen(name) >= ML_LVALUE_MAX)
			return;
		memcpy(best->statement.name, name, strlen(name) + 1);
		member = h.member;
		alone = h.alone;
		if (made)
			return;
		best->site = h.frame.site;
		best->frame = h.frame.frame;
	}
}
