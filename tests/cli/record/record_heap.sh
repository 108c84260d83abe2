# Heap blocks: their names and types, addresses and lives, and the user's lines that made
# the library touch them.
. "$SRC/tests/cli/record.inc"
build heap -fno-builtin
build heapxx

echo "recording moves nothing:"
./heap where >native
memlamp record -q -o where.mlt ./heap where >recorded
cmp native recorded && cat native

record -o heap.mlt ./heap
echo "names and types:"
memlamp info --csv regions heap.mlt | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kind"] == "heap" && $at["file"] ~ /heap.c$/ {
		print $at["region"], $at["type"], $at["bytes"], $at["blocks"] }' | sort

echo "data:"
for region in points grown aligned a b before afterwards; do
	memlamp dump --region $region heap.mlt | grep -v '<-' |
		sed -n 's/^[0-9]* \([rw]\) 0x[0-9a-f]* \([0-9]*\) .*# /\1 \2 /p' | tail -n 3
done

echo "what the library did for main:"
for function in qsort memset memcpy; do
	line=$(grep -n "	$function(" "$SRC/tests/traces/heap.c" | cut -d: -f1)
	memlamp dump --site "heap.c:$line" heap.mlt | grep -c " <- [^ ]*heap.c:$line main # " >n
	within "$function" "$(cat n)" 50 10000
	memlamp dump --site "heap.c:$line" heap.mlt | sed -n 's/.* main # \([a-z]*\)[[+].*/\1/p' |
		sort | uniq -c | awk '$1 >= 50 { print $2 }'
done

echo "freed:"
memlamp dump --events heap.mlt >events
for region in a b before; do
	awk -v region=$region '
		$1 == "alloc" && $2 == region { live[$3] = 1; allocs++ }
		$1 == "free" && live[$2] { live[$2] = 0; frees++ }
		END { print region, allocs, "allocated", frees, "freed" }' events
done

echo "C++:"
record ./heapxx
for region in single many numbers; do
	memlamp dump --region $region heapxx.mlt | grep -v '<-' |
		sed -n 's/^[0-9]* \([rw]\) 0x[0-9a-f]* \([0-9]*\) .*# /\1 \2 /p' | tail -n 1
done
memlamp info --csv regions heapxx.mlt | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["region"] ~ /^(single|many|numbers)$/ {
		print $at["region"], $at["type"], $at["bytes"], $at["blocks"] }' | sort

# What calloc itself does to a block, while it clears it, is done to the block.
cat >cleared.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char *volatile dirty = malloc(4000);
	memset(dirty, 1, 4000);
	free(dirty); /* goes back to where calloc takes from, which cannot know it zero */
	long *cleared = calloc(500, sizeof(*cleared));
	cleared[7] = 1;
	return (int)cleared[8];
}
END
cc -O0 -g -fno-builtin cleared.c -o cleared
record ./cleared
memlamp dump --region cleared cleared.mlt | grep -c ' w ' >n
echo "cleared by calloc:"
within "writes to it, of 64 bytes or less" "$(cat n)" $((4000 / 64)) 4100

# What realloc copies is read from the old block and written to the new one. One that fails
# leaves the block as it is, one of 0 bytes frees it.
cat >moved.c <<'END'
#include <stdint.h>
#include <stdlib.h>
int main(void)
{
	volatile long *small = malloc(4000);
	long *behind = malloc(100); /* so that it must move */
	small[3] = 1;
	volatile long *large = realloc((void *)small, 8000);
	behind[0] = large[3];
	volatile size_t too_much = PTRDIFF_MAX;
	if (realloc((void *)large, too_much))
		return 1;
	large[4] = 1;
	volatile long *ended = malloc(4000);
	volatile size_t none = 0;
	void *nothing = realloc((void *)ended, none);
	volatile long *again = malloc(4000);
	again[5] = 1;
	return nothing || again != ended;
}
END
cc -O0 -g -fno-builtin -Wno-use-after-free moved.c -o moved
record ./moved
echo "copied by realloc:"
line=$(grep -n 'large = realloc' moved.c | cut -d: -f1)
dump() { memlamp dump --site "moved.c:$line" --region "$1" moved.mlt | grep -c " $2 0x"; }
within "reads of the old block" "$(dump small r)" $((4000 / 64)) 510
within "writes to the new one" "$(dump large w)" $((4000 / 64)) 510
# the allocator's own words, which lie around the blocks
within "of neither" "$(dump 'heap outside known blocks' .)" 0 40
memlamp dump --region large moved.mlt | grep -v '<-' | sed -n 's/.*# //p'
memlamp dump --events moved.mlt | sed -n 's/^\(alloc [a-z]*\) .*/\1/p' | tail -n 5
