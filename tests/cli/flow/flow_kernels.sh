# Volumes and misses from the source against recordings of the same kernels, without optimisation: every array in
# every loop is as predicted, or data decide. Memory that is no array of the source is left out.
test -e "$BUILD/valgrind/memlamp-amd64-linux" || { echo "the Valgrind tool is not built"; exit 77; }
valgrind --version >/dev/null 2>&1 || { echo "no valgrind"; exit 77; }
cp "$SRC"/tests/flow/kernels/*.c .
check() {
	name=$1 sizes=$2
	cc -g -O0 -I"$SRC" "$name.c" -o "$name" -lm || exit 77
	memlamp record -o "$name.mlt" "./$name" >/dev/null 2>&1 || echo "no recording of $name"
	memlamp flow "$name.c" "--cc=-I$SRC" -f kernel -s "$sizes" --check "$name.mlt" >"$name.txt" 2>&1
	# accesses, bytes, misses of both caches: predicted and recorded side by side
	awk -v name="$name" '/^all  *arrays/ {
		print name, $3, ($3 == $4 && $5 == $6 && $7 == $8 && $9 == $10) ? "as recorded" : "against " $4 }' "$name.txt"
	sed -n '/^loop /,$p; /^memlamp/p' "$name.txt" |
		grep -vE '^loop |no array of the source|as predicted|is .* in the trace|^all ' | sed 's/  */ /g; s/^/  /'
}
for name in atax bicg cholesky correlation covariance durbin floyd_warshall gemm gramschmidt lu mvt nussinov sort syrk \
	trmm two_mm histogram; do
	check $name n=12
done
for name in jacobi_2d seidel fdtd_2d adi; do check $name t=3,n=12; done
check jacobi_1d t=5,n=12
check heat_3d t=2,n=12
check search n=48,m=3
check sparse n=12,trips_9=3
