# memlamp record is killed: the file is a trace from its first byte on, and has what the
# program did until half a second before, however slow the program is.
. "$SRC/tests/cli/record.inc"
test -e "$BUILD/runtime/libmemlamp.so" || { echo "the runtime is not built"; exit 77; }

# killed WORDS PROGRAM: kills memlamp a second after the program has written 100 cells
killed() {
	rm -f reached
	memlamp record -q -o killed.mlt -- "$2" 2>/dev/null &
	recorder=$!
	wait_for test -e reached
	sleep 1
	kill -9 $recorder
	wait $recorder 2>/dev/null
	cells=$(refs killed.mlt --region cell)
	test "$cells" -ge 100 && echo "$1: the cells are there" || echo "$1: only $cells cells"
	rm killed.mlt
}
build slow
killed "under Valgrind" ./slow
memlamp cc -O1 "$SRC/tests/traces/slow.c" -o slow_cc
killed "built by memlamp cc" ./slow_cc

echo "an older trace stays until the new one holds something:"
build plain
record -o old.mlt -- ./plain >/dev/null
before=$(refs old.mlt)
memlamp record -q -o old.mlt -- ./missing 2>/dev/null
is "kept after an error" "$(refs old.mlt)" "$before"

echo "each of many kills at any moment leaves a trace or no file:"
bad=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	memlamp record -q -o any.mlt -- ./slow_cc 2>/dev/null &
	recorder=$!
	sleep 0.0$((i % 10))$((i * 7 % 10))
	kill -9 $recorder
	wait $recorder 2>/dev/null
	test ! -e any.mlt || memlamp info any.mlt >/dev/null 2>&1 || bad=$((bad + 1))
	rm -f any.mlt*
done
echo "unreadable: $bad"
echo "files left beside: $(ls | grep -c 'mlt\.')"
