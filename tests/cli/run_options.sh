# What memlamp run leaves alone, where the trace goes, and what it refuses.
. "$SRC/tests/cli/record.inc"

cat >prog.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	printf("argument %s\n", argc > 1 ? argv[1] : "none");
	fprintf(stderr, "to stderr\n");
	return 7;
}
END
cc -g prog.c -o prog

memlamp run -m zen4 -- ./prog -x >out 2>err
echo "status of the program: $?"
head -n 2 out
grep -c 'to stderr' err
tail -n 8 out
ls ./*.mlt

memlamp run --machine nonsense ./prog
echo "status $?"
test -e nonsense.mlt || echo "the program was not run"
memlamp run -o /no/such/folder/x.mlt ./prog 2>&1 | sed 's/: [^:]*$//'
memlamp run ./not-there
echo "status $?"
memlamp run
echo "status $?"

within "no line is wider than 80 columns" "$(LC_ALL=C.UTF-8 wc -L <out)" 1 80
