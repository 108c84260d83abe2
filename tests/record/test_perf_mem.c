/* What keeps perf mem from working, on made-up machines. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/base/arena.h"
#include "record/session/perf_mem.h"

/* A new folder; release_root removes it with all that is in it. */
static const char *make_root(struct ml_arena *a)
{
	char *path = ml_arena_strdup(a, "/tmp/memlamp-test-XXXXXX");

	CHECK(mkdtemp(path));
	return path;
}

static void release_root(const char *root, struct ml_arena *a)
{
	CHECK(!system(ml_arena_printf(a, "rm -r %s", root)));
	ml_arena_release(a);
}

/* Writes a file below the scratch folder, and the folders above it. */
static void put(const char *root, const char *name, const char *text)
{
	char path[1000];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
	FILE *f = fopen(path, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
	chmod(path, 0777);
}

#define DEVICES "sys/bus/event_source/devices/"

static struct ml_perf_mem checked(const char *root, bool privileged, struct ml_arena *a)
{
	struct ml_perf_mem p;

	ml_perf_mem_check(&p, root, ml_arena_printf(a, "/nowhere:%s/bin", root),
			  privileged, a);
	return p;
}

TEST(each_missing_thing_is_said)
{
	struct ml_arena a = { 0 };
	const char *root = make_root(&a);
	struct ml_perf_mem p = checked(root, false, &a);

	CHECK_EQ(p.count, 2);
	CHECK(strstr(p.reasons[0], "perf is not installed"));
	CHECK(strstr(p.reasons[1], "CONFIG_PERF_EVENTS"));

	put(root, "bin/perf", "");
	put(root, DEVICES "software/type", "1");
	put(root, "proc/cpuinfo", "flags : fpu rdtscp hypervisor lahf_lm\n");
	put(root, "proc/sys/kernel/perf_event_paranoid", "3\n");
	p = checked(root, false, &a);
	CHECK_EQ(p.count, 2);
	CHECK(strstr(p.reasons[0], "virtual machine"));
	CHECK(strstr(p.reasons[1], "perf_event_paranoid is 3"));

	put(root, "proc/cpuinfo", "flags : fpu rdtscp\n");
	p = checked(root, true, &a);
	CHECK_EQ(p.count, 1);
	CHECK(strstr(p.reasons[0], "no PMU"));
	release_root(root, &a);
}

TEST(machines_with_counters_are_recognised)
{
	static const struct {
		const char *file, *pmu;
	} machines[] = {
		{ DEVICES "cpu/events/mem-loads", "Intel PEBS" },
		{ DEVICES "cpu_core/events/mem-loads", "Intel PEBS" },
		{ DEVICES "ibs_op/type", "AMD IBS" },
		{ DEVICES "arm_spe_0/type", "Arm SPE" },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct ml_arena a = { 0 };
		const char *root = make_root(&a);

		put(root, "bin/perf", "");
		put(root, machines[i].file, "");
		put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
		struct ml_perf_mem p = checked(root, false, &a);
		CHECK_EQ(p.count, 0);
		CHECK_STR(p.pmu, machines[i].pmu);
		release_root(root, &a);
	}
}
