#include "lib/analyse/cycles/scaling.h"

#include <math.h>

#include "lib/base/arena.h"

enum { STEPS = 300 };

/* Inner products of points around their centre, from their distances. */
static double centre(double *d, uint32_t n, double *mean)
{
	double all = 0, trace = 0;

	for (uint32_t i = 0; i < n; i++) {
		mean[i] = 0;
		for (uint32_t j = 0; j < n; j++) {
			d[(size_t)i * n + j] *= d[(size_t)i * n + j];
			mean[i] += d[(size_t)i * n + j] / n;
		}
		all += mean[i] / n;
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < n; j++)
			d[(size_t)i * n + j] =
				-0.5 * (d[(size_t)i * n + j] - mean[i] - mean[j] + all);
		trace += fmax(0, d[(size_t)i * n + i]);
	}
	return trace;
}

static double normalise(double *v, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += v[i] * v[i];
	sum = sqrt(sum);
	for (uint32_t i = 0; i < n && sum > 0; i++)
		v[i] /= sum;
	return sum;
}

/* The direction of the largest eigenvalue, by powers of the matrix. */
static double largest(const double *b, uint32_t n, double *v, double *next)
{
	double value = 0;

	for (uint32_t i = 0; i < n; i++)
		v[i] = sin(1 + (double)i * (double)i);
	normalise(v, n);
	for (int step = 0; step < STEPS; step++) {
		for (uint32_t i = 0; i < n; i++) {
			double sum = 0;

			for (uint32_t j = 0; j < n; j++)
				sum += b[(size_t)i * n + j] * v[j];
			next[i] = sum;
		}
		double change = 0;

		value = normalise(next, n);
		for (uint32_t i = 0; i < n; i++) {
			change = fmax(change, fabs(next[i] - v[i]));
			v[i] = next[i];
		}
		if (change <= 1e-9)
			break;
	}
	return value;
}

double ml_scaling(double *d, uint32_t n, double *x, double *y)
{
	double *next = ml_resize(NULL, (n + 1) * sizeof(*next)), *axis[2] = { x, y };
	double trace = centre(d, n, next), shown = 0;

	for (int k = 0; k < 2; k++) {
		double value = largest(d, n, axis[k], next);

		shown += value;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				d[(size_t)i * n + j] -= value * axis[k][i] * axis[k][j];
		for (uint32_t i = 0; i < n; i++)
			axis[k][i] *= sqrt(value);
	}
	ml_free(next);
	return trace > 0 ? fmin(1, shown / trace) : 0;
}
