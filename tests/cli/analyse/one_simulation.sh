# A full disk, a damaged trace and a signal mean the same to every command that simulates.
. "$SRC/tests/cli/record.inc"
build plain
M='L1 4K 4w | L2 64K 8w'
memlamp import -m 'random 0 1000000 3000000 8' -o plain.mlt 2>/dev/null

# start COMMAND TRACE: becomes the command, with what it needs besides
start() {
	rm -rf made.*
	exec >out 2>err
	case $1 in
	sim) exec memlamp sim -m "$M" -n 1 "$2" ;;
	run) exec memlamp run -m "$M" -o made.mlt --report - ./${2%.mlt} ;;
	diff) exec memlamp diff -m "$M" -m 'L1 1K' -n 1 "$2" ;;
	report) exec memlamp report -m "$M" -n 1 -o made.html "$2" ;;
	plot) exec memlamp plot -m "$M" -o made.svg "$2" timeline ;;
	export) exec memlamp export --callgrind -m "$M" -o made.callgrind "$2" ;;
	query) exec memlamp query -m "$M" "$2" '/api/sims/0/timeline?cells=2' ;;
	esac
}
simulate() {
	(start "$@")
	status=$?
}
# answer COMMAND: what it answered is whole
answer() {
	case $1 in
	sim) grep -c '^Which data are waited for' out ;;
	run) grep -c '^[0-9,]* references, served by L1' out ;;
	diff) grep -c '^  references  *3,000,000  *3,000,000\|^  references  *1,048,576  *1,048,576' out ;;
	report) grep -c '</html>' made.html ;;
	plot) grep -c '</svg>' made.svg ;;
	export) grep -c '^totals:' made.callgrind ;;
	query) head -c 4 out | grep -c MLC1 ;;
	esac
}

cat >full.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* The disk of the folder FULL has room for 64 KiB. */
ssize_t write(int fd, const void *bytes, size_t size)
{
	static size_t room = 65536;
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	char link[64], path[4096] = "";
	const char *full = getenv("FULL");

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (full && readlink(link, path, sizeof(path) - 1) > 0 && !strncmp(path, full, strlen(full))) {
		if (size > room) {
			errno = ENOSPC;
			return -1;
		}
		room -= size;
	}
	return real(fd, bytes, size);
}
END
cc -shared -fPIC -w full.c -o full.so -ldl

# notes: the note of the command, without the names of folders and files
notes() {
	sed -n 's/^memlamp [a-z]*: \(note: .*kept\): .*: \(.*\)/\1: \2/p' err
}
for command in sim run diff report plot export query; do
	rm -rf "$XDG_CACHE_HOME"
	export FULL="$XDG_CACHE_HOME" ASAN_OPTIONS=verify_asan_link_order=0
	LD_PRELOAD=$PWD/full.so
	export LD_PRELOAD
	simulate $command plain.mlt
	unset LD_PRELOAD FULL
	echo "$command, the disk of the cache is full: status $status, answer $(answer $command)"
	notes
	ls "$XDG_CACHE_HOME/memlamp"

	XDG_CACHE_HOME=/dev/full simulate $command plain.mlt
	echo "$command, no cache folder: status $status, answer $(answer $command)"
	notes
done

echo "a result that is asked for by name is no note"
memlamp sim -m "$M" -o /dev/full plain.mlt
echo "status $?"
memlamp sim -m "$M" -o none/r.mls plain.mlt
echo "status $?"

# a block in the middle cannot be read: the bytes of its checksum are others
python3 -c '
b = bytearray(open("plain.mlt", "rb").read())
for i in range(len(b) // 2, len(b) // 2 + 8):
    b[i] ^= 255
open("bad.mlt", "wb").write(b)
'
for command in sim diff report plot export query; do
	simulate $command bad.mlt
	echo "$command of a damaged trace: status $status, answer $(answer $command)"
	grep -h -o 'DAMAGED.*references\|checksum is wrong; .*references' out err
	ls "$XDG_CACHE_HOME/memlamp" | wc -l
done
simulate report bad.mlt
grep -o 'Damaged.</b> Only what stands before' made.html

# A shell makes background programs ignore INT; TERM means the same.
cat >long.c <<'END'
static volatile double a[1000][1000];
int main(void)
{
	for (int round = 0; round < 16; round++)
		for (int j = 0; j < 1000; j++)
			for (int i = 0; i < 1000; i++)
				a[i][j] = i;
}
END
cc -g -O1 long.c -o long
memlamp import -m 'sweep 0 30000000 64' -o long.mlt >/dev/null 2>&1
M='L1 4K 4w fifo | L2 64K 8w fifo | L3 1M 16w fifo'
recorded() { # the recorded program is a child of memlamp
	test -s made.mlt && test -z "$(cat /proc/$memlamp/task/$memlamp/children)"
}
for command in sim run diff report plot export query; do
	for seconds in 0.5 1 3 9; do # waits longer if the simulation had not begun
		rm -rf "$XDG_CACHE_HOME"
		start $command long.mlt &
		memlamp=$!
		test $command != run || wait_for recorded
		sleep $seconds
		kill -TERM $memlamp 2>/dev/null
		wait $memlamp
		status=$?
		grep -q 'stopped after' out err && break
	done
	echo "$command stopped: status $status"
	grep -h -o '[A-Zmelap]* *[a-z]*: stopped after [0-9,]* of [0-9,]* references' out err | sed 's/[0-9][0-9,]*/N/g'
	ls made.* 2>/dev/null | grep -v mlt
	ls "$XDG_CACHE_HOME/memlamp"
done
