/* A product of two 4 x 4 matrices: loops that run 64, 16 and 4 times. With an argument, in
 * blocks of 2 x 2. */
static double A[4][4], B[4][4], C[4][4];

__attribute__((noinline)) static void multiply(void)
{
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			double s = 0;

			for (int k = 0; k < 4; k++)
				s += A[i][k] * B[k][j];
			C[i][j] = s;
		}
}

__attribute__((noinline)) static void blocked(void)
{
	for (int jj = 0; jj < 4; jj += 2)
		for (int kk = 0; kk < 4; kk += 2)
			for (int i = 0; i < 4; i++)
				for (int j = jj; j < jj + 2; j++) {
					double s = 0;

					for (int k = kk; k < kk + 2; k++)
						s += A[i][k] * B[k][j];
					C[i][j] += s;
				}
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		blocked();
	else
		multiply();
	return C[1][1] > 0;
}
