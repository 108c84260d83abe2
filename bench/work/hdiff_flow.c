/* Horizontal diffusion in one nest, a 13-point stencil: for bench/flow.sh, which reads it
 * and does not run it. */
#define STENCIL(i, j, k) \
	(in[i + 2][j + 2][k] + in[i + 1][j + 2][k] + in[i + 3][j + 2][k] + \
	 in[i + 2][j + 1][k] + in[i + 2][j + 3][k] + in[i][j + 2][k] + \
	 in[i + 4][j + 2][k] + in[i + 2][j][k] + in[i + 2][j + 4][k] + \
	 in[i + 1][j + 1][k] + in[i + 1][j + 3][k] + in[i + 3][j + 1][k] + \
	 in[i + 3][j + 3][k])

void hdiff(int I, int J, int K, double in[I + 4][J + 4][K], double coeff[I][J][K],
	   double out[I][J][K])
{
	for (int i = 0; i < I; i++)
		for (int j = 0; j < J; j++)
			for (int k = 0; k < K; k++)
				out[i][j][k] = STENCIL(i, j, k) * coeff[i][j][k];
}

void kji(int I, int J, int K, double in[I + 4][J + 4][K], double coeff[I][J][K],
	 double out[I][J][K])
{
	for (int k = 0; k < K; k++)
		for (int j = 0; j < J; j++)
			for (int i = 0; i < I; i++)
				out[i][j][k] = STENCIL(i, j, k) * coeff[i][j][k];
}
