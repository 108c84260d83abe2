# memlamp sample that is killed loses nothing: what it has timed is written when the program
# ends. A temporary folder of processes that were killed is removed by the next command.
. "$SRC/tests/cli/cc.inc"
grep -q rdtscp /proc/cpuinfo || { echo "no rdtscp"; exit 77; }
mkdir tmp
export TMPDIR=$PWD/tmp
cat >waits.c <<'END_OF_C'
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static volatile long work[100000];
int main(void)
{
	struct stat st;
	for (long i = 0; i < 1000000; i++)
		work[i % 100000] = i;
	fclose(fopen("reached", "w"));
	for (int i = 0; i < 3000 && stat("go", &st); i++)
		usleep(10000);
	return 0;
}
END_OF_C
memlamp cc -O1 -g waits.c -o waits
for killed in command both; do
	rm -f reached go x.mlh
	for try in 1 2 3 4 5; do
		memlamp sample -q -w timed -p 100 -o x.mlh ./waits 2>err &
		command=$!
		tries=0
		until test -e reached || ! kill -0 $command 2>/dev/null; do
			sleep 0.1
		done
		test -e reached && break
		grep -q 'cannot be told apart by time' err || cat err
		test $try -lt 5 || { cat err; exit 77; }
	done
	worker=$(cat /proc/$command/task/$command/children)
	program=$(cat /proc/${worker% }/task/*/children)
	echo "$killed: $(ls tmp | wc -l) folder"
	kill -KILL $command
	test $killed = both && kill -KILL $worker $program
	wait $command 2>/dev/null
	touch go
	if [ $killed = command ]; then
		wait_for test -e x.mlh
		memlamp samples x.mlh >/dev/null && echo "the samples are there"
		ended() { ! kill -0 $worker; }
		wait_for ended
	fi
	echo "$killed: $(ls tmp | wc -l) folder left"
done
memlamp sample -q -w timed -o x.mlh ./missing 2>/dev/null
memlamp sample -q -w timed -o x.mlh ./waits 2>/dev/null
echo "after the next command: $(ls tmp | wc -l) folder left"
