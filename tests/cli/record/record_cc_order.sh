# Two threads that wait for each other: the trace has their references in that order.
. "$SRC/tests/cli/cc.inc"

cat >atomic.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static _Atomic int turn;
static volatile long ping[500], pong[500];
static void *other(void *unused)
{
	for (int i = 0; i < 500; i++) {
		while (atomic_load(&turn) != 1)
			;
		pong[i] = i;
		atomic_store(&turn, 0);
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	for (int i = 0; i < 500; i++) {
		ping[i] = i;
		atomic_store(&turn, 1);
		while (atomic_load(&turn) != 0)
			;
	}
	return pthread_join(t, NULL);
}
END
cat >locked.c <<'END'
#include <pthread.h>
static int turn;
static volatile long ping[500], pong[500];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void wait_for(int wanted)
{
	pthread_mutex_lock(&lock);
	while (turn != wanted)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}
static void give(int to)
{
	pthread_mutex_lock(&lock);
	turn = to;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}
static void *other(void *unused)
{
	for (int i = 0; i < 500; i++) {
		wait_for(1);
		pong[i] = i;
		give(0);
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	for (int i = 0; i < 500; i++) {
		ping[i] = i;
		give(1);
		wait_for(0);
	}
	return pthread_join(t, NULL);
}
END
for how in atomic locked; do
	memlamp cc -O1 -pthread $how.c -o $how
	record ./$how
	for array in ping pong; do memlamp dump --region $array $how.mlt; done |
		grep '^[0-9]' | sort -n | awk -v how=$how '
		{ name = $NF; sub(/\[.*/, "", name); if (name == before) wrong++; before = name; n++ }
		END { print how ": " n " references, " wrong + 0 " out of order" }'
done

# Blocks that one thread frees and the other gets are told in the right order: each write is
# to a block that lives.
cat >blocks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *work(void *unused)
{
	for (int i = 0; i < 3000; i++) {
		long *block = malloc(64);
		((volatile long *)block)[3] = i;
		free(block);
	}
	return unused;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
memlamp cc -O1 -pthread blocks.c -o blocks
record ./blocks
echo "blocks: $(refs blocks.mlt --region block)"
