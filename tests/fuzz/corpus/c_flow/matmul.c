void outer(const double *A, const double *B, double C[3][4])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			C[i][j] = A[i] * B[j];
}
void matmul(int M, int K, int N, float A[M][K], float B[K][N], float C[M][N])
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < K; k++)
				C[i][j] += A[i][k] * B[k][j];
}
