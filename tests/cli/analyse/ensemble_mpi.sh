# Members spread over the ranks of mpirun: the same file, whichever rank computes it.
test -e "$BUILD/mpi/ranks.so" || { echo "the MPI plugin is not built"; exit 77; }
command -v mpirun >/dev/null || { echo "no mpirun"; exit 77; }

# As root, on fewer processors than ranks, and without a network. (MPI itself leaks.)
ranks() { # number, then arguments
	n=$1
	shift
	ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader \
		mpirun --oversubscribe -n "$n" "$BUILD/memlamp" ensemble "$@"
}

memlamp import -m 'matmul 24 8' -o naive.mlt 2>/dev/null
memlamp import -m 'matmul 24 8 block 4' -o blocked.mlt 2>/dev/null
set -- naive.mlt blocked.mlt -m 'L1 {256..4K x2} {2,full}w 16B {lru,fifo}' -m 'L1 512 full 16B opt'

memlamp ensemble -o alone.mle "$@" >alone.txt
for n in 1 2 3; do
	ranks $n -o ranks$n.mle "$@" >ranks$n.txt 2>ranks$n.err || cat ranks$n.err
	cmp alone.mle ranks$n.mle && cmp alone.txt ranks$n.txt && echo "$n: the same"
done
ls -- *.part 2>/dev/null

# What rank 0 cannot plan ends all ranks, with one sentence.
ranks 2 -o none.mle missing.mlt 2>&1 | grep memlamp
