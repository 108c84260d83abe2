# A stripped program without debug information is recorded all the same, and memlamp does not
# claim to know what it cannot know: functions are addresses, globals are sections.
. "$SRC/tests/cli/record.inc"
cc -O2 "$SRC/tests/traces/plain.c" -o plain -s
./plain >native
memlamp record -q ./plain >recorded || echo "(status $?)"
cmp native recorded

memlamp info --csv regions plain.mlt | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["by_own_code"] > 4000 {
		print $at["region"], $at["kind"], $at["type"], $at["bytes"], $at["file"] }' |
	sed 's/0x[0-9a-f]*/ADDRESS/; s/ *$//' | sort
echo "functions:"
memlamp info --csv functions plain.mlt | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["references"] > 9000 && $at["object"] ~ /plain$/ { print $at["function"] }' |
	sed 's/0x[0-9a-f]*/ADDRESS/'
echo "places:"
memlamp dump plain.mlt | grep '\[plain\] #' | sed 's/.* 1 0x[0-9a-f]* /ADDRESS /
	s/0x[0-9a-f]*/ADDRESS/g; s/[0-9]* *$/N/' | sort | uniq -c | awk '$1 > 4000' | sed 's/^ *[0-9]* //'
