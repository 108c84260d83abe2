# memlamp sample: timed loads tell the levels of memory apart, leave the program as it is,
# and know threads, regions, phases. Times are never compared with numbers, only with each
# other; a run that the machine disturbed is repeated.
. "$SRC/tests/cli/cc.inc"
grep -q rdtscp /proc/cpuinfo || { echo "no rdtscp"; exit 77; }

# sampled ARGUMENT...: memlamp sample with timed loads. Where other programs or machines use
# up a cache the command refuses: then again, and if that does not help there is nothing to
# test on this machine now.
sampled() {
	for try in 1 2 3 4 5; do
		memlamp sample --with timed "$@" 2>said.err
		status=$?
		grep -q 'cannot be told apart by time' said.err || break
		test $try -lt 5 || { cat said.err; exit 77; }
	done
	cat said.err
	return $status
}

echo "what the machine can do:"
for try in 1 2 3 4 5; do
	memlamp sample --check --json >check.json
	status=$?
	grep -q 'cannot be told apart by time' check.json || break
	test $try -lt 5 || { cat check.json; exit 77; }
done
grep -o '"[a-zA-Z]*":' check.json | sort -u | grep -v '"[LR]' | tr -d '\n'; echo
grep -c '"chase":' check.json
# whether it passes depends on the neighbours; the exit status says the same
grep -q '"passes": true' check.json
test $? -eq $status || echo "status $status: $(grep passes check.json)"

# means TABLE FILE: "name mean" of each row
means() {
	memlamp samples "$2" --csv "$1" | tr -d '\r' | awk -F, 'NR > 1 { print $6, $4 }'
}

# is FUNCTION...: whether the mean latencies increase strictly
increasing() {
	means functions l.mlh >means.txt
	for f in "$@"; do
		awk -v f="$f" '$1 == f { print $2 }' means.txt
	done | awk 'NR > 1 && $1 <= last { bad = 1 } { last = $1 } END { exit bad || NR < 2 }'
}

# of the walk in memory most samples are from RAM, of the walk in L1 next to none
share() {
	all=$(memlamp query l.mlh "/api/samples/0/select?select=function=$1" | sed -n 's/.*"selected": *\([0-9]*\).*/\1/p')
	part=$(memlamp query l.mlh "/api/samples/0/select?select=function=$1+and+level~RAM" |
		sed -n 's/.*"selected": *\([0-9]*\).*/\1/p')
	echo $((100 * part / all))
}

echo "levels:"
built levels -g
tries=0
until sampled -p 100 -q -o l.mlh ./levels >said.txt &&
	increasing walk_l1 walk_l2 walk_l3 walk_memory &&
	increasing sweep_memory walk_memory &&
	test "$(share walk_memory)" -gt 60 && test "$(share walk_l1)" -lt 5; do
	tries=$((tries + 1))
	test $tries -lt 5 || {
		cat means.txt
		echo "not in order, or RAM serves $(share walk_memory) % and $(share walk_l1) %"
		break
	}
done
cat said.txt
echo "latencies increase from walk_l1 to walk_memory; the sweep is faster than the list"
# every walk has the same number of accesses, so of samples, up to chance
memlamp samples l.mlh --csv functions | tr -d '\r' |
	awk -F, '$6 ~ /^(walk|sweep)_/ { n++; if ($1 < 1700 || $1 > 2300) print "samples:", $0 }
		END { print n, "functions with about 2000 samples each" }'
echo "walk_memory is served by RAM, walk_l1 is not"
memlamp samples l.mlh --show columns | awk '{ print $1, $2, $3 }' | sed 's/ *$//'
means variables l.mlh | awk '{ print $1 }' | sort

echo "what sampling did:"
built phases
sampled -p 1 --json -o j.mlh ./phases | grep -o '"[a-zA-Z]*":' | tr -d '\n'; echo
memlamp samples j.mlh | grep -o '[a-z ]*at the instruction of the load before; timing took'
memlamp samples j.mlh --csv metrics | head -1

echo "faults:"
built guarded -ldl
./guarded
sampled -q -p 1 -o g.mlh ./guarded

echo "threads:"
built threads -pthread
sampled -q -p 10 -o t.mlh ./threads | tail -1
memlamp samples t.mlh --csv threads | tr -d '\r' | awk -F, 'NR > 1 && $6 > 1 { print $6 }' | sort -n

echo "phases:"
sampled -q -p 1 -o p.mlh ./phases
memlamp samples p.mlh --show columns | awk '{ print $1, $2 }' | tail -2

echo "processes and the exit status:"
built ending
sampled -q -p 1 -o e.mlh ./ending exit
echo "status $?"

echo "a program that is too short for the period:"
sampled -o h.mlh ./ending exit | grep -o 'the program is short.*'

echo "errors:"
memlamp sample --with magic ./levels
memlamp sample
memlamp sample ./missing
sampled /bin/true
sampled -q -p 1 -o s.mlh sh -c './ending exit; exit 5'
echo "status $? by way of a shell: $(memlamp samples s.mlh --csv functions | grep -c fill)"
memlamp sample -p 0 ./levels

echo "perf:"
mkdir bin
cat >bin/perf <<END
#!/bin/sh
# mem record --sample-cpu -o FILE -- PROGRAM, or script -i FILE
case \$1 in
mem)
	out=\$5
	shift 6
	echo data >"\$out"
	"\$@"
	;;
script) cat "$SRC/tests/samples/intel.perf-6.1.script.txt" ;;
esac
END
chmod +x bin/perf
PATH=$PWD/bin:$PATH memlamp sample --with perf -o f.mlh sh -c 'echo runs; exit 4'
echo "status $?"
memlamp samples f.mlh --show levels -n 3
printf '#!/bin/sh\necho "no access" >&2; exit 1\n' >bin/perf
PATH=$PWD/bin:$PATH memlamp sample --with perf -o f.mlh /bin/true
echo "status $?"
