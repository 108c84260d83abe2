# memlamp run and record end when they are asked to, and keep what was recorded until then.
. "$SRC/tests/cli/record.inc"
build loops

for signal in TERM HUP; do # a shell makes background programs ignore INT
	rm -f out
	memlamp run -o x.mlt ./loops 300000 >out 2>err &
	memlamp=$!
	wait_for grep -q ready out
	kill -$signal $memlamp
	wait $memlamp
	echo "$signal: status $?"
	grep -v '^memlamp run: recording' err
	memlamp info x.mlt >/dev/null && echo "the trace can be read"
	rm x.mlt
done
