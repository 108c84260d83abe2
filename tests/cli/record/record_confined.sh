# Programs that shut themselves in before they start threads and a child: memlamp cc records as
# much of them as Valgrind, which is all.
. "$SRC/tests/cli/cc.inc"
grep -q '^Uid:[[:space:]]*0' /proc/self/status || { echo "needs root"; exit 77; }
built confined -pthread
mv confined confined_cc
cc -g -O1 "$SRC/tests/traces/confined.c" -o confined -pthread || exit 1

# recorded PROGRAM HOW: writes of the threads, and of the child
recorded() {
	rm -f x*.mlt
	memlamp record -q -o x.mlt -- "./$1" "$2" || echo "(status $?)"
	for trace in x.mlt x.*.mlt; do
		test -e "$trace" && memlamp dump --region cell "$trace" | grep -c '^[0-9]'
	done | paste -sd' '
	rm -rf empty
}
for how in closed descriptors setuid chroot seccomp undumpable mounts locked space; do
	echo "$how: $(recorded confined_cc $how) (cc), $(recorded confined $how) (Valgrind)"
done
