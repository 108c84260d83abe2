/* The matrix product that product.txt is about. It is read, not compiled or run. */
void product(int n, double A[n][n], double B[n][n], double C[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				C[i][j] += A[i][k] * B[k][j];
}
