# The same program gives the same first finding in each recording, by both back ends, however
# its threads were scheduled. `make insight` repeats it
# with REPEAT=20 PROGRAMS=all OUT=record_order_all.
. "$SRC/tests/cli/cc.inc"
test -e "$BUILD/valgrind/memlamp-amd64-linux" || { echo "the Valgrind tool is not built"; exit 77; }

M='cores 4 | L1 8K 8w 64B 4c | L2 64K 8w 14c | L3 512K 16w 50c | memory 200c'
programs='insight/share_true traces/team'
test "${PROGRAMS:-}" = all && programs="$programs insight/share_false insight/share_lock"

# first PROGRAM: kind, region and line of its first finding
first() {
	MEMLAMP_CACHE_SIZE=0 memlamp run --json -m "$M" -o run.mlt "$1" 2>/dev/null |
		sed -n '/"findings"/,$p' |
		sed -n 's/^ *"\(kind\|region\|line\)": "*\([^",]*\)"*,*$/\2/p' | head -n 3 | tr '\n' ' '
}

for program in $programs; do
	name=${program#*/}
	options='-O2 -pthread'
	test $name = team && options="$options -fopenmp"
	source=$(ls "$SRC/tests/$program".c*)
	case $source in *.cpp) plain=c++ ours=c++ ;; *) plain=cc ours=cc ;; esac
	$plain -g $options "$source" -o $name.valgrind
	memlamp $ours $options "$source" -o $name.cc
	for back_end in valgrind cc; do
		i=0
		while [ $i -lt ${REPEAT:-2} ]; do
			i=$((i + 1))
			first ./$name.$back_end
			echo
		done | sort | uniq -c | while read -r times finding; do
			test $times = ${REPEAT:-2} && times=always || times="$times times"
			echo "$name, $back_end, $times: $finding"
		done
	done
done
