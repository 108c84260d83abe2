/* The hardware of this host, by way of hwloc's XML. */
#include <hwloc.h>

#include "lib/base/err.h"
#include "lib/samples/topology.h"

bool ml_topology_host(struct ml_topology *t, struct ml_arena *a, struct ml_err *err)
{
	hwloc_topology_t host;
	char *xml = NULL;
	int size = 0;

	if (hwloc_topology_init(&host))
		return ml_fail(err, ML_IO, "hardware: hwloc does not start");
	bool ok = !hwloc_topology_load(host) &&
		  !hwloc_topology_export_xmlbuffer(host, &xml, &size, 0);
	if (!ok)
		ml_fail(err, ML_IO, "hardware: hwloc cannot tell what this host is");
	/* the size counts the zero at the end */
	ok = ok && ml_topology_parse(t, "hardware of this host", xml,
				     size > 0 ? (size_t)size - 1 : 0, a, err);
	if (xml)
		hwloc_free_xmlbuffer(host, xml);
	hwloc_topology_destroy(host);
	return ok;
}
