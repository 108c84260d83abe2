# A process that the program leaves behind is recorded to its end, or until a signal comes.
. "$SRC/tests/cli/record.inc"
build daemon
memlamp record -q ./daemon &
memlamp=$!
# the program is gone when memlamp has no child any more
wait_for sh -c "ls >/dev/null daemon.[0-9]*.mlt && ! grep -q . /proc/$memlamp/task/$memlamp/children"
kill -TERM "$memlamp"
wait "$memlamp"
echo "status $?"
for trace in daemon.mlt daemon.[0-9]*.mlt; do
	memlamp info "$trace" >/dev/null && echo "readable"
done
