# Each reference carries its thread, and each thread's loops are counted exactly.
. "$SRC/tests/cli/record.inc"

build threads -pthread
record ./threads
for array in first second third; do
	memlamp dump --region $array threads.mlt | awk -v array=$array '
		/^[0-9]/ { count[$2 " by thread " $5]++ }
		END { for (i in count) print array, i ": " count[i] }' | sort
done
memlamp info --csv threads threads.mlt | tr -d '\r' | cut -d, -f1,2,4
echo "stacks are told apart by thread:"
memlamp dump --site use threads.mlt | sed -n 's/.*# \(stack.*\)/\1/p' | sort -u
