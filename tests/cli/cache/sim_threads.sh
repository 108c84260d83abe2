# Two threads that count in neighbouring elements, recorded one thread at a time: false
# sharing shows when they take turns, which is the rule, and not as they were recorded.
. "$SRC/tests/cli/record.inc"

cat >share.c <<END
#include <pthread.h>

static volatile long hits[2];

static void *count(void *which)
{
	for (int i = 0; i < 200000; i++)
		hits[(long)which]++;
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, count, (void *)0);
	pthread_create(&b, 0, count, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
END
cc -g -O1 -pthread share.c -o share
memlamp record -o share.mlt ./share 2>/dev/null
M='4 cores | L1 32K 8w | L2 1M 16w shared'
for turn in '' '--interleave 0'; do
	echo "\$ sim $turn"
	for what in 'L1.false_sharing > 50k' 'line("share.c:8").L1.false_sharing > 50k' \
		'region("hits").L1.misses > 50k' 'L1.misses > 20k'; do
		memlamp sim -m "$M" $turn --fail-if "$what" share.mlt >/dev/null 2>&1
		echo "$what: $?"
	done
done
memlamp sim -m "$M" share.mlt | sed -n '/take turns/p
	/^Lines that/,/^$/s/ *[0-9,]* *\([0-9]* %\) *0x[0-9a-f]* *\(.*\)/\1 \2/p' | head -n 3 | sort

# The counting engine of -q and the full simulation are two engines that agree.
for how in -q --no-cache; do
	memlamp sim $how -m "$M" share.mlt | grep 'cycles a reference' >"cycles$how"
done
cmp cycles-q cycles--no-cache && grep -c 'cycles a reference' cycles-q

# A result is the same, byte for byte, on one processor as on all of them.
one=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
memlamp sim --no-cache -m "$M" -o all.mls share.mlt >/dev/null
taskset -c "$one" memlamp sim --no-cache -m "$M" -o one.mls share.mlt >/dev/null
cmp one.mls all.mls && echo "the same on one processor"
