cat >mm.c <<'C'
void matmul(int M, int K, int N, float A[M][K], float B[K][N], float C[M][N])
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < K; k++)
				C[i][j] += A[i][k] * B[k][j];
}
void outer(const double *A, const double *B, double C[3][4])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			C[i][j] = A[i] * B[j];
}
C
memlamp flow mm.c
memlamp flow mm.c -s M=9,K=10,N=15 | tail -3
memlamp flow mm.c -s M=9,K=10,N=15 --layout B=col | tail -3
memlamp flow mm.c -f outer --json
memlamp flow "$SRC/tests/sdfg/matmul_Bcolmajor_dace2.0.0a6.sdfg" -s M=9,K=10,N=15 | tail -3
for bad in '-f none' '-s M=9' '-s Q=1' '-s M=x' '-s M=9,K=10,N=15 -l B=spiral' '--line 0'; do
	# shellcheck disable=SC2086
	memlamp flow mm.c $bad
	echo "status $?"
done
# libclang leaks where it makes no translation unit
ASAN_OPTIONS=detect_leaks=0 memlamp flow mm.c --cc=-std=nonsense
echo "status $?"
memlamp flow missing.c
echo "status $?"

echo "# memlamp.h is found, and its macros count nothing"
printf '#include "memlamp.h"\nvoid f(int n, double *a)\n{\n\tMEMLAMP_BEGIN("f");\n\tfor (int i = 0; i < n; i++)\n\t\ta[i] += 1;\n\tMEMLAMP_END("f");\n}\n' >named.c
sed '/MEMLAMP/d; 1d' named.c >plain.c
memlamp flow named.c | sed 's/(line [0-9]*)//' >named.txt
memlamp flow plain.c | sed 's/(line [0-9]*)//' >plain.txt
cmp named.txt plain.txt && echo "the same"
memlamp query named.c /api/flows/0 | grep -c '"function":"f"'
