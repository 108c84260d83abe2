/* How foreign files of samples are to be read. */
#pragma once

#include <stdint.h>

struct ml_read_options {
	const char *columns; /* "latency=weight,cpu=3": role=heading or number; or NULL */
	const char *types;   /* "time=hex,id=names": heading=type; or NULL */
	const char *source;  /* of the data-source word: "pebs" or "perf"; NULL: found */
	const char *hardware; /* XML file; NULL: hardware.xml of a Mitos folder */
	uint64_t l1_latency;  /* cycles added to the miss latency of AMD IBS */
	const char *levels;   /* "L1:14,L2:60,L3:200": levels of samples without one, by
				 latency; more is RAM. NULL: they stay unknown */
};

enum { ML_L1_LATENCY = 4 }; /* load to use of integers, AMD Zen */
