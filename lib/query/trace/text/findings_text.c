#include "lib/query/trace/text/findings_text.h"

#include <string.h>

#include "lib/query/workspace/say.h"
#include "lib/base/path.h"
#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/profile.h"
#include "lib/query/trace/tables/source_lines.h"

enum { INDENT = 4 };

/* The width in characters, not bytes: names may be in any language. */
static int width_of(const char *text, size_t size)
{
	int n = 0;

	for (size_t i = 0; i < size; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

/* A paragraph that wraps words at the width of the text. */
struct paragraph {
	struct ml_say *s;
	int indent, at; /* at 0: the line is empty */
};

static void fill(struct paragraph *p, const char *text)
{
	while (*text) {
		size_t size = strcspn(text, " ");
		int width = width_of(text, size);

		if (p->at && p->at + 1 + width > p->s->columns) {
			ml_say(p->s, "\n");
			p->at = 0;
		}
		if (p->at)
			ml_say(p->s, " %.*s", (int)size, text);
		else
			ml_say(p->s, "%*s%.*s", p->indent, "", (int)size, text);
		p->at += width + (p->at ? 1 : p->indent);
		text += size + (text[size] == ' ');
	}
}

static void end(struct paragraph *p)
{
	ml_say(p->s, "\n");
	p->at = 0;
}

const char *ml_findings_where(const struct ml_finding *n, struct ml_say *s)
{
	const char *file = ml_path_name(n->file);

	if (n->line && *n->func)
		return ml_arena_printf(&s->arena, "%s:%u in %s", file, n->line,
				       ml_say_cut(s, n->func, 30));
	if (n->line)
		return ml_arena_printf(&s->arena, "%s:%u", file, n->line);
	return ml_say_cut(s, n->func, 50);
}

static const char *percent(double share, struct ml_say *s)
{
	return ml_arena_printf(&s->arena, share < 0.0995 ? "%.1f %%" : "%.0f %%",
			       100 * share);
}

static void put_place(const struct ml_finding *n, struct ml_source_lines *sources,
		      struct ml_say *s)
{
	const char *where = ml_findings_where(n, s), *source = NULL;
	int room = s->columns - INDENT - width_of(where, strlen(where)) - 3;

	if (!*where)
		return;
	if (n->line && room > 12)
		source = ml_source_lines_find(sources, n->file, n->line);
	ml_say(s, "%*s%s", INDENT, "", where);
	if (source && *source)
		ml_say(s, "   %s", ml_say_cut(s, source, (size_t)room));
	ml_say(s, "\n");
}

/* Prints "Try: " or "Or:  ", and the advice beside it. */
static void put_advice(const char *word, const char *advice, const char *behind,
		       struct ml_say *s)
{
	struct paragraph p = { .s = s, .indent = INDENT + 5, .at = INDENT + 4 };

	ml_say(s, "%*s%-4s", INDENT, "", word);
	fill(&p, advice);
	fill(&p, behind);
	end(&p);
}

/* "simulated", or "estimated, 2.1 to 14 %". */
static const char *predicted(const struct ml_finding *n, struct ml_say *s)
{
	const char *how = n->simulated ? "simulated" : "estimated";
	const char *low = percent(n->low, s), *high = percent(n->high, s);

	if (n->low >= n->high || !strcmp(low, high))
		return how;
	return ml_arena_printf(&s->arena, "%s, %s to %s", how, low, high);
}

static void put_finding(size_t number, const struct ml_finding *n,
			struct ml_source_lines *sources, struct ml_say *s)
{
	const char *saves = ml_arena_printf(&s->arena, "saves %s%s",
					    n->simulated ? "" : "about ",
					    percent(n->gain, s));
	/* a long name in the title does not push the gain off the line */
	const char *title = ml_say_cut(s, n->title,
				       (size_t)(s->columns - INDENT - 2) - strlen(saves));
	const char *head = ml_arena_printf(&s->arena, "%2zu. %s", number, title);
	struct paragraph p = { .s = s, .indent = INDENT };
	int space = s->columns - width_of(head, strlen(head)) - (int)strlen(saves);

	ml_say(s, "%s%*s%s\n", head, space >= 2 ? space : 2, "", saves);
	put_place(n, sources, s);
	for (size_t i = 0; n->says[i]; i++)
		fill(&p, n->says[i]);
	end(&p);
	put_advice("Try:", n->advice, ml_arena_printf(&s->arena, "(%s)", predicted(n, s)),
		   s);
	for (const struct ml_finding *x = n->other; x; x = x->other)
		put_advice("Or:", x->advice,
			   ml_arena_printf(&s->arena, "(saves %s, %s)",
					   percent(x->gain, s), predicted(x, s)),
			   s);
}

static void put_nothing(const struct ml_findings *f, const struct ml_profile *p,
			struct ml_say *s)
{
	struct paragraph x = { .s = s };
	const char *first = p->machine.level[0].name;

	if (!p->refs)
		fill(&x, "Nothing to look at: there are no references.");
	else if (f->no_verdict)
		fill(&x, ml_arena_printf(&s->arena,
					 "No finding, and no verdict. %s. %s of the "
					 "access time is waiting beyond %s.",
					 f->no_verdict, percent(f->waiting, s), first));
	else if (f->waiting < 0.1)
		fill(&x,
		     ml_arena_printf(
			     &s->arena,
			     "Nothing to mend: %s serves %s of the references, and waiting "
			     "for the others takes %s of the access time.",
			     first,
			     ml_say_percent(s, ml_say_share(p->served[1], p->refs)),
			     ml_say_percent(s, f->waiting)));
	else
		fill(&x,
		     ml_arena_printf(
			     &s->arena,
			     "No finding: %s of the access time is waiting beyond %s (%s for "
			     "lines touched for the first time), but no change that memlamp "
			     "knows would save 2 %% of it.",
			     percent(f->waiting, s), first, percent(f->cold, s)));
	end(&x);
}

/* Explains how the figures were computed, where it matters. */
static void put_notes(const struct ml_findings *f, struct ml_say *s)
{
	struct paragraph p = { .s = s };

	if (f->untried && f->count) {
		fill(&p, "Changes were not simulated:");
		fill(&p, f->untried);
		end(&p);
	} else if (f->tried && f->tried < f->of) {
		fill(&p, ml_arena_printf(
				 &s->arena,
				 "(Changes were simulated on %s of %s references, taken "
				 "from %u phase%s of the run. The bounds are two "
				 "standard errors apart from the figure.)",
				 ml_say_count(s, f->tried), ml_say_count(s, f->of),
				 f->phases, f->phases == 1 ? "" : "s"));
		end(&p);
	}
}

void ml_findings_print(const struct ml_findings *f, struct ml_trace *t,
		       const struct ml_profile *p, struct ml_say *s)
{
	struct ml_source_lines sources = { .trace = t };

	if (!f->count)
		put_nothing(f, p, s);
	for (size_t i = 0; i < f->count; i++) {
		bool begins = !i || f->at[i].vague != f->at[i - 1].vague;

		if (i)
			ml_say(s, "\n");
		if (begins && f->at[i].vague)
			ml_say(s, "Where the program waits%s, without a certain remedy\n",
			       i ? " as well" : "");
		else if (begins)
			ml_say(s, "What to change, by the access time that it saves\n");
		put_finding(i + 1, &f->at[i], &sources, s);
	}
	put_notes(f, s);
	ml_source_lines_release(&sources);
}
