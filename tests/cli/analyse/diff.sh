# memlamp diff of traces made from text: every number can be counted.
machine='L1 256 full 16B lru 1c | memory 100c'

cat >a.txt <<'END'
global X 0x1000 512 8
global Y 0x2000 512 8
L a.c:1
r0x1000+16*10
L a.c:2
r0x2000+16*24 
r0x2000+16*24 
r0x2000+16*24
END
sed 's/\*24/*12/' a.txt >b.txt
memlamp import -o a.mlt a.txt >/dev/null 2>&1
memlamp import -o b.mlt b.txt >/dev/null 2>&1

echo '$ memlamp diff a.mlt b.mlt'
memlamp diff -m "$machine" a.mlt b.mlt
for table in totals lines regions findings; do
	echo "\$ memlamp diff --csv $table"
	memlamp diff -m "$machine" --csv $table a.mlt b.mlt | tr -d '\r'
done
echo '$ memlamp diff a.mlt -m A -m B'
memlamp diff a.mlt -m "$machine" -m 'L1 512 full 16B lru 1c | memory 100c' | sed -n 4,6p
echo '$ memlamp diff of results'
memlamp sim -m "$machine" -o a.mls a.mlt >/dev/null
memlamp sim -m "$machine" -o b.mls b.mlt >/dev/null
memlamp diff a.mls b.mls --csv totals | tr -d '\r'
mkdir elsewhere
mv a.mls elsewhere
(cd elsewhere && memlamp diff a.mls a.mls)
echo "status $?"

fail() {
	memlamp diff -m "$machine" --csv findings --fail-if "$1" "$2" "$3" >/dev/null
	echo "$1: status $?"
}
fail 'L1.misses > +5%' a.mlt b.mlt
fail 'L1.misses > +5%' b.mlt a.mlt
fail 'new_findings > 0' b.mlt a.mlt
fail 'region("Y").L1.misses > 0 and b.L1.misses == 82' b.mlt a.mlt
fail 'L7.misses > 0' b.mlt a.mlt
memlamp diff a.mlt
echo "status $?"
memlamp diff -m zen4 -m zen4 -m zen4 a.mlt b.mlt
echo "status $?"
memlamp diff --csv nothing -m "$machine" a.mlt b.mlt
echo "status $?"
memlamp diff --json -m "$machine" a.mlt b.mlt | head -n 9
