/*
 * Prints all that a result file holds, through the reader of the library, for
 * tests/cli/analyse/result_format.sh to compare with what another reader prints.
 *
 *	result_print RESULT
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/analyse/result/result.h"
#include "lib/analyse/result/result_counts.h"
#include "lib/analyse/result/result_parts.h"
#include "lib/base/map.h"

static void print_numbers(const char *what, const uint64_t *v, size_t count)
{
	printf("%s", what);
	for (size_t i = 0; i < count; i++)
		printf(" %" PRIu64, v[i]);
	printf("\n");
}

static void print_info(const struct ml_result *r)
{
	const struct ml_result_info *i = &r->info;

	printf("trace ");
	for (int k = 0; k < 16; k++)
		printf("%02x", i->trace[k]);
	printf("\nof %" PRIu64 " references\nmachine %s\nversion %s\nwant %u\n",
	       i->trace_refs, i->machine, i->version, i->want);
	printf("interleave %" PRIu64 "\nwindow %" PRIu64 " %" PRIu64 "\ncores %s\n",
	       i->interleave, i->from, i->to, i->cores);
}

static bool print_outcomes(struct ml_result *r, struct ml_err *err)
{
	for (uint64_t at = 0; at < r->refs;) {
		uint16_t outcome[1000];
		uint64_t to = at + 1000 < r->refs ? at + 1000 : r->refs;

		if (!ml_result_outcomes(r, at, to, outcome, err))
			return false;
		for (size_t i = 0; at < to; i++, at++)
			printf("outcome %u\n", outcome[i]);
	}
	return true;
}

/* Only what is not 0. */
static bool print_beyond(struct ml_result *r, struct ml_err *err)
{
	for (uint64_t at = 0; at < r->refs;) {
		int32_t cycles[1000];
		uint64_t to = at + 1000 < r->refs ? at + 1000 : r->refs;

		if (!ml_result_beyond(r, at, to, cycles, err))
			return false;
		for (size_t i = 0; at < to; i++, at++)
			if (cycles[i])
				printf("beyond %" PRIu64 " %" PRId32 "\n", at, cycles[i]);
	}
	return true;
}

/* Block by block. */
static bool print_counts(struct ml_result *r, bool sites, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	bool ok = true;

	for (uint64_t at = 0; ok && at < r->refs; at += ML_RESULT_BLOCK) {
		uint64_t to = at + ML_RESULT_BLOCK;
		struct ml_result_counts c;

		to = to < r->refs ? to : r->refs;
		ok = sites ? ml_result_sites(r, NULL, at, to, &c, &a, err)
			   : ml_result_regions(r, at, to, &c, &a, err);
		for (size_t i = 0; ok && i < c.count; i++) {
			printf("%s %" PRIu64 " %u", sites ? "site" : "region", at,
			       c.at[i].id);
			print_numbers("", c.at[i].served + 1, r->levels + 1);
		}
	}
	ml_arena_release(&a);
	return ok;
}

static bool print_alike(struct ml_result *r, struct ml_err *err)
{
	for (uint64_t at = 0; at < r->refs; at += ML_RESULT_PART) {
		const struct ml_result_row *row;
		size_t count;

		if (!ml_result_alike(r, at, &row, &count, err))
			return false;
		for (size_t i = 0; i < count; i++)
			printf("alike %" PRIu64 " %u %u %u %u %u %u %" PRId64 "\n", at,
			       row[i].site, row[i].region, row[i].thread, row[i].kind,
			       row[i].outcome, row[i].count, row[i].beyond);
	}
	return true;
}

static bool print_series(struct ml_result *r, struct ml_err *err)
{
	struct ml_result_bin bin[ML_RESULT_BINS];

	for (unsigned k = 0; k < ML_RESULT_RESOLUTIONS; k++)
		for (size_t b = 0; b < r->series[k].count; b++) {
			const struct ml_result_block *at = &r->series[k].at[b];
			struct ml_bytes in;

			if (!ml_result_unpack(r, at, ML_RESULT_SERIES + k, &in, err) ||
			    !ml_result_get_series(&in, bin, at->count, r->version,
						  r->levels, err))
				return false;
			for (size_t i = 0; i < at->count; i++) {
				printf("bin %u", k);
				printf(" %" PRId64, bin[i].beyond);
				print_numbers("", bin[i].served + 1, r->levels + 1);
			}
		}
	return true;
}

static bool print_checkpoints(struct ml_result *r, struct ml_err *err)
{
	struct ml_buf state = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < r->checkpoints.count; i++) {
		uint64_t at;

		ok = ml_result_checkpoint(r, r->checkpoints.at[i].position, &at, &state,
					  err);
		if (ok)
			printf("checkpoint %" PRIu64 " %zu %016" PRIx64 "\n", at,
			       state.size, ml_hash(state.data, state.size));
	}
	ml_buf_release(&state);
	return ok;
}

static void print_surcharge(const struct ml_surcharge *s)
{
	uint64_t v[] = { s->pages[0], s->pages[1], s->pages[2],  s->more,
			 s->fetches,  s->fetched,  s->transfers, s->instead };

	print_numbers("surcharge", v, sizeof(v) / sizeof(*v));
}

static void print_profile(const struct ml_profile *p)
{
	printf("preset %s\ncycles %.17g\n", p->machine.name, p->cycles);
	print_numbers("served", p->served, ML_SERVED);
	print_surcharge(&p->surcharge);
	for (unsigned i = 0; i <= ML_LEVELS; i++) {
		const struct ml_profile_level *l = &p->level[i];

		printf("level %u useless %" PRIu64 " sets %u\n", i, l->counts.useless,
		       l->sets);
		print_numbers("missed", l->counts.missed, 3);
		for (uint32_t k = 0; l->set && k < l->sets; k++)
			printf("set %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			       l->set[k].missed, l->set[k].conflict, l->set[k].lines);
	}
	for (unsigned i = 0; i < ML_TLBS; i++)
		print_numbers("tlb", p->tlb[i].missed, 3);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];

		printf("cell %u %u %u %" PRIu64 " %" PRId64 " %" PRIu64 "\n", c->site,
		       c->caller, c->region, c->steps, c->stride[0].bytes,
		       c->stride[0].count);
		print_numbers("causes", &c->cause[0][0], ML_LEVELS * ML_CAUSES);
		print_surcharge(&c->surcharge);
	}
	for (size_t i = 0; i < p->use_count; i++)
		printf("use %u %u %" PRIu64 " %" PRIu64 "\n", p->uses[i].region,
		       p->uses[i].level, p->uses[i].used, p->uses[i].in_vain);
	for (size_t i = 0; i < p->pair_count; i++)
		printf("pair %u %u %u %" PRIu64 " %" PRIu64 "\n", p->pairs[i].level,
		       p->pairs[i].loser, p->pairs[i].winner, p->pairs[i].conflict,
		       p->pairs[i].capacity);
	for (size_t i = 0; i < p->thread_count; i++) {
		printf("thread %u %u %" PRIu64 "\n", p->threads[i].thread,
		       p->threads[i].core, p->threads[i].refs);
		print_surcharge(&p->threads[i].surcharge);
	}
	for (size_t i = 0; i < p->segment_count; i++) {
		printf("segment %" PRIu64 " %" PRIu64 "\n", p->segments[i].from,
		       p->segments[i].served[1]);
		print_surcharge(&p->segments[i].surcharge);
	}
	for (size_t i = 0; i < p->bounce_count; i++)
		printf("bounce %" PRIu64 " %u %u %" PRIu64 "\n", p->bounces[i].line,
		       p->bounces[i].from, p->bounces[i].to, p->bounces[i].false_sharing);
	for (size_t i = 0; i < p->region_count; i++)
		printf("made region %u %s\n", p->regions[i].kind,
		       p->names + p->regions[i].name);
	for (size_t i = 0; i < p->bin_count; i++)
		print_numbers("profile bin", p->bins[i].served, ML_SERVED);
}

int main(int argc, char **argv)
{
	struct ml_result r;
	struct ml_err err;

	if (argc != 2 || !ml_result_open(&r, argv[1], &err)) {
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "result_print RESULT");
		return 1;
	}
	print_info(&r);
	bool ok = print_outcomes(&r, &err) && print_beyond(&r, &err) &&
		  print_counts(&r, true, &err) && print_counts(&r, false, &err) &&
		  print_alike(&r, &err) && print_series(&r, &err) &&
		  print_checkpoints(&r, &err);
	if (ok)
		print_profile(&r.profile);
	else
		fprintf(stderr, "%s\n", err.text);
	ml_result_close(&r);
	return !ok;
}
