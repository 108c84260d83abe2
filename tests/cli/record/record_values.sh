# memlamp record --values: the range of what each line stores; and memory of system calls.
. "$SRC/tests/cli/record.inc"

cat >stores.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	int *small = malloc(40000), *wide = malloc(40000);
	char *read_in = malloc(100);

	for (int i = 0; i < 10000; i++)
		small[i] = i % 100;
	for (int i = 0; i < 10000; i++)
		wide[i] = i * 1000;
	fprintf(stderr, "%p %p\n", (void *)small, (void *)read_in);
	return write(1, small, 40000) + read(0, read_in, 100) != 40100;
}
C
cc -g -O1 -o stores stores.c
memlamp record -q --values -o v.mlt ./stores </dev/zero >/dev/null 2>where || echo "status $?"
read -r small read_in <where
memlamp info --json v.mlt >v.json
# of stores of 4 bytes: the range as elements of 4
sed -n 's/.*"values stored": "\(.*\)".*/\1/p' v.json | tr ';' '\n' |
	awk '{ print $4, $5 }' | grep -x '0 99\|0 9999000' | sort -u

# covers KEY ADDRESS SIZE: whether a range of the list has all of it
covers() {
	ranges=$(sed -n "s/.*\"$1\": \"\(.*\)\".*/\1/p" v.json)
	for r in $ranges; do
		if [ $((0x${r%-*})) -le $(($2)) ] && [ $((0x${r#*-})) -ge $(($2 + $3 - 1)) ]; then
			echo "$1: yes"
			return
		fi
	done
	echo "$1: no"
}
covers 'read by the system' "$small" 40000
covers 'written by the system' "$read_in" 100
covers 'read by the system' "$read_in" 100
