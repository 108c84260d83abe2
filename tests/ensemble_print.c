/*
 * Prints all that the file of an ensemble holds, through the reader of the library, for
 * tests/cli/analyse/ensemble_format.sh to compare with what another reader prints.
 *
 *	ensemble_print FILE
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/analyse/ensemble/ensemble.h"

static void print_trace(const struct ml_ensemble_trace *t)
{
	printf("trace %s label %s id ", t->path, t->label);
	for (int i = 0; i < 16; i++)
		printf("%02x", t->id[i]);
	printf(" window %" PRIu64 " %" PRIu64 " bits %u bins %zu\n", t->from, t->to,
	       t->bits, t->bins);
	for (size_t i = 0; i < t->milestone_count; i++) {
		printf("milestones %s:", t->milestones[i].name);
		for (size_t k = 0; k < t->milestones[i].count; k++)
			printf(" %" PRIu64, t->milestones[i].at[k]);
		printf("\n");
	}
}

static void print_member(const struct ml_ensemble *e, const struct ml_member *m)
{
	printf("member %s trace %u machine %s\n", m->label, m->trace, m->machine);
	for (size_t i = 0; i < m->param_count; i++) {
		printf("parameter %s = %s", m->params[i].name, m->params[i].value);
		if (!isnan(m->params[i].number))
			printf(" number %a", m->params[i].number);
		printf("\n");
	}
	for (unsigned s = 1; m->done && s <= m->parsed.levels + 1; s++) {
		printf("served %u total %" PRIu64 ":", s, m->total[s]);
		for (size_t i = 0; i < e->traces[m->trace].bins; i++)
			printf(" %u", m->served[s][i]);
		printf("\n");
	}
	if (m->done && m->beyond) {
		printf("beyond total %" PRId64 ":", m->beyond_total);
		for (size_t i = 0; i < e->traces[m->trace].bins; i++)
			printf(" %" PRId64, m->beyond[i]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	struct ml_ensemble e;
	struct ml_err err;

	if (argc != 2 || !ml_ensemble_open(&e, argv[1], &err)) {
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "one file, please");
		return 1;
	}
	for (size_t i = 0; i < e.trace_count; i++)
		print_trace(&e.traces[i]);
	for (size_t i = 0; i < e.member_count; i++)
		print_member(&e, &e.members[i]);
	for (size_t i = 0; i < e.state_count; i++)
		printf("state trace %u position %" PRIu64 " bytes %zu\n",
		       e.states[i].trace, e.states[i].position, e.states[i].size);
	for (size_t i = 0; i < e.choice_count; i++)
		printf("choice %s = %s\n", e.choices[i].name, e.choices[i].value);
	ml_ensemble_release(&e);
	return 0;
}
