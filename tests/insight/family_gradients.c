/* kind: tile or fuse or sweep
 * region: *
 * family: 8
 * Eight gradients that are used alike are one finding. */
#include <stdio.h>
#include <stdlib.h>
#ifndef V
#define V 0
#endif
enum { N = V == 2 ? 90 : 4000, R = V == 2 ? 400 : 12 };
struct domain {
	double *gx, *gy, *gz, *hx, *hy, *hz, *kx, *ky;
};

__attribute__((noinline)) static void gradients(struct domain *d, double w)
{
	for (int i = 0; i < N; i++) {
		d->gx[i] = w * i;
		d->gy[i] = w + i;
		d->gz[i] = w - i;
		d->hx[i] = w * 2;
		d->hy[i] = i * 2;
		d->hz[i] = i * 3;
		d->kx[i] = i - 2;
		d->ky[i] = i - 3;
	}
}

__attribute__((noinline)) static double limit(const struct domain *d)
{
	double s = 0;

	for (int i = 0; i < N; i++)
		s += d->gx[i] + d->gy[i] + d->gz[i] + d->hx[i] + d->hy[i] + d->hz[i] + /* HERE */
		     d->kx[i] + d->ky[i]; /* HERE */
	return s;
}

__attribute__((noinline)) static double both(struct domain *d, double w)
{
	double s = 0;

	for (int i = 0; i < N; i++) {
		double gx = w * i, gy = w + i, gz = w - i, hx = w * 2, hy = i * 2, hz = i * 3;
		double kx = i - 2, ky = i - 3;

		d->gx[i] = gx, d->gy[i] = gy, d->gz[i] = gz, d->hx[i] = hx;
		d->hy[i] = hy, d->hz[i] = hz, d->kx[i] = kx, d->ky[i] = ky;
		s += gx + gy + gz + hx + hy + hz + kx + ky;
	}
	return s;
}

int main(void)
{
	struct domain d;
	double s = 0;

	d.gx = malloc(N * sizeof(double));
	d.gy = malloc(N * sizeof(double));
	d.gz = malloc(N * sizeof(double));
	d.hx = malloc(N * sizeof(double));
	d.hy = malloc(N * sizeof(double));
	d.hz = malloc(N * sizeof(double));
	d.kx = malloc(N * sizeof(double));
	d.ky = malloc(N * sizeof(double));

	for (int r = 0; r < R; r++) {
		if (V == 1) {
			s += both(&d, r);
		} else {
			gradients(&d, r);
			s += limit(&d);
		}
	}
	printf("%g\n", s);
}
