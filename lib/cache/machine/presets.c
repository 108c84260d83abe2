#include "lib/cache/machine/machine.h"

/*
 * Replacement is lru in all of them. Vendors say little of it: Intel's inner caches
 * are measured to be trees (plru), the outer ones of Intel and AMD adaptive, Arm
 * documents pseudo-LRU or dynamic policies; none of this is a figure to copy. Cycles
 * are those of the manuals where they give them, otherwise rounded from published
 * measurements; memory is about 80 to 100 ns at the usual clock.
 *
 * `exclusive` is said of caches that are filled by the victims of the level within,
 * which the vendors call victim caches or non-inclusive.
 *
 * All have several prefetchers, of which the one into L2 is simulated: it follows streams
 * within a page of 4 KiB in all of them. Those into L1 are left out. Nothing here takes
 * time, so a line that a prefetcher names is there at once; with prefetchers in L1 a loop
 * over memory would cost as much as one over L1. A stream costs a hit of L2 a line, which
 * is about what the bandwidth of one core allows. docs/machines.md has the sources.
 *
 * Transfers are one way, rounded from published core-to-core latencies at the usual
 * clock.
 */
const struct ml_preset ml_presets[] = {
	{ "plain", "L1 32K 8w 64B | L2 1M 16w | L3 32M 16w",
	  "a modern machine without its peculiarities; the quickest to simulate",
	  "no machine: round figures between Intel's and AMD's of 2020 to 2024" },

	{ "skylake",
	  "L1 32K 8w 64B 4c | L1i 32K 8w 4c | L2 256K 4w prefetch=stream*4 12c | L3 "
	  "8M 16w inclusive shared 42c | TLB 64e 4w 4K | TLB2 1536e 12w 7c | memory "
	  "250c | walk 30c | transfer 90c",
	  "Intel Skylake client (Core i7-6700)",
	  "Intel 64 and IA-32 Architectures Optimization Reference Manual (248966), "
	  "Skylake client: cache and TLB tables. The sliced L3 is one cache here" },
	{ "skylake-sp",
	  "L1 32K 8w 64B 4c | L1i 32K 8w 4c | L2 1M 16w prefetch=stream*4 14c | L3 "
	  "38.5M 11w exclusive shared 68c | TLB 64e 4w 4K | TLB2 1536e 12w 7c | "
	  "memory 240c | walk 30c | transfer 160c",
	  "Intel Skylake server (Xeon Platinum 8180, 28 cores, 1.375M of L3 a core)",
	  "Optimization Reference Manual (248966), Skylake server: L3 non-inclusive, 11 "
	  "ways, 1.375M a core; the 28 slices are one cache here, its set chosen by "
	  "modulo and not by Intel's hash" },
	{ "icelake-sp",
	  "L1 48K 12w 64B 5c | L1i 32K 8w 5c | L2 1.25M 20w prefetch=stream*4 14c | "
	  "L3 60M 12w exclusive shared 70c | TLB 64e 4w 4K | TLB2 2048e 16w 7c | "
	  "memory 250c | walk 30c | transfer 170c",
	  "Intel Ice Lake server (Xeon Platinum 8380, 40 cores, 1.5M of L3 a core)",
	  "Optimization Reference Manual (248966), Ice Lake server; Intel ARK for the "
	  "sum of L3. Slices are one cache here" },
	{ "sapphire-rapids",
	  "L1 48K 12w 64B 5c | L1i 32K 8w 5c | L2 2M 16w prefetch=stream*4 15c | L3 "
	  "105M 15w exclusive shared 110c | TLB 96e 6w 4K | TLB2 2048e 16w 7c | "
	  "memory 330c | walk 30c | transfer 210c",
	  "Intel Sapphire Rapids (Xeon Platinum 8480+, 56 cores, 1.875M of L3 a core)",
	  "Optimization Reference Manual (248966), Golden Cove and Sapphire Rapids; Intel "
	  "ARK for the sum of L3; L3 cycles are rounded measurements, the 6 ways of the "
	  "first TLB are not verified. Slices are one cache here" },
	{ "golden-cove",
	  "L1 48K 12w 64B 5c | L1i 32K 8w 5c | L2 1.25M 10w prefetch=stream*4 15c | "
	  "L3 30M 12w shared 70c | TLB 96e 6w 4K | TLB2 2048e 16w 7c | memory 400c "
	  "| walk 30c | transfer 170c",
	  "Intel Alder Lake performance core (Core i9-12900K)",
	  "Optimization Reference Manual (248966), Golden Cove; Intel ARK for L3. The "
	  "efficiency cores that share L3 are left out, the 6 ways of the first TLB are not "
	  "verified" },

	{ "zen2",
	  "L1 32K 8w 64B 4c | L1i 32K 8w 4c | L2 512K 8w prefetch=stream*4 "
	  "inclusive 12c | L3 16M 16w exclusive share=4 39c | TLB 64e full 4K | "
	  "TLB2 2048e 16w 7c | memory 280c | walk 30c | transfer 100c",
	  "AMD Zen 2 (Ryzen 3000, EPYC 7002); four cores share an L3",
	  "AMD Software Optimization Guide for Family 17h Models 30h and Greater (56305): "
	  "L2 inclusive of L1, L3 filled by victims of L2" },
	{ "zen3",
	  "L1 32K 8w 64B 4c | L1i 32K 8w 4c | L2 512K 8w prefetch=stream*4 "
	  "inclusive 12c | L3 32M 16w exclusive share=8 46c | TLB 64e full 4K | "
	  "TLB2 2048e 16w 7c | memory 280c | walk 30c | transfer 90c",
	  "AMD Zen 3 (Ryzen 5000, EPYC 7003); eight cores share an L3",
	  "AMD Software Optimization Guide for Family 19h (56665)" },
	{ "zen4",
	  "L1 32K 8w 64B 4c | L1i 32K 8w 4c | L2 1M 8w prefetch=stream*4 inclusive "
	  "14c | L3 32M 16w exclusive share=8 50c | TLB 72e full 4K | TLB2 3072e "
	  "24w 7c | memory 330c | walk 30c | transfer 100c",
	  "AMD Zen 4 (Ryzen 7000, EPYC 9004); eight cores share an L3",
	  "AMD Software Optimization Guide for the Zen4 Microarchitecture (57647)" },
	{ "zen5",
	  "L1 48K 12w 64B 4c | L1i 32K 8w 4c | L2 1M 16w prefetch=stream*4 "
	  "inclusive 14c | L3 32M 16w exclusive share=8 50c | TLB 96e full 4K | "
	  "TLB2 4096e 16w 7c | memory 330c | walk 30c | transfer 100c",
	  "AMD Zen 5 (Ryzen 9000, EPYC 9005); eight cores share an L3",
	  "AMD Software Optimization Guide for the Zen5 Microarchitecture (58455)" },

	{ "m1",
	  "L1 128K 8w 128B 3c | L1i 192K 6w 3c | L2 12M 12w prefetch=stream*4 "
	  "share=4 18c | L3 8M 16w shared 100c | TLB 160e full 16K | TLB2 3072e 12w "
	  "6c | memory 310c | walk 30c | transfer 130c",
	  "Apple M1 performance core (Firestorm), lines of 128 bytes",
	  "sysctl hw.perflevel0 of macOS for sizes, line and sharing; AnandTech, November "
	  "2020, for cycles and TLB entries. Ways are measurements, those of the TLBs a "
	  "guess; L3 is the cache of the whole chip" },

	{ "neoverse-n1",
	  "L1 64K 4w 64B 4c | L1i 64K 4w 4c | L2 1M 8w prefetch=stream*4 inclusive "
	  "11c | L3 32M 16w shared 80c | TLB 48e full 4K | TLB2 1280e 5w 5c | "
	  "memory 250c | walk 30c | transfer 120c",
	  "Arm Neoverse N1 (AWS Graviton 2, 64 cores)",
	  "Arm Neoverse N1 Core Technical Reference Manual (100616); AWS for 32M of L3, "
	  "whose ways and cycles are measurements" },
	{ "neoverse-v1",
	  "L1 64K 4w 64B 4c | L1i 64K 4w 4c | L2 1M 8w prefetch=stream*4 inclusive "
	  "11c | L3 32M 16w shared 80c | TLB 40e full 4K | TLB2 2048e 8w 5c | "
	  "memory 280c | walk 30c | transfer 130c",
	  "Arm Neoverse V1 (AWS Graviton 3, 64 cores)",
	  "Arm Neoverse V1 Core Technical Reference Manual (101427); AWS for 32M of L3, "
	  "whose ways and cycles are measurements" },
	{ "cortex-a72",
	  "L1 32K 2w 64B 4c | L1i 48K 3w 4c | L2 1M 16w prefetch=stream*4 inclusive "
	  "shared 20c | TLB 32e full 4K | TLB2 1024e 4w 7c | memory 200c | walk 30c "
	  "| transfer 60c",
	  "Arm Cortex-A72 (Raspberry Pi 4)",
	  "Arm Cortex-A72 MPCore Processor Technical Reference Manual (100095)" },

	{ "power9",
	  "L1 32K 8w 128B wt nwa 4c | L1i 32K 8w 4c | L2 512K 8w prefetch=stream*4 "
	  "inclusive share=2 14c | L3 10M 20w exclusive share=2 40c | memory 300c | "
	  "transfer 100c",
	  "IBM POWER9, two cores share an L2 and an L3",
	  "POWER9 Processor User's Manual (OpenPOWER): store-through L1, L3 filled by "
	  "victims; cycles are rounded measurements. The L3 of other cores, which takes "
	  "victims too, is left out" },

	{ "i7", "L1 32K 8w 64B 4c | L2 256K 8w 10c | L3 8M 16w shared 40c | memory 200c",
	  "the Core i7 of the dissertation's section 2.1",
	  "Choudhury's dissertation (University of Utah, 2012) gives sizes, ways, lines and LRU; cycles are those of "
	  "Nehalem in Intel's Optimization Reference Manual (248966)" },
	{ "g5", "L1 32K 2w 128B | L2 512K 8w",
	  "the PowerMac G5 of the dissertation's section 4.3",
	  "the dissertation: sizes, ways and lines; cycles are this program's defaults" },

	{ "tiny-2levels", "L1 64 2w 16B 1c | L2 128 8w 10c | memory 100c",
	  "4 and 8 lines of 16 bytes: the dissertation's loop interchange",
	  "the dissertation, section 4.3: 'L1 is two-way set associative, with four cache "
	  "blocks; L2 is eight-way set associative, with eight'; cycles for teaching" },
	{ "tiny-4sets", "L1 256 4w 16B 1c | L2 1K 16w 10c | memory 100c",
	  "four sets in both levels, for the 4x4-blocked 16x16 matmul",
	  "the dissertation, section 7.4.2.2, says 'four sets' and no more: ways and "
	  "second level are ours" },
	{ "tiny-direct", "L1 128 1w 16B 1c | memory 100c",
	  "direct-mapped, 8 lines of 16 bytes", "for teaching" },
	{ "tiny-2way", "L1 128 2w 16B 1c | memory 100c",
	  "4 sets of 2 ways, 8 lines of 16 bytes", "for teaching" },
	{ "tiny-full", "L1 128 full 16B 1c | memory 100c",
	  "fully associative, 8 lines of 16 bytes", "for teaching" },
	{ 0 },
};
