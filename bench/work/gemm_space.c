/*
 * The peer of bench/prune.sh: the space of examples/spaces/gemm.txt as plain nested
 * loops, every constraint computed for every variant, as one writes it by hand.
 */
#include <stdint.h>
#include <stdio.h>

static uint64_t counts[512];

int main(void)
{
	uint64_t total = 0;

	for (int dm = 1; dm <= 320; dm++)
		for (int dn = 1; dn <= 320; dn++)
			for (int bm = dm; bm <= 320; bm += dm)
				for (int bn = dn; bn <= 320; bn += dn)
					for (int bk = 2; bk <= 48; bk += 2) {
						int t = dm * dn;
						int regs = 2 * (bm / dm) * (bn / dn);
						int shmem = 8 * bk * (bm + bn);
						int by_regs = 65536 / (regs * t);
						int by_shmem = 49152 / shmem;
						unsigned m = t > 1024;

						by_regs = by_regs < 16 ? by_regs : 16;
						by_shmem = by_shmem < 16 ? by_shmem : 16;
						m |= (unsigned)(regs > 255) << 1;
						m |= (unsigned)(regs * t > 65536) << 2;
						m |= (unsigned)(shmem > 49152) << 3;
						m |= (unsigned)((bm * bk / 2) % t != 0 ||
								(bn * bk / 2) % t != 0)
						     << 4;
						m |= (unsigned)(by_regs * t < 512) << 5;
						m |= (unsigned)(by_shmem * t < 512) << 6;
						m |= (unsigned)(t % 32 != 0) << 7;
						m |= (unsigned)(bm * bn <
								bm * dn + bn * dm +
									2 * (bm + bn))
						     << 8;
						counts[m]++;
						total++;
					}
	printf("%llu %llu\n", (unsigned long long)total, (unsigned long long)counts[0]);
	return 0;
}
