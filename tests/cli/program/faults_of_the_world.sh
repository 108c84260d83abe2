# Faults of the world end with a sentence that names the cause, and leave older files whole.
. "$SRC/tests/cli/record.inc"
build loops
build plain

echo "two recordings to one file: the second is refused"
memlamp record -q -o one.mlt -- ./loops 3000 >out 2>&1 &
first=$!
wait_for grep -q ready out
memlamp record -q -o ./one.mlt -- ./plain 2>&1 >/dev/null
echo "(status $?)"
kill $first
wait $first 2>/dev/null
memlamp info one.mlt >/dev/null && echo "the first is whole"

echo "two ensembles to one file: the second is refused"
memlamp import -m 'random 0 64M 3000000 8 seed 3' -o big.mlt >/dev/null 2>&1
memlamp ensemble -o e.mle -m 'L1 {1K..4M x2} 4w fifo' big.mlt >/dev/null 2>&1 &
first=$!
wait_for test -e e.mle
memlamp ensemble -o e.mle -m 'L1 2K' big.mlt 2>&1 >/dev/null
echo "(status $?)"
kill -INT $first
wait $first 2>/dev/null

echo "a full disk: what is said is what the file has"
(ulimit -S -f 200; memlamp record --json -o full.mlt -- ./loops 300 2>err) | grep -v -e ready -e done >json
sed 's/[0-9][0-9]*/N/g' err
claimed=$(sed -n 's/^ *"references": \([0-9]*\),*$/\1/p' json | head -n 1)
is "the references" "$claimed" "$(number full.mlt references)"

echo "more threads than Valgrind has by default"
cat >deep.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *work(void *arg) { pause(); return arg; }
int main(void)
{
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	for (int i = 0; i < 600; i++) {
		pthread_t t;
		if (pthread_create(&t, &a, work, NULL))
			return 1;
	}
	return 0;
}
END
cc deep.c -o deep -pthread
memlamp record -q -o deep.mlt -- ./deep
echo "600 threads under Valgrind: status $?, $(memlamp info --csv threads deep.mlt | wc -l) lines"

echo "Valgrind's own reasons are passed on"
cat >deep.c <<'END'
static int down(int n) { volatile char room[4096]; room[n % 4096] = 1; return down(n + 1) + room[7]; }
int main(void) { return down(0); }
END
cc -O0 -w deep.c -o deep
memlamp record -q -o deep.mlt -- ./deep 2>&1 | grep -o 'memlamp record: Valgrind says' | head -n 1

echo "what takes the place of an older file is on the disk first"
cat >order.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* Writes down in which order memlamp calls fsync and rename. */
static void note(const char *what)
{
	int fd = open("order", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(fd, what, strlen(what)) < 0)
		_exit(9);
	close(fd);
}
int fsync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	note("fsync ");
	return real(fd);
}
int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
	note("rename ");
	return real(from, to);
}
END
cc -shared -fPIC -w order.c -o order.so -ldl
# ordered FILE COMMAND...: makes FILE, then makes it anew
ordered() {
	file=$1
	shift
	rm -f "$file" order
	"$@" >/dev/null 2>&1
	rm -f order
	LD_PRELOAD=$PWD/order.so ASAN_OPTIONS=verify_asan_link_order=0 "$@" >/dev/null 2>&1
	echo "$file: $(cat order 2>&1)"
}
ordered over.mlt memlamp import --model 'sweep 0 1000 64' -o over.mlt
ordered over.mls memlamp sim -q -o over.mls over.mlt
ordered over.html memlamp report -o over.html over.mlt
ordered over.mlt memlamp record -q -o over.mlt -- /bin/true
