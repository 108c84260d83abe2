# A server ends at the first signal; a second one ends any command at once, whichever the
# first was.
. "$SRC/tests/cli/record.inc"
memlamp import -m 'sweep 0 1000 64' -o small.mlt >/dev/null 2>&1
for signal in INT TERM HUP; do
	memlamp view -m 'L1 1K 2w' small.mlt >address 2>/dev/null &
	view=$!
	wait_for grep -q token address
	kill -$signal $view
	wait $view
	echo "view, $signal: status $?"
done

# A command that waits for what never comes: the other end of the pipe stays silent.
handles() {
	test $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") & 0x4000)) != 0
}
mkfifo silent
for second in TERM INT HUP; do
	memlamp import - -o x.mlt <silent 2>/dev/null &
	import=$!
	exec 3>silent
	wait_for handles $import
	kill -INT $import
	kill -$second $import
	wait $import 2>/dev/null
	test $? != 0 && echo "import, INT and $second: ended"
	exec 3>&-
done
