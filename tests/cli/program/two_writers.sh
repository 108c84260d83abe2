# Two commands write one file: the first wins, and the second is told before it works. An
# import that a signal ends leaves nothing behind.
until_true() {
	for i in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	echo "not so: $*"
	exit 1
}
printf ' L 10,4\n' >a.lackey
memlamp import a.lackey 2>/dev/null

mkfifo in
memlamp import - -o x.out <in 2>first &
exec 3>in
printf ' L 10,4\n' >&3
refused() { ! memlamp import a.lackey -o x.out 2>second; }
until_true refused
cat second
memlamp sim a.mlt -m skylake -o x.out
echo "status $?"
memlamp report a.mlt -m skylake -o x.out
memlamp sample -o x.out ./missing
memlamp sample -o x.out true
# each of them may write a device
memlamp report a.mlt -m skylake -o /dev/null 2>&1
printf ' L 20,4\n' >&3
exec 3>&-
wait
sed "s|, [0-9]* B, .*|, ...|" first
memlamp dump x.out
rm x.out

for signal in HUP TERM KILL; do
	mkdir "$signal"
	memlamp import - -o "$signal/x.mlt" <in 2>"said.$signal" &
	import=$!
	exec 3>in
	printf ' L 10,4\n' >&3
	written() { ! memlamp import a.lackey -o "$signal/x.mlt" 2>/dev/null; }
	until_true written
	rm -f "$signal/x.mlt"
	kill -$signal $import
	wait $import 2>/dev/null
	echo "$signal: status $?, left: $(ls "$signal")"
	exec 3>&-
done
