/* Loops that OpenMP moves into functions of their own.
 * => main (parallel region, line 14)
 * => main (parallel region, line 17)
 */
#include <stdlib.h>

static double total[64];

int main(void)
{
	int n = 4000;
	double *a = malloc(n * sizeof(double)); /* -> a double 8 */

#pragma omp parallel for
	for (int i = 0; i < n; i++)
		a[i] = i;
#pragma omp parallel
	{
		double *mine = malloc(500 * sizeof(double)); /* -> mine double 8 */
#pragma omp for
		for (int i = 0; i < n; i++)
			mine[i % 500] = a[i];
		total[0] = mine[3];
		free(mine);
	}
	return total[0] < 0;
}
