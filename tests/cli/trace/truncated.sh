# A trace whose end is missing: every command says so. Those that print the content end with 1.
memlamp import --model 'random 0 1000000 3000000 8' -o big.mlt 2>/dev/null
head -c $(($(wc -c <big.mlt) * 3 / 4)) big.mlt >cut.mlt
masked() {
	sed 's/byte [0-9]*/byte N/g; s/[0-9][0-9,]* of [0-9][0-9,]* bytes/N of M bytes/'
}
M='L1 4K 4w | L2 64K 8w'

for command in "info" "dump -n 2" "sim -q -m plain" "diff -m plain big.mlt" \
	"cycles --to 1000" "ensemble -m plain" "plot -m plain -o p.svg" \
	"export --sarif -m plain -o s.sarif" "report -m plain -o r.html"; do
	kind=
	case $command in plot*) kind=timeline ;; esac
	memlamp $command cut.mlt $kind >out 2>err
	echo "memlamp $command: status $?"
	cat out err | grep -e 'DAMAGED' -e 'warning:' | masked
done
grep -c 'Damaged' r.html

echo "cut off behind its header, a trace has no references"
head -c 64 big.mlt >none.mlt
memlamp cycles none.mlt
echo "status $?"

echo "a file that is something else is named"
memlamp ensemble -o e.mle -m plain big.mlt >/dev/null
memlamp sim -q -m plain -o r.mls big.mlt >/dev/null
memlamp import -M plain -o s.mlh big.mlt 2>/dev/null
for file in e.mle r.mls s.mlh /bin/true; do
	memlamp sim $file
done

echo "an argument that is empty"
memlamp info ""
echo "status $?"
memlamp diff big.mlt "$unset"
echo "status $?"
memlamp sim -q -m "$M" "" 2>&1 | head -n 1
