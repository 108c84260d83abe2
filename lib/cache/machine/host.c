#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/cache/machine/host_transfer.h"
#include "lib/cache/machine/machine.h"

/*
 * hwloc knows no latencies, TLBs and prefetchers. They are those of a preset: of the same
 * processor by the numbers that it gives, else of the same maker.
 */
static const struct like {
	const char *vendor;
	int family, first, last; /* of models; family 0: any */
	const char *preset;
} similar[] = {
	{ "AuthenticAMD", 0x17, 0x00, 0xff, "zen2" },
	{ "AuthenticAMD", 0x19, 0x10, 0x1f, "zen4" },
	{ "AuthenticAMD", 0x19, 0x60, 0xaf, "zen4" },
	{ "AuthenticAMD", 0x19, 0x00, 0xff, "zen3" },
	{ "AuthenticAMD", 0x1a, 0x00, 0xff, "zen5" },
	{ "AuthenticAMD", 0, 0, 0, "zen4" },
	{ "HygonGenuine", 0, 0, 0, "zen2" },
	{ "GenuineIntel", 6, 0x4e, 0x4e, "skylake" },
	{ "GenuineIntel", 6, 0x5e, 0x5e, "skylake" },
	{ "GenuineIntel", 6, 0x8e, 0x8e, "skylake" },
	{ "GenuineIntel", 6, 0x9e, 0x9e, "skylake" },
	{ "GenuineIntel", 6, 0xa5, 0xa6, "skylake" },
	{ "GenuineIntel", 6, 0x55, 0x55, "skylake-sp" },
	{ "GenuineIntel", 6, 0x6a, 0x6c, "icelake-sp" },
	{ "GenuineIntel", 6, 0x8f, 0x8f, "sapphire-rapids" },
	{ "GenuineIntel", 6, 0xcf, 0xcf, "sapphire-rapids" },
	{ "GenuineIntel", 6, 0x97, 0x9a, "golden-cove" },
	{ "GenuineIntel", 6, 0xb7, 0xbf, "golden-cove" },
	{ "GenuineIntel", 0, 0, 0, "icelake-sp" },
	{ "Apple", 0, 0, 0, "m1" },
	{ NULL, 0, 0, 0, "neoverse-n1" },
};

static const char *info(hwloc_topology_t t, const char *key)
{
	hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
	const char *text = package ? hwloc_obj_get_info_by_name(package, key) : NULL;

	return text ? text : hwloc_obj_get_info_by_name(hwloc_get_root_obj(t), key);
}

static int number(hwloc_topology_t t, const char *key)
{
	const char *text = info(t, key);

	return text ? atoi(text) : -1;
}

static const char *similar_preset(hwloc_topology_t t)
{
	const char *vendor = info(t, "CPUVendor");
	int family = number(t, "CPUFamilyNumber"), model = number(t, "CPUModelNumber");

	for (const struct like *l = similar;; l++)
		if (!l->vendor ||
		    (vendor && !strcmp(l->vendor, vendor) &&
		     (!l->family ||
		      (l->family == family && l->first <= model && model <= l->last))))
			return l->preset;
}

static unsigned cores_below(hwloc_topology_t t, hwloc_obj_t o)
{
	int n = hwloc_get_nbobjs_inside_cpuset_by_type(t, o->cpuset, HWLOC_OBJ_CORE);

	return n > 0 ? (unsigned)n : 1;
}

/*
 * Ways, where the system does not report them (most Arm machines), or reports a number
 * that does not divide the size (virtual machines that show one slice of an L3): 8, or 16
 * from the third level on, halved until they fit. Most caches have these.
 */
static unsigned ways(hwloc_obj_t cache, uint64_t size, unsigned line)
{
	int known = cache->attr->cache.associativity;
	unsigned n = cache->attr->cache.depth > 2 ? 16 : 8;

	if (known > 0 && size % ((uint64_t)known * line) == 0)
		return (unsigned)known;
	while (n > 1 && size % ((uint64_t)n * line))
		n /= 2;
	return n;
}

static void level(struct ml_buf *out, hwloc_topology_t t, hwloc_obj_t cache,
		  const struct ml_level_spec *like)
{
	const struct hwloc_cache_attr_s *c = &cache->attr->cache;
	bool code = c->type == HWLOC_OBJ_CACHE_INSTRUCTION;
	unsigned line = c->linesize ? c->linesize : 64;
	uint64_t size = c->size / line * line;
	const char *inclusive = hwloc_obj_get_info_by_name(cache, "Inclusive");
	char text[160];
	char associativity[16] = "full", prefetch[32] = "";

	if (c->associativity != -1)
		snprintf(associativity, sizeof(associativity), "%uw",
			 ways(cache, size, line));
	if (!code && like->prefetch)
		snprintf(prefetch, sizeof(prefetch), "prefetch=%s*%u",
			 ml_prefetcher_names[like->prefetch], like->degree);
	snprintf(text, sizeof(text), " | L%u%s %llu %s %uB %s %s share=%u %uc", c->depth,
		 code ? "i" : "", (unsigned long long)size, associativity, line,
		 !code && c->depth > 1 && inclusive && *inclusive == '1' ? "inclusive"
									 : "",
		 prefetch,
		 cores_below(t, cache) < ML_CORES ? cores_below(t, cache) : ML_CORES,
		 like->cycles);
	ml_buf_text(out, text);
}

static void tlbs(struct ml_buf *out, const struct ml_machine *like)
{
	char text[96];

	for (unsigned i = 0; i < like->tlbs; i++) {
		const struct ml_level_spec *s = &like->tlb[i];

		snprintf(text, sizeof(text), " | %s %llue %uw %u %uc", s->name,
			 (unsigned long long)(s->size / s->line), s->ways, s->line,
			 s->cycles);
		ml_buf_text(out, text);
	}
	if (!like->tlbs)
		return;
	snprintf(text, sizeof(text), " | walk %uc", like->walk_cycles);
	ml_buf_text(out, text);
}

/* A logical processor of another core that has the same last cache; NULL: none. */
static hwloc_obj_t neighbour(hwloc_topology_t t, hwloc_obj_t first)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, first);
	hwloc_obj_t next = core ? core->next_cousin : NULL;

	return next ? hwloc_get_obj_inside_cpuset_by_type(t, next->cpuset, HWLOC_OBJ_PU,
							  0)
		    : NULL;
}

/* Measured, if hwloc describes this computer and not another one; else the preset's. */
static void transfer(struct ml_buf *out, hwloc_topology_t t, const char *preset)
{
	hwloc_obj_t first = hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, 0);
	hwloc_obj_t second = first ? neighbour(t, first) : NULL;
	const char *processor = info(t, "CPUModel");
	struct ml_machine like;
	struct ml_err err;
	uint32_t cycles;
	char text[64];

	snprintf(text, sizeof(text), "%s | cores 2", preset);
	if (!ml_machine_parse(&like, text, &err))
		return;
	if (!second || !hwloc_topology_is_thissystem(t) ||
	    !ml_host_transfer(processor ? processor : preset, first->os_index,
			      second->os_index, &cycles))
		cycles = like.transfer_cycles;
	snprintf(text, sizeof(text), " | transfer %uc", cycles);
	ml_buf_text(out, text);
}

/*
 * Reads the caches above the first core. If cores differ (big and little ones), the
 * others are taken to be like the first. The machine gets as many cores as share its
 * outermost cache, times the number of such caches (within what can be simulated), so
 * that groups divide evenly.
 */
static bool describe(hwloc_topology_t t, struct ml_buf *out, struct ml_err *err)
{
	hwloc_obj_t core = hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, 0);
	hwloc_obj_t last = NULL;
	struct ml_machine like;
	unsigned found = 0, instructions = 0, group, groups = 1;
	char text[64];

	if (!ml_machine_parse(&like, similar_preset(t), err))
		return false;
	if (!core)
		core = hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, 0);
	/*
	 * Some systems attach the first level below the core: start at its first thread.
	 */
	hwloc_obj_t o = hwloc_get_obj_inside_cpuset_by_type(t, core->cpuset, HWLOC_OBJ_PU,
							    0);
	for (; o; o = o->parent) {
		bool code = hwloc_obj_type_is_icache(o->type);

		if (!hwloc_obj_type_is_cache(o->type) || !o->attr->cache.size)
			continue;
		if (code && (o->attr->cache.depth != 1 || instructions++))
			continue;
		if (!code && (o->attr->cache.depth != found + 1 || found == ML_LEVELS))
			continue;
		level(out, t, o,
		      &like.level[found < like.levels ? found : like.levels - 1]);
		if (!code) {
			found++;
			last = o;
		}
	}
	if (!found)
		return ml_fail(
			err, ML_IO,
			"machine: hwloc finds no caches on this host; name a preset "
			"or write the machine out");
	group = cores_below(t, last);
	int outermost = (int)hwloc_get_nbobjs_by_depth(t, last->depth);
	if (outermost > 0 &&
	    group * (unsigned)outermost == cores_below(t, hwloc_get_root_obj(t)))
		groups = (unsigned)outermost;
	while (groups > 1 && group * groups > ML_CORES)
		groups--;
	group *= groups;
	if (group > ML_CORES)
		group = ML_CORES;
	snprintf(text, sizeof(text), " | cores %u | memory %uc", group,
		 like.memory_cycles);
	ml_buf_text(out, text);
	tlbs(out, &like);
	if (group > 1)
		transfer(out, t, similar_preset(t));
	/* another node's memory takes 1.4 to 2 times as long on servers of two sockets */
	snprintf(text, sizeof(text), " | remote %uc", like.memory_cycles * 8 / 5);
	if (group > 1 && hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE) > 1)
		ml_buf_text(out, text);
	ml_buf_u8(out, 0);
	return true;
}

bool ml_machine_host(struct ml_machine *m, struct ml_err *err)
{
	struct ml_buf text = { 0 };
	hwloc_topology_t t;
	bool ok = false;

	if (hwloc_topology_init(&t))
		return ml_fail(err, ML_IO, "machine: hwloc does not start");
	if (hwloc_topology_set_icache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL) ||
	    hwloc_topology_load(t))
		ml_fail(err, ML_IO, "machine: hwloc cannot tell what this host is");
	else
		ok = describe(t, &text, err) &&
		     /* behind the first " | " */
		     ml_machine_parse(m, (const char *)text.data + 3, err);
	hwloc_topology_destroy(t);
	ml_buf_release(&text);
	if (ok)
		strcpy(m->name, "host");
	return ok;
}
