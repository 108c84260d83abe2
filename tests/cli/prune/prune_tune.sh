# Tuning by simulation: variants of a space are recorded, simulated and ranked.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}
cat >sweep.c <<'END'
#include <stdlib.h>
static volatile char data[64 * 1024] __attribute__((aligned(4096)));
int main(int argc, char **argv)
{
	int lines = atoi(argv[argc - 1]) * 16, at = 0;
	for (int i = 0; i < 20000; i++) {
		data[at * 64]++;
		at = at + 1 < lines ? at + 1 : 0;
	}
	return 0;
}
END
cc -O1 -g -o sweep sweep.c || exit 77

# 20,000 touches of 1 to 16 KiB in turn: a cache of 8 KiB holds 1, 2 and 4, which miss less
# the smaller they are, and thrashes with 16.
cat >sweep.txt <<'END'
space sweep
kib in 1, 2, 4, 16, 32
hard too_large: kib > 16
soft small: kib < 4
END
ranks() {
	awk '/simulated on/ { sub(/ on .*/, ""); print }
		$1 ~ /^[0-9]+$/ && NF >= 4 { print $1, $4, $5 } / removes /'
}
memlamp prune sweep.txt -o sweep.mle --run './sweep {kib}' -m 'L1 8K full 64B 4c | memory 100c' --best 3 |
	ranks
# Results that are there are ranked again; the page reads the same ensemble.
memlamp prune sweep.txt -o sweep.mle --best 1 | ranks
memlamp query sweep.mle /api/ensembles/0 | grep -o '"kib"' | head -1
memlamp prune sweep.txt -o sweep.mle --json | grep -c '"cycles"'
# Only some.
memlamp prune sweep.txt -o other.mle --run './sweep {kib}' -m 'L1 8K full 64B' --where small --tune 1 |
	ranks

# A variant that cannot be built is left out.
memlamp prune sweep.txt -o some.mle --build 'test {kib} != 2 && cp sweep {out}' --run '{out} {kib}' \
	-m 'L1 8K full 64B' 2>&1 | grep -e 'left out' -e simulated
# An ensemble of something else.
memlamp ensemble -o foreign.mle 'sweep.d/kib=1.mlt' -m 'L1 1K full' >/dev/null
memlamp prune sweep.txt -o foreign.mle | tail -n 1

show memlamp prune sweep.txt --run './sweep {kib}'
show memlamp prune sweep.txt -o x.mle --run './sweep 4'
show memlamp prune sweep.txt -o x.mle --run './sweep {kib} {size}'
show memlamp prune sweep.txt -o x.mle --run './sweep {kib'
show memlamp prune sweep.txt -o missing.mle
show memlamp prune sweep.txt -o x.mle --run './missing {kib}' --tune 1 | tail -n 2
