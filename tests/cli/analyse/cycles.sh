# What recurs in sequences that are short enough to count by hand.
show() {
	echo "\$ $*"
	"$@"
	status=$?
	test $status = 0 || echo "(status $status)"
}

# 3 x (10 symbols of an outer body, 6 x 8 symbols of an inner one), then x 40 times
awk 'BEGIN {
	for (i = 0; i < 3; i++) {
		for (k = 0; k < 10; k++) print "o" k
		for (j = 0; j < 6; j++) for (k = 0; k < 8; k++) print "i" k
	}
	for (k = 0; k < 40; k++) print "x"
}' >nested.txt
show memlamp cycles --symbols nested.txt -n 3
echo "# CSV, rounded"
rounded() { awk -F, -v OFS=, 'NR > 1 { for (i = 1; i <= 5; i++) if ($i ~ /^[0-9.]+$/) $i = int($i * 100 + 0.5) / 100 } 1'; }
memlamp cycles --symbols nested.txt -n 2 --reduced --format csv | rounded
memlamp cycles --symbols nested.txt -n 1 --series 1 --cells 8 | rounded
memlamp cycles --symbols nested.txt -n 2 --json >nested.json
python3 -c '
import json
d = json.load(open("nested.json"))
print(d["windows"], d["distinct"], d["symbols"], d["radius"])
for b in d["bars"][:3]: print(b)
for c in d["classes"]: print(c["birth"], c["death"], round(c["turns"], 2), c["of"])
print(d["short"])'

echo "# two pieces of a loop with an empty line between them"
awk 'BEGIN { for (i = 0; i < 80; i++) print i % 8; print ""; for (i = 0; i < 90; i++) print i % 8 }' >pieces.txt
show memlamp cycles --symbols pieces.txt

echo "# a square with sides of 1 and diagonals of 2; a threshold below the diagonals"
printf '1\n2,1\n1,2,1\n' >square.txt
show memlamp cycles --distances square.txt --json
show memlamp cycles --distances square.txt --threshold 1.5

echo "# a trace: 30 runs of a body of five references in three lines, and a gap"
awk 'BEGIN {
	print "region A 0x1000 4096 8"
	for (i = 0; i < 30; i++) {
		print "r", 4096 + 8 * i, "8 1 a.c:3 f"
		print "r", 4096 + 8 * i, "8 1 a.c:4 f"
		print "w", 4096 + 8 * i, "8 1 a.c:4 f"
		print "r", 4096 + 8 * i, "8 1 a.c:5 g"
		print "w", 4096 + 8 * i, "8 1 a.c:6 g"
		if (i == 14) print "gap 7 lost"
	}
}' >loop.txt
memlamp import loop.txt -o loop.mlt 2>/dev/null || exit 1
show memlamp cycles loop.mlt
show memlamp cycles loop.mlt --by line --window 6 --from 10 --to 70
show memlamp cycles loop.mlt --by address
show memlamp cycles loop.mlt --function f
show memlamp cycles loop.mlt --every 3

echo "# what makes no sense"
show memlamp cycles
show memlamp cycles loop.mlt --symbols nested.txt
show memlamp cycles loop.mlt --window 1
show memlamp cycles loop.mlt --by colour
show memlamp cycles loop.mlt --thread 9
show memlamp cycles loop.mlt --function nowhere
show memlamp cycles loop.mlt --region B
show memlamp cycles loop.mlt --every 0
show memlamp cycles loop.mlt --from 140 --to 145
show memlamp cycles --symbols nested.txt --series 99
show memlamp cycles --distances nested.txt
printf '1,2\n3,x4\n' >bad.txt
show memlamp cycles --distances bad.txt
printf '1,2\n' >two.txt
show memlamp cycles --distances two.txt
: >empty.txt
show memlamp cycles --symbols empty.txt
show memlamp cycles --symbols nothere.txt
