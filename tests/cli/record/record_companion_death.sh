# memlamp itself is killed: the program goes on to its end, says that it is unrecorded, and
# what was written of the trace can be read.
. "$SRC/tests/cli/record.inc"
build loops

memlamp record -q -o x.mlt ./loops 30000 >out 2>err &
memlamp=$!
wait_for grep -q ready out
program=$(cat "/proc/$memlamp/task/$memlamp/children")
has_work() { test "$(refs x.mlt --region work --to 100000)" -ge 10000; }
wait_for has_work
kill -9 "$memlamp"
wait "$memlamp" 2>/dev/null
echo "memlamp: status $?"
wait_for grep -q done out
wait_for sh -c "! test -e /proc/$program"
cat out err
memlamp info x.mlt >info || echo "the rest cannot be read"
grep -o 'CUT OFF' info
within "the beginning is there" "$(refs x.mlt --region work --to 100000)" 10000 100000
