# However the program ends, the trace can be read and the exit status is the program's.
. "$SRC/tests/cli/record.inc"
build ending

# told TRACE: how the trace says that it ended
told() {
	memlamp info --json "$1" >json || echo "$1 cannot be read"
	sed -n 's/^ *"\(exit status\|ended\)": "\([^"]*\)".*/\1 \2/p' json | sort
}

for how in segv abort exit; do
	echo "$how:"
	record ./ending $how
	told ending.mlt
	is "written before" "$(refs ending.mlt --region work)" 1000
done

echo "a fault within a loop:"
record ./ending edge
is "read before" "$(refs ending.mlt --site read_on)" 25

echo "a fault that is handled:"
record ./ending recover
told ending.mlt
is "written after" "$(refs ending.mlt --region after)" 100
memlamp dump ending.mlt | grep -A1 '^gap' | sed 's/^[0-9]* \([rw]\) 0x[0-9a-f]* [0-9]* 1 .*\/ending.c:[0-9]*/\1/'

echo "one that is handled, in code that ran when it was not:"
record ./ending resume
told ending.mlt

echo "faults that are repaired, as write barriers of garbage collectors do:"
for level in 1 2; do
	cc -g -O$level "$SRC/tests/traces/barrier.c" -o barrier
	record ./barrier
done

# stop SIGNAL HOW WHOM: runs HOW, sends SIGNAL to WHOM once it is ready. The recorder runs in
# a process group of its own and does not ignore SIGINT, as under a shell with job control.
stop() {
	signal=$1 how=$2 whom=$3
	rm -f ending.mlt out
	setsid env --default-signal=INT memlamp record -q ./ending "$how" >out 2>err &
	memlamp=$!
	wait_for grep -q ready out
	program=$(cat "/proc/$memlamp/task/$memlamp/children")
	sleep 0.2
	case $whom in
	program) kill -"$signal" $program ;;
	memlamp) kill -"$signal" "$memlamp" ;;
	group) kill -"$signal" -"$memlamp" ;;
	esac
	wait "$memlamp"
	echo "$signal to the $whom: status $?"
	sed 1d out
	cat err
	told ending.mlt
	within "long enough" "$(refs ending.mlt --region work --to 300000)" 200000 300000
}

stop TERM wait program
stop TERM handle program
stop TERM handle memlamp
stop INT wait group
stop INT handle group
stop KILL wait program
