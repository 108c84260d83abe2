# Names of traces: patterns, and ranks of a job. The environment stands in for mpirun.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}
memlamp record -q -o 'p%p.mlt' true
ls p[0-9]*.mlt | sed 's/[0-9][0-9]*/N/'
memlamp record -q -o 'h.%h.mlt' true
test -e "h.$(hostname).mlt" && echo "host in the name"
memlamp record -q -o '100%%.mlt' true
for rank in 0 1; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 memlamp record -q true
	PMI_RANK=$rank PMI_SIZE=2 memlamp record -q -o mpich.mlt true
	SLURM_PROCID=$rank SLURM_NTASKS=2 memlamp record -q -o 'slurm-%r' true
done
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 memlamp record -q -o alone.mlt true
ls 1* a* m* s* t*
show memlamp record -o 'x%z.mlt' true
show memlamp record -o 'x%' true
show memlamp record -o '%r.mlt' true
OMPI_COMM_WORLD_RANK=../up OMPI_COMM_WORLD_SIZE=2 show memlamp record -o '%r.mlt' true
