# What this back end does not see, counted against Valgrind: stack slots, other code.
. "$SRC/tests/cli/record.inc"
. "$SRC/tests/cli/cc.inc"

cat >kinds.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static volatile int table[1000];
static int kept;
static int __attribute__((noinline)) add(const int *numbers, int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += numbers[i];
	return sum;
}
int main(void)
{
	int *numbers = malloc(1000 * sizeof(*numbers));
	for (int i = 0; i < 1000; i++) {
		numbers[i] = i;
		table[i] = i;
	}
	for (int k = 0; k < 10; k++)
		kept += add(numbers, 1000);
	printf("%d\n", kept);
	free(numbers);
	return 0;
}
END

# counts TRACE: references to the arrays, and whether many went to the stack
counts() {
	for array in table numbers kept; do
		printf '%s %s, ' $array "$(refs "$1" --region $array)"
	done
	memlamp info --csv regions "$1" | tr -d '\r' | awk -F, '
		$6 == "stack" { own += $13 }
		END { print (own > 10000 ? "much" : "little") " of the stack" }'
}

for level in -O0 -O2; do
	memlamp cc $level kinds.c -o told
	gcc -g $level -fno-tree-vectorize kinds.c -o plain
	record -o told.mlt ./told >/dev/null
	record -o plain.mlt ./plain >/dev/null
	echo "$level, memlamp cc: $(counts told.mlt)"
	echo "$level, valgrind:   $(counts plain.mlt)"
done

# Compilers do not call for what they do not tell: what they make of a library's work.
cat >library.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char text[4096], copy[4096];
static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
	static int numbers[64];
	for (int i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	qsort(numbers, 64, sizeof(numbers[0]), up);
	memset(text, 'x', 4000 + (size_t)argc);
	memcpy(copy, text, 4000 + (size_t)argc);
	snprintf(text, sizeof(text), "%s", argv[0]);
	return numbers[0] + (strlen(copy) != 4000 + (size_t)argc);
}
END
memlamp cc -O1 library.c -o told
record -o told.mlt ./told
echo "memset, memcpy, strlen: $(refs told.mlt --region copy --kind w) pieces written," \
	"$(refs told.mlt --region copy --kind r) read"
echo "snprintf: $(refs told.mlt --region text --kind w) pieces of memset alone"

echo "by Valgrind when asked:"
record --valgrind -o vg.mlt ./told
backend vg.mlt
