#include "lib/trace/text/model_parts.h"

#include "lib/base/work.h"
#include "lib/base/arena.h"
#include "lib/trace/ref.h"
#include "lib/trace/tables.h"
#include "lib/trace/writer.h"

enum {
	PAGE = 4096,
	MATRIX_MAX = 1 << 16,    /* rows; 4 times its cube fits 64 bits */
	BETWEEN_LOOKS = 1 << 16, /* references, whether the work is cancelled */
};
#define NODES_MAX (1ull << 27)

struct array {
	uint64_t base, size;
	uint32_t region;
};

struct ml_model_run {
	struct ml_model *m;
	struct ml_writer *w;
	struct ml_err *err;
	struct array *arrays; /* registered now */
	size_t count, cap;
	uint64_t done; /* references so far */
};

/* splitmix64 (Steele, Lea, Flood 2014): 64 random bits from any seed. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static bool touch(struct ml_model_run *r, uint32_t site, enum ml_kind kind, uint64_t addr,
		  uint64_t size)
{
	struct ml_ref ref = {
		.addr = addr,
		.site = site,
		.thread = 1,
		.what = ml_what(kind, (unsigned)size),
	};

	if (!(++r->done % BETWEEN_LOOKS)) {
		ml_work_progress(r->m->work, "making", r->done, r->m->refs);
		if (!ml_work_goes_on(r->m->work, r->err))
			return false;
	}
	return ml_writer_ref(r->w, &ref, r->err);
}

/* Reads an element, writes it, or both. */
static bool use(struct ml_model_run *r, const struct ml_model_step *s, uint64_t addr,
		uint64_t size)
{
	return (!s->reads || touch(r, s->site[0], ML_READ, addr, size)) &&
	       (!s->writes || touch(r, s->site[1], ML_WRITE, addr, size));
}

static bool same_region(const struct ml_region *a, const struct ml_region *b)
{
	return a->name == b->name && a->elem == b->elem && a->dims == b->dims &&
	       a->dim[0] == b->dim[0] && a->dim[1] == b->dim[1];
}

/* Registers an array, unless it is registered, and unregisters arrays that it overlaps.
 * cols 0: one dimension. */
static void place(struct ml_model_run *r, const char *name, uint64_t base, uint64_t elem,
		  uint64_t rows, uint64_t cols)
{
	struct ml_tables *t = ml_writer_tables(r->w);
	struct ml_region want = {
		.kind = ML_REGION_REGISTERED,
		.name = ml_tables_name(t, name),
		.elem = elem,
		.dims = cols ? 2 : 1,
		.dim = { rows, cols },
	};
	uint64_t size = rows * (cols ? cols : 1) * elem;
	uint32_t region = 0;

	for (size_t i = 0; i < r->count;) {
		struct array *a = &r->arrays[i];

		if (a->base == base && a->size == size &&
		    same_region(&t->regions.at[a->region], &want))
			return;
		if (a->base < base + size && base < a->base + a->size) {
			ml_writer_unregister(r->w, a->base);
			*a = r->arrays[--r->count];
		} else
			i++;
	}
	for (uint32_t i = 1; i < t->regions.count && !region; i++)
		if (same_region(&t->regions.at[i], &want))
			region = i;
	if (!region) {
		region = (uint32_t)t->regions.count;
		*ML_ADD(t->regions) = want;
	}
	ml_writer_register(r->w, region, base, size);
	r->arrays = ml_grow(r->arrays, &r->cap, r->count + 1, sizeof(*r->arrays));
	r->arrays[r->count++] = (struct array){ base, size, region };
}

static const char *in_memory(uint64_t base, uint64_t size)
{
	return ml_model_sum(base, size) > ML_MODEL_ADDRESSES
		       ? "it touches addresses beyond 2^62"
		       : NULL;
}

static const char *check_sweep(struct ml_model_step *s)
{
	s->refs = ml_model_product(s->arg[1], s->reads + s->writes);
	return in_memory(s->arg[0], ml_model_product(s->arg[1], s->arg[2]));
}

static bool run_sweep(struct ml_model_run *r, struct ml_model_step *s)
{
	place(r, s->name, s->arg[0], s->arg[2], s->arg[1], 0);
	for (uint64_t i = 0; i < s->arg[1]; i++)
		if (!use(r, s, s->arg[0] + i * s->arg[2], s->arg[2]))
			return false;
	return true;
}

static const char *check_stride(struct ml_model_step *s)
{
	s->refs = ml_model_product(s->arg[1], s->reads + s->writes);
	if (s->arg[3] % s->arg[2])
		return "the stride is not a multiple of the element size";
	return in_memory(s->arg[0], ml_model_product(s->arg[1], s->arg[3]));
}

/* The elements touched are the first column of a matrix. */
static bool run_stride(struct ml_model_run *r, struct ml_model_step *s)
{
	place(r, s->name, s->arg[0], s->arg[2], s->arg[1], s->arg[3] / s->arg[2]);
	for (uint64_t i = 0; i < s->arg[1]; i++)
		if (!use(r, s, s->arg[0] + i * s->arg[3], s->arg[2]))
			return false;
	return true;
}

static const char *check_random(struct ml_model_step *s)
{
	s->refs = ml_model_product(s->arg[2], s->reads + s->writes);
	return s->arg[1] < s->arg[3] ? "the memory is smaller than an element"
				     : in_memory(s->arg[0], s->arg[1]);
}

static bool run_random(struct ml_model_run *r, struct ml_model_step *s)
{
	uint64_t state = s->seed, elems = s->arg[1] / s->arg[3];

	place(r, s->name, s->arg[0], s->arg[3], elems, 0);
	for (uint64_t i = 0; i < s->arg[2]; i++)
		if (!use(r, s, s->arg[0] + draw(&state) % elems * s->arg[3], s->arg[3]))
			return false;
	return true;
}

static const char *check_chase(struct ml_model_step *s)
{
	s->refs = s->arg[3];
	s->nodes = s->arg[1];
	if (s->arg[1] > NODES_MAX)
		return "it has more than 2^27 nodes";
	if (s->arg[2] < ML_MODEL_POINTER)
		return "a node is smaller than a pointer of 8 bytes";
	return in_memory(s->arg[0], ml_model_product(s->arg[1], s->arg[2]));
}

static bool run_chase(struct ml_model_run *r, struct ml_model_step *s)
{
	uint64_t state = s->seed, nodes = s->arg[1];
	uint32_t *next = ml_resize(NULL, nodes * sizeof(*next)), at = 0;
	bool ok = true;

	/* Sattolo's shuffle: one cycle through all nodes. */
	for (uint64_t i = 0; i < nodes; i++)
		next[i] = (uint32_t)i;
	for (uint64_t i = nodes - 1; i > 0; i--) {
		uint64_t j = draw(&state) % i;
		uint32_t other = next[j];

		next[j] = next[i];
		next[i] = other;
	}
	place(r, s->name, s->arg[0], s->arg[2], nodes, 0);
	for (uint64_t i = 0; ok && i < s->arg[3]; i++, at = next[at])
		ok = touch(r, s->site[0], ML_READ, s->arg[0] + at * s->arg[2],
			   ML_MODEL_POINTER);
	ml_free(next);
	return ok;
}

/* The matrices A, B and C follow each other, each at the start of a page. */

static const char *check_matrix(struct ml_model_step *s)
{
	if (s->arg[0] > MATRIX_MAX)
		return "a matrix has at most 65536 rows";
	s->row = ml_model_product(ml_model_sum(s->arg[0], s->pad), s->arg[1]);
	uint64_t size = ml_model_sum(ml_model_product(s->arg[0], s->row), PAGE);
	const char *reason = in_memory(s->base, ml_model_product(3, size));
	if (reason)
		return reason;
	s->matrix[0] = s->base;
	for (unsigned i = 1; i < 3; i++)
		s->matrix[i] = (s->matrix[i - 1] + size - 1) / PAGE * PAGE;
	return NULL;
}

static uint64_t cell(const struct ml_model_step *s, unsigned matrix, uint64_t row,
		     uint64_t col)
{
	return s->matrix[matrix] + row * s->row + col * s->arg[1];
}

static void place_matrices(struct ml_model_run *r, const struct ml_model_step *s,
			   unsigned count)
{
	static const char *const names[] = { "A", "B", "C" };

	for (unsigned i = 0; i < count; i++)
		place(r, names[i], s->matrix[i], s->arg[1], s->arg[0],
		      s->arg[0] + s->pad);
}

static uint64_t tile(const struct ml_model_step *s)
{
	return s->block ? s->block : s->arg[0];
}

static uint64_t end_of(uint64_t start, uint64_t step, uint64_t limit)
{
	return limit - start < step ? limit : start + step;
}

static const char *check_transpose(struct ml_model_step *s)
{
	s->refs = ml_model_product(2, ml_model_product(s->arg[0], s->arg[0]));
	return check_matrix(s);
}

static bool transpose_tile(struct ml_model_run *r, const struct ml_model_step *s,
			   uint64_t row, uint64_t col)
{
	uint64_t n = s->arg[0], elem = s->arg[1];

	for (uint64_t i = row; i < end_of(row, tile(s), n); i++)
		for (uint64_t j = col; j < end_of(col, tile(s), n); j++)
			if (!touch(r, s->site[0], ML_READ, cell(s, 0, i, j), elem) ||
			    !touch(r, s->site[1], ML_WRITE, cell(s, 1, j, i), elem))
				return false;
	return true;
}

static bool run_transpose(struct ml_model_run *r, struct ml_model_step *s)
{
	uint64_t n = s->arg[0];

	place_matrices(r, s, 2);
	for (uint64_t i = 0; i < n; i = end_of(i, tile(s), n))
		for (uint64_t j = 0; j < n; j = end_of(j, tile(s), n))
			if (!transpose_tile(r, s, i, j))
				return false;
	return true;
}

static const char *check_matmul(struct ml_model_step *s)
{
	const char *reason = check_matrix(s);

	if (reason)
		return reason;
	uint64_t n = s->arg[0], inner = n * n * ((n - 1) / tile(s) + 1); /* inner loops */
	s->refs = 4 * n * n * n;
	if (s->in_register && s->order[2] == ML_MODEL_K)
		s->refs = 2 * n * n * n + inner * (s->block ? 2 : 1);
	else if (s->in_register)
		s->refs = 3 * n * n * n + inner;
	return NULL;
}

/* The inner loop over [from, to); at[] holds the indices of the outer loops. */
static bool matmul_inner(struct ml_model_run *r, const struct ml_model_step *s,
			 uint64_t at[3], uint64_t from, uint64_t to)
{
	unsigned inner = s->order[2];
	bool keep_a = s->in_register && inner == ML_MODEL_J,
	     keep_b = s->in_register && inner == ML_MODEL_I,
	     keep_c = s->in_register && inner == ML_MODEL_K;
	uint64_t elem = s->arg[1];

	for (uint64_t x = from; x < to; x++) {
		at[inner] = x;
		uint64_t c = cell(s, 2, at[ML_MODEL_I], at[ML_MODEL_J]);

		if ((!keep_a || x == from) &&
		    !touch(r, s->site[0], ML_READ,
			   cell(s, 0, at[ML_MODEL_I], at[ML_MODEL_K]), elem))
			return false;
		if ((!keep_b || x == from) &&
		    !touch(r, s->site[1], ML_READ,
			   cell(s, 1, at[ML_MODEL_K], at[ML_MODEL_J]), elem))
			return false;
		if (keep_c && x + 1 < to)
			continue;
		if ((!keep_c || s->block) && !touch(r, s->site[2], ML_READ, c, elem))
			return false;
		if (!touch(r, s->site[3], ML_WRITE, c, elem))
			return false;
	}
	return true;
}

/* low: the indices at which the tile begins, in the order of the loops */
static bool matmul_tile(struct ml_model_run *r, const struct ml_model_step *s,
			const uint64_t low[3])
{
	uint64_t at[3], high[3];
	const uint8_t *o = s->order;

	for (unsigned i = 0; i < 3; i++)
		high[i] = end_of(low[i], tile(s), s->arg[0]);
	for (at[o[0]] = low[0]; at[o[0]] < high[0]; at[o[0]]++)
		for (at[o[1]] = low[1]; at[o[1]] < high[1]; at[o[1]]++)
			if (!matmul_inner(r, s, at, low[2], high[2]))
				return false;
	return true;
}

static bool run_matmul(struct ml_model_run *r, struct ml_model_step *s)
{
	uint64_t n = s->arg[0], b = tile(s), low[3];

	place_matrices(r, s, 3);
	for (low[0] = 0; low[0] < n; low[0] = end_of(low[0], b, n))
		for (low[1] = 0; low[1] < n; low[1] = end_of(low[1], b, n))
			for (low[2] = 0; low[2] < n; low[2] = end_of(low[2], b, n))
				if (!matmul_tile(r, s, low))
					return false;
	return true;
}

enum {
	SIMPLE = ML_MODEL_KIND | ML_MODEL_REPEAT | ML_MODEL_NAME,
	CHASE = ML_MODEL_REPEAT | ML_MODEL_NAME | ML_MODEL_SEED,
	MATRIX = ML_MODEL_BLOCK | ML_MODEL_PAD | ML_MODEL_BASE,
};

const struct ml_model_step_kind ml_model_step_kinds[] = {
	{ "sweep", 3, 3, 2, true, SIMPLE, check_sweep, run_sweep },
	{ "stride", 4, 4, 2, true, SIMPLE, check_stride, run_stride },
	{ "random", 4, 4, 3, true, SIMPLE | ML_MODEL_SEED, check_random, run_random },
	{ "chase", 4, 4, -1, true, CHASE, check_chase, run_chase },
	{ "matmul", 1, 2, 1, false, MATRIX | ML_MODEL_ORDER | ML_MODEL_REGISTER,
	  check_matmul, run_matmul },
	{ "transpose", 1, 2, 1, false, MATRIX, check_transpose, run_transpose },
	{ 0 },
};

static bool run_steps(struct ml_model_run *r, struct ml_model_step *s)
{
	for (; s; s = s->next)
		for (uint64_t i = 0; i < s->repeat; i++)
			if (!(s->kind ? s->kind->run(r, s) : run_steps(r, s->body)))
				return false;
	return true;
}

/* Each reference in the body of a step is a site. */
static void make_sites(struct ml_model_run *r, struct ml_model_step *s, uint64_t *ip)
{
	struct ml_tables *t = ml_writer_tables(r->w);

	for (; s; s = s->next) {
		if (!s->kind) {
			make_sites(r, s->body, ip);
			continue;
		}
		struct ml_frame frame = { ml_tables_name(t, s->kind->name),
					  ml_tables_name(t, r->m->name), s->line };
		for (unsigned i = 0; i < ML_MODEL_SITES; i++, *ip += 4)
			s->site[i] = ml_tables_site(t, *ip, "", true, &frame, 1);
	}
}

bool ml_model_run(struct ml_model *m, struct ml_writer *w, struct ml_err *err)
{
	struct ml_model_run r = { .m = m, .w = w, .err = err };
	uint64_t ip = 0x400000;

	make_sites(&r, m->steps, &ip);
	ml_writer_source(w, m->name, m->source.data, m->source.size);
	bool ok = run_steps(&r, m->steps);
	ml_free(r.arrays);
	return ok;
}
