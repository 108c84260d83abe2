# Loops in another order, tiles and a machine.
cat >mm.c <<'C'
void matmul(int M, int K, int N, float A[M][K], float B[K][N], float C[M][N])
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < K; k++)
				C[i][j] += A[i][k] * B[k][j];
}
void seidel(int n, double A[n][n])
{
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i + 1][j - 1];
}
C
sizes=M=20,K=24,N=32
memlamp flow mm.c -f matmul -s $sizes --order k,i,j -m "L1 1K 2w 4c | L2 4K 4w 14c | memory 100c" |
	sed '1,/^right/d'
memlamp flow mm.c -f matmul -s $sizes --tile i=8,k=8 --order i_tile,k_tile,i,k,j | tail -6
memlamp flow mm.c -f matmul -s $sizes --tile k=8 -m "L1 1K 2w" --json |
	sed -n '/"legality"/,$p'
memlamp flow mm.c -f seidel -s n=12 --order j,i | grep legal
for bad in '--order i,q' '--order i,k' '--tile i' '-m L9' '-m L1=1K'; do
	# shellcheck disable=SC2086
	memlamp flow mm.c -f matmul -s $sizes $bad
	echo "status $?"
done
