/*
 * What the flow says of programs that it did not run, against running them: random nests of
 * C are compiled in the original order, in another one, in tiles, and with each loop turned
 * round, and run with random data. Whatever is called legal or parallel gives the same
 * bytes; whatever is called illegal gives other bytes for some data, or is counted as
 * careful. ORACLE_NESTS is the number of nests; ORACLE_REPORT=1 prints the shares and the
 * reasons of what was careful, ORACLE_SEED begins elsewhere.
 */
#include "lib/flow/order/dependence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/flow/flow.h"
#include "lib/flow/order/isl.h"
#include "lib/flow/order/legality.h"
#include "lib/flow/read/open.h"
#include "tests/test.h"

#if defined(__SANITIZE_ADDRESS__)
#define FEWER 4 /* gcc's sanitizers make the proofs several times as slow */
#else
#define FEWER 1
#endif
enum { NESTS = 120 / FEWER, LOOPS = 3, VARIANTS = 2 + LOOPS, RUNS = 6 };

static struct ml_err err;

/* What all nests share. Arrays are larger than the loops reach. */
static const char prelude[] =
	"struct pair { int v; short w; };\n"
	"struct state { int a[16]; int n; struct pair e[16]; double d; };\n"
	"extern int g; extern unsigned char tiny;\n"
	"void *memset(void *, int, unsigned long);\n"
	"void *memcpy(void *, const void *, unsigned long);\n"
	"static int helper(int a, int b) { if (a > b) return a - b; return b; }\n"
	"static void bump(int *z) { *z += 3; }\n"
	"static void tick(void) { g++; }\n"
	"static double twice(const double *z) { return *z * 2; }\n"
	"#define ARGS int n, double (*restrict A)[16], double (*restrict B)[16], "
	"int (*restrict C)[16], int *restrict p, struct state *restrict t, "
	"double *restrict x, double *restrict *restrict r\n";

/* Declared in front of a nest, and stored behind it, so that the last values count. */
static const char declared[] =
	"\tint c = 0, h = 1, z = 5, last = 0, m1 = -9, lo, hi, mid, k2, b;\n"
	"\tunsigned u = 1; long l = 3; double s = 0, d = 1; float e = 0; char ch = 2;\n"
	"\tunsigned char uc = 7; double *q = x + 100; struct pair st = { 1, 2 };\n"
	"\tint taken = 4;\n";

/* $v: a loop variable; $o: one with an offset; $i, $j: the first and the second. Each ends
 * with what must be stored behind the nest. */
static const struct {
	const char *text, *after;
} statements[] = {
	{ "A[$o][$o] = B[$o][$o] + 1;", "" },
	{ "A[$i][$j] = B[$o][$o] + 1;", "" },
	{ "A[$v][$v] += B[$o][$o];", "" },
	{ "A[$i][$j] = A[$o][$o];", "" },
	{ "A[$i][$j] = A[$o][$j] - A[$i][$o];", "" },
	{ "C[$i][$j] = c++;", "" },
	{ "c += C[$v][$v];", "x[0] = c;" },
	{ "c++; C[$v][$v] += 2;", "x[0] = c;" },
	{ "u = u * 1103515245u + 12345u; C[$i][$j] = (int)(u >> 16);", "" },
	{ "h = p[h]; C[$i][$j] = h;", "" },
	{ "s += B[$v][$v];", "x[1] = s;" },
	{ "s = s + B[$v][$v] + 1; ", "x[1] = s;" },
	{ "s += B[$v][$v]; A[$i][$j] = s;", "" },
	{ "s = B[$v][$v]; A[$i][$j] = s * 2;", "" },
	{ "s = B[$v][$v]; A[$i][$j] = s * 2;", "x[1] = s;" },
	{ "{ double v = B[$v][$v]; A[$i][$j] = v + 1; }", "" },
	{ "{ double w[2]; w[0] = B[$o][$v]; w[1] = w[0] + 1; A[$i][$j] = w[1]; }", "" },
	{ "{ double w[2] = { B[$o][$v], 1 }; A[$i][$j] = w[0] - w[1]; }", "" },
	{ "A[$i][$j] = *q++;", "" },
	{ "*q++ = B[$i][$j];", "" },
	{ "q[$v] = B[$i][$j];", "" },
	{ "q = x + $v * 16; q[$v] = B[$i][$j];", "" },
	{ "t->a[$v] += C[$v][$v];", "" },
	{ "t->a[$v] = C[$v][$v];", "" },
	{ "t->n = C[$i][$j]; C[$j][$i] = t->n;", "" },
	{ "t->n++; C[$i][$j] = t->n;", "" },
	{ "t->n += C[$i][$j];", "" },
	{ "t->e[$v].v = C[$i][$j]; t->e[$v].w = 1;", "" },
	{ "t->e[$i].v += t->e[$j].w;", "" },
	{ "C[$i][$j] = helper(C[$v][$v], $v);", "" },
	{ "bump(&taken); C[$i][$j] = taken;", "" },
	{ "bump(&taken);", "x[2] = taken;" },
	{ "bump(&C[$v][$v]);", "" },
	{ "A[$i][$j] = twice(&B[$v][$v]);", "" },
	{ "g += C[$v][$v];", "" },
	{ "g = C[$v][$v];", "" },
	{ "tick(); C[$i][$j] = g;", "" },
	{ "tick();", "" },
	{ "if (C[$v][$v] > m1) m1 = C[$v][$v];", "x[3] = m1;" },
	{ "C[p[$v] & 7][$v] += 1;", "" },
	{ "C[p[$v] & 7][$v] = $v;", "" },
	{ "C[$i][$j] = p[$v] + p[$o];", "" },
	{ "x[$i * 13 + $j] = x[$j * 13 + $i] + 1;", "" },
	{ "x[$i * 16 + $j] = x[$i * 16 + $o] + 1;", "" },
	{ "x[($i - 6) / 2 + 20] = $i; x[20] += 1;", "" },
	{ "C[($i - 7) % 3 + 5][$j] = $v;", "" },
	{ "z = z ^ C[$v][$v];", "x[4] = z;" },
	{ "z |= C[$v][$v];", "x[4] = z;" },
	{ "l = l * C[$v][$v];", "x[5] = l;" },
	{ "l -= C[$v][$v]; l = l * 3;", "x[5] = l;" },
	{ "memset(&A[$v][0], 0, 2 * sizeof(double));", "" },
	{ "memcpy(A[$i], B[$v], 3 * sizeof(double));", "" },
	{ "r[$i][$j] = r[$o][$v] + 1;", "" },
	{ "r[$i][$j] = B[$v][$v];", "" },
	{ "switch (C[$i][$j] & 3) { case 0: c = $v; break; case 1: c += 2; default: "
	  "A[$i][$j] = c; }",
	  "" },
	{ "b = C[$i][$j] > 0; if (b) A[$i][$j] = 2; else A[$i][$j] = 3;", "" },
	{ "if (B[$v][$v] > 0) s = 1; else s = 2; A[$i][$j] = s;", "" },
	{ "st.v = C[$i][$j]; A[$i][$j] = st.v;", "" },
	{ "st.w += 3; A[$i][$j] = st.w;", "" },
	{ "st.v += C[$v][$v];", "x[6] = st.v;" },
	{ "d = -d; A[$i][$j] = d;", "" },
	{ "A[$i][$j] = last; last = $v;", "" },
	{ "if (B[$v][$v] > 0) last = $v; A[$i][$j] = last;", "" },
	{ "last = $i * 2; A[$i][$j] = last;", "x[7] = last;" },
	{ "k2 = 0; while (k2 < (C[$i][$j] & 3)) { s += k2; k2++; }", "x[1] = s;" },
	{ "lo = 0; hi = 15; while (lo < hi) { mid = (lo + hi) / 2; if (p[mid] < C[$i][$j]) lo "
	  "= mid + 1; else hi = mid; } C[$j][$i] = lo;",
	  "" },
	{ "ch += C[$v][$v];", "x[8] = ch;" },
	{ "uc = uc + 100; C[$i][$j] = uc;", "" },
	{ "tiny += 100; C[$i][$j] = tiny > 128;", "" },
	{ "e = e + 1; A[$i][$j] = e;", "" },
	{ "for (k2 = 0; k2 < 3; k2++) A[$i][k2] += B[$j][k2];", "" },
	{ "for (k2 = 0; k2 < 3; k2++) { if (B[$i][k2] > 2) break; } C[$i][$j] = k2;",
	  "" },
	{ "for (k2 = 0, mid = 3; k2 < mid; k2++, mid--) A[$i][k2] += mid;", "" },
	{ "b = 3; while (b--) A[$v][b] += 1;", "" },
	{ "{ double *w = A[$i]; for (k2 = 0; k2 < 3; k2++) *w++ = B[$j][k2]; }", "" },
	{ "for (k2 = 1; k2 < 8; k2 *= 2) A[$i][k2] = B[$j][k2];", "" },
	{ "C[$i][$j] = k2 = $v;", "x[9] = k2;" },
	{ "x[c & 255] = $v; c += 1;", "" },
	{ "c > 5 && (c = 0); c++; C[$i][$j] = c;", "" },
	{ "A[$i][$j] = c ? 1 : 2; c = !c;", "" },
	{ "goto over$u; C[0][0] = 99; over$u: C[$i][$j] = $v;", "" },
};

static const char *const guards[] = {
	"if ($i > $j) ",       "if ($i != $j) ", "if (B[$v][$v] > 0) ",
	"if (C[$i][$j] & 1) ", "if (n > 5) ",    "if (($i + $j) % 2 == 0) ",
};

static const char *const ends[] = { "if ($v == 4) continue;",
				    "if (C[$v][$v] == 3) continue;",
				    "if (A[$i][$j] == 2) break;" };

struct loop {
	char name;
	const char *from, *to; /* to: not included */
	int step;
	bool down;
};

struct nest {
	struct loop loop[LOOPS];
	size_t loops;
	char body[2000], after[400];
	int order[LOOPS]; /* the other order, as indices of loops */
	int tile[LOOPS];  /* 0: none */
	/* by variant: the order, the tiles, each loop turned round */
	enum { UNSAID, SAME, CAREFUL } claim[VARIANTS];
	char why[VARIANTS][160];
};

static unsigned label;

static void expand(const struct nest *k, const char *text, char *out, size_t size)
{
	size_t n = strlen(out);
	unsigned here = label++;

	for (; *text && n + 12 < size; text++) {
		if (*text != '$') {
			out[n++] = *text;
			continue;
		}
		char is = *++text, v = k->loop[rand() % (int)k->loops].name;
		if (is == 'i' || is == 'j')
			v = k->loop[is == 'j'].name;
		if (is == 'u')
			n += (size_t)sprintf(out + n, "%u", here);
		else if (is == 'o')
			n += (size_t)sprintf(out + n, "%c + %d", v, rand() % 3 - 1);
		else
			out[n++] = v;
	}
	out[n] = 0;
}

static void make_loop(struct nest *k, size_t i)
{
	struct loop *l = &k->loop[i];

	*l = (struct loop){ .name = "ijk"[i],
			    .from = rand() % 2 ? "1" : "2",
			    .to = rand() % 3 ? "n" : "9",
			    .step = 1 };
	if (i && rand() % 4 == 0)
		l->from = "i";
	else if (i && rand() % 4 == 0)
		l->to = "i + 1";
	else if (rand() % 8 == 0)
		l->step = 2;
	l->down = l->step == 1 && rand() % 8 == 0;
}

static void make_nest(struct nest *k)
{
	size_t count = 1 + (size_t)rand() % 3;

	memset(k, 0, sizeof(*k));
	k->loops = rand() % 4 ? 2 : 3;
	for (size_t i = 0; i < k->loops; i++)
		make_loop(k, i);
	for (size_t i = 0; i < count; i++) {
		size_t s = (size_t)rand() % (sizeof(statements) / sizeof(*statements));

		strcat(k->body, "\t\t\t");
		if (rand() % 6 == 0) {
			expand(k, guards[(size_t)rand() % 6], k->body, sizeof(k->body));
			strcat(k->body, "{ ");
			expand(k, statements[s].text, k->body, sizeof(k->body));
			strcat(k->body, " }");
		} else
			expand(k, statements[s].text, k->body, sizeof(k->body));
		strcat(k->body, "\n");
		strcat(k->after, statements[s].after);
		if (i + 1 < count && rand() % 12 == 0) {
			expand(k, ends[(size_t)rand() % 3], k->body, sizeof(k->body));
			strcat(k->body, "\n");
		}
	}
	/* any order but the original; the loops that the tiles cut */
	do {
		for (size_t i = 0; i < k->loops; i++)
			k->order[i] = (int)i;
		for (size_t i = 0; i < k->loops; i++) {
			size_t j = (size_t)rand() % k->loops;
			int o = k->order[i];

			k->order[i] = k->order[j];
			k->order[j] = o;
		}
	} while (k->order[0] == 0 && k->order[1] == 1);
	for (size_t i = 0; i < k->loops; i++)
		k->tile[i] = !k->loop[i].down && k->loop[i].step == 1 && rand() % 3
				     ? 2 + rand() % 4
				     : 0;
}

static void put_plain(struct ml_buf *b, const struct nest *k)
{
	for (size_t i = 0; i < k->loops; i++) {
		const struct loop *l = &k->loop[i];

		if (l->down)
			ml_buf_printf(b, "\tfor (int %c = %s - 1; %c >= %s; %c--)\n",
				      l->name, l->to, l->name, l->from, l->name);
		else
			ml_buf_printf(b, "\tfor (int %c = %s; %c < %s; %c += %d)\n",
				      l->name, l->from, l->name, l->to, l->name, l->step);
	}
}

static void put_full(struct ml_buf *b, const struct loop *l, bool down)
{
	if (down)
		ml_buf_printf(b, "\tfor (int %c = 13; %c >= 0; %c--)\n", l->name, l->name,
			      l->name);
	else
		ml_buf_printf(b, "\tfor (int %c = 0; %c < 14; %c++)\n", l->name, l->name,
			      l->name);
}

/* The iterations that the original has. */
static void put_cut(struct ml_buf *b, const struct nest *k)
{
	ml_buf_text(b, "\tif (1");
	for (size_t i = 0; i < k->loops; i++) {
		const struct loop *l = &k->loop[i];

		ml_buf_printf(b, " && %c >= %s && %c < %s && (%c - (%s)) %% %d == 0",
			      l->name, l->from, l->name, l->to, l->name, l->from,
			      l->step);
	}
	ml_buf_text(b, ")\n");
}

static void put_strips(struct ml_buf *b, const struct nest *k)
{
	for (size_t i = 0; i < k->loops; i++) {
		const struct loop *l = &k->loop[i];
		/* strips begin where the first iteration is */
		int from = atoi(*l->from == 'i' ? k->loop[0].from : l->from);

		if (k->tile[i])
			ml_buf_printf(b, "\tfor (int %cs = %d; %cs < 14; %cs += %d)\n",
				      l->name, from, l->name, l->name, k->tile[i]);
	}
}

static void put_function(struct ml_buf *b, const struct nest *k, int number, int variant)
{
	ml_buf_printf(b, "void f%d_%d(ARGS)\n{\n%s", number, variant + 1, declared);
	if (variant < 0) {
		put_plain(b, k);
	} else if (variant == 0) {
		for (size_t i = 0; i < k->loops; i++)
			put_full(b, &k->loop[k->order[i]], k->loop[k->order[i]].down);
		put_cut(b, k);
	} else if (variant == 1) {
		bool strips = false;

		for (size_t i = 0; i < k->loops; i++) {
			char v = k->loop[i].name;

			/* the loops over strips stand in front of the first that is cut */
			if (k->tile[i] && !strips)
				put_strips(b, k);
			strips |= k->tile[i] > 0;
			if (k->tile[i])
				ml_buf_printf(
					b, "\tfor (int %c = %cs; %c < %cs + %d; %c++)\n",
					v, v, v, v, k->tile[i], v);
			else
				put_full(b, &k->loop[i], k->loop[i].down);
		}
		put_cut(b, k);
	} else {
		for (size_t i = 0; i < k->loops; i++)
			put_full(b, &k->loop[i],
				 k->loop[i].down != ((int)i == variant - 2));
		put_cut(b, k);
	}
	ml_buf_printf(b, "\t{\n%s\t}\n\t%s\n}\n", k->body, k->after);
}

static struct ml_flow *read_nest(const struct nest *k)
{
	struct ml_buf b = { 0 };

	ml_buf_text(&b, prelude);
	put_function(&b, k, 0, -1);
	struct ml_flow *f = ml_flow_open_text("nest.c", (const char *)b.data, b.size,
					      NULL, &err);
	CHECK_OK(f, &err);
	ml_buf_release(&b);
	return f;
}

static void claim_change(struct nest *k, const struct ml_flow *f, int variant,
			 const char *tile, const char *order)
{
	struct ml_legality l;
	struct ml_arena a = { 0 };
	int64_t value[32] = { 0 };
	bool known[32] = { false };

	CHECK(f->symbol_count < 32);
	for (size_t i = 0; i < f->symbol_count; i++) {
		value[i] = 6;
		known[i] = f->symbol[i].kind <= ML_FLOW_TRIPS;
	}
	/* a refusal says nothing, and "legal as far as tried" nothing about other sizes */
	if (ml_legality_check(&l, f, tile, order, value, known, NULL, &a, &err)) {
		bool legal = l.kind == ML_LEGAL || l.kind == ML_LEGAL_UPDATES;

		k->claim[variant] = legal && l.all_sizes   ? SAME
				    : l.kind == ML_ILLEGAL ? CAREFUL
							   : UNSAID;
		snprintf(k->why[variant], sizeof(k->why[variant]), "%.150s",
			 l.why ? l.why : l.said);
	} else
		snprintf(k->why[variant], sizeof(k->why[variant]), "%.150s", err.text);
	ml_arena_release(&a);
}

static void claim(struct nest *k)
{
	struct ml_flow *f = read_nest(k);
	struct ml_dependences *d = ml_dependences_open(f, &err);
	char order[20] = "", tile[60] = "";
	size_t loop = 0;

	CHECK_OK(d, &err);
	for (uint32_t i = 0; i < f->node_count && loop < k->loops; i++) {
		const struct ml_flow_node *n = &f->node[i];
		char name[2] = { k->loop[loop].name, 0 };

		if (n->kind != ML_FLOW_FOR || strcmp(f->names[n->symbol], name) != 0)
			continue;
		enum ml_carried is = ml_dependences_carried(d, i);
		k->claim[2 + loop] = is == ML_CARRIED_OPEN ? UNSAID
				     : is == ML_CARRIED    ? CAREFUL
							   : SAME;
		const char *why = ml_dependences_why(d);
		snprintf(k->why[2 + loop], sizeof(k->why[0]), "%.150s", why ? why : "");
		loop++;
	}
	CHECK_EQ(loop, k->loops);
	ml_dependences_close(d);
	for (size_t i = 0; i < k->loops; i++) {
		sprintf(order + strlen(order), "%s%c", i ? "," : "",
			k->loop[k->order[i]].name);
		if (k->tile[i])
			sprintf(tile + strlen(tile), "%s%c=%d", *tile ? "," : "",
				k->loop[i].name, k->tile[i]);
	}
	claim_change(k, f, 0, NULL, order);
	if (*tile)
		claim_change(k, f, 1, tile, NULL);
	ml_flow_close(f);
}

static const char harness[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"int g; unsigned char tiny;\n"
	"static struct data { double A[16][16], B[16][16]; int C[16][16], p[32];\n"
	"\tstruct state t; double x[4096], rows[16][16]; } now, was;\n"
	"static double *r[16];\n"
	"static void fill(unsigned seed)\n{\n\tsrand(seed);\n"
	"\tmemset(&now, 0, sizeof(now));\n\tg = rand() % 9; tiny = 5;\n"
	"\tfor (int i = 0; i < 16; i++) {\n\t\tr[i] = now.rows[15 - i];\n"
	"\t\tnow.t.a[i] = rand() % 9; now.t.e[i].v = rand() % 9; now.t.e[i].w = rand() % 9;\n"
	"\t\tfor (int j = 0; j < 16; j++) {\n"
	"\t\t\tnow.A[i][j] = rand() % 17 - 8; now.B[i][j] = rand() % 17 - 8;\n"
	"\t\t\tnow.C[i][j] = rand() % 17 - 5; now.rows[i][j] = rand() % 9;\n\t\t}\n\t}\n"
	"\tfor (int i = 0; i < 32; i++) now.p[i] = rand() % 16;\n"
	"\tfor (int i = 0; i < 4096; i++) now.x[i] = rand() % 9;\n}\n"
	"typedef void function(ARGS);\n"
	"static void compare(int nest, int variant, function *a, function *b)\n{\n"
	"\tint differs = 0;\n\tfor (unsigned seed = 1; seed <= RUNS && !differs; seed++) {\n"
	"\t\tint n = 4 + (int)(seed * 3) % 9;\n\t\tfill(seed);\n"
	"\t\ta(n, now.A, now.B, now.C, now.p, &now.t, now.x, r);\n"
	"\t\tint before = g * 256 + tiny;\n\t\twas = now;\n\t\tfill(seed);\n"
	"\t\tb(n, now.A, now.B, now.C, now.p, &now.t, now.x, r);\n"
	"\t\tdiffers = memcmp(&was, &now, sizeof(now)) || before != g * 256 + tiny;\n\t}\n"
	"\tprintf(\"%d %d %d\\n\", nest, variant, differs);\n}\n";

/* Compiles and runs all that something was claimed of. */
static FILE *run(const struct nest *nest, int count, const char *folder)
{
	struct ml_buf b = { 0 };
	char command[600], path[300];

	ml_buf_text(&b, prelude);
	ml_buf_printf(&b, "enum { RUNS = %d };\n%s", RUNS, harness);
	for (int i = 0; i < count; i++)
		for (int v = -1; v < VARIANTS; v++)
			if (v < 0 || nest[i].claim[v] != UNSAID)
				put_function(&b, &nest[i], i, v);
	ml_buf_text(&b, "int main(void)\n{\n");
	for (int i = 0; i < count; i++)
		for (int v = 0; v < VARIANTS; v++)
			if (nest[i].claim[v] != UNSAID)
				ml_buf_printf(&b, "\tcompare(%d, %d, f%d_0, f%d_%d);\n",
					      i, v, i, i, v + 1);
	ml_buf_text(&b, "\treturn 0;\n}\n");
	snprintf(path, sizeof(path), "%s/nests.c", folder);
	FILE *f = fopen(path, "w");
	CHECK(f);
	CHECK_EQ(fwrite(b.data, 1, b.size, f), b.size);
	fclose(f);
	ml_buf_release(&b);
	snprintf(
		command, sizeof(command),
		"cd %s && cc -w -O0 -fwrapv -std=gnu11 nests.c -o nests && timeout 60 ./nests",
		folder);
	return popen(command, "r");
}

static int setting(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text ? atoi(text) : otherwise;
}

static void show(const struct nest *k, int variant)
{
	struct ml_buf b = { 0 };

	put_function(&b, k, 0, -1);
	put_function(&b, k, 0, variant);
	printf("variant %d: %s\n%.*s\n", variant, k->why[variant], (int)b.size,
	       (const char *)b.data);
	ml_buf_release(&b);
}

TEST(what_is_called_legal_or_parallel_computes_the_same_bytes)
{
	int count = setting("ORACLE_NESTS", NESTS), nest, variant, differs;
	int report = setting("ORACLE_REPORT", 0);
	int right = 0, wrong = 0, proved = 0, careful = 0, unsaid = 0;
	char folder[] = "/tmp/memlamp-oracle.XXXXXX", command[60];

	if (!ml_isl_load(&err) || system("cc --version >/dev/null 2>&1") != 0)
		skip();
	CHECK(mkdtemp(folder));
	srand((unsigned)setting("ORACLE_SEED", 41));
	struct nest *all = ml_resize(NULL, (size_t)count * sizeof(*all));
	for (int i = 0; i < count; i++) {
		make_nest(&all[i]);
		claim(&all[i]);
		for (int v = 0; v < VARIANTS; v++)
			unsaid += all[i].claim[v] == UNSAID && *all[i].why[v];
		for (int v = 0; v < VARIANTS && report > 2; v++)
			if (all[i].claim[v] == UNSAID && *all[i].why[v])
				printf("unsaid: %s\n", all[i].why[v]);
	}
	FILE *f = run(all, count, folder);
	CHECK(f);
	int lines = 0;
	for (; fscanf(f, "%d %d %d", &nest, &variant, &differs) == 3; lines++) {
		bool same = all[nest].claim[variant] == SAME;

		right += same && !differs;
		wrong += same && differs;
		proved += !same && differs;
		careful += !same && !differs;
		if (same && differs)
			show(&all[nest], variant);
		if (!same && !differs && report)
			printf("careful: %s\n", all[nest].why[variant]);
		if (!same && !differs && report > 1)
			show(&all[nest], variant);
	}
	CHECK_EQ(pclose(f), 0);
	if (report)
		printf("legal or parallel: %d the same, %d not; illegal or sequential: %d "
		       "differ, %d do not; nothing said: %d\n",
		       right, wrong, proved, careful, unsaid);
	ml_free(all);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_EQ(system(command), 0);
	CHECK_EQ(wrong, 0);
	CHECK(right > count / 4);
	CHECK(proved > careful);
}
