# A forked child inherits the names of the memory of its parent, with both back ends.
. "$SRC/tests/cli/record.inc"
. "$SRC/tests/cli/cc.inc"

# the memory that the child touched, and what it has of what was freed or came later
child() {
	memlamp info --csv regions "$1" | tr -d '\r' | awk -F, '
		$5 ~ /^(made|grown|mapped|window|later|heap outside|stack of thread)/ {
			print $1, $5, $6, $6 == "stack" ? "" : $7 }' | LC_ALL=C sort -k2
	memlamp dump --events "$1" | awk '
		$1 == "alloc" && $2 ~ /^(freed|parents)$/ { print $2 " is not the child'\''s" }'
}

build heir -pthread
mv heir plain
built heir -pthread
for back in plain heir; do
	for who in main thread; do
		echo "$back, forked by the $who:"
		if [ $who = main ]; then record -o f.mlt ./$back; else record -o f.mlt ./$back x; fi
		child f.[0-9]*.mlt
		rm ./*.mlt
	done
done

# Much to be read before the fork, children that fork themselves and outlive their parents.
cat >line.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long work[1000];
int main(int argc, char **argv)
{
	volatile long *first = malloc(100 * sizeof(*first)), *kept[3];
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	int status;
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < 1000; i++)
			work[i] = r;
	for (int i = 0; i < 3; i++) {
		volatile long *own = malloc(100 * sizeof(*own));
		kept[i] = own;
		if (fork())
			_exit(0);
		if (i)
			free((void *)kept[i - 1]);
	}
	first[1] = kept[2][1] = 1;
	for (int i = 0; i < 20; i++) {
		if (!fork()) {
			first[2] = 2;
			_exit(0);
		}
		wait(&status);
	}
	return 0;
}
END
cc -g -O1 line.c -o plain
memlamp cc -O1 line.c -o line
for back in "line 20000" "plain 2000"; do
	echo "$back:"
	record -o f.mlt ./$back
	is traces "$(ls f*.mlt | wc -l)" 24
	for trace in f.[0-9]*.mlt; do
		memlamp info --csv regions "$trace" | tr -d '\r' | awk -F, '
			$5 ~ /^(first|own|heap outside known blocks)$/ { printf "%s %s ", $3, $5 }
			END { print "written" }'
	done | sort | uniq -c | sed 's/^ *//'
	rm ./*.mlt
done
