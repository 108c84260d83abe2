# Bars of random metric spaces of integers, beside those of Debian's ripser with odd
# coefficients. (With coefficients modulo 2 a few pairs differ, by torsion: ripser says
# the same modulo 3 and 47.)
command -v ripser-coeff >/dev/null || { echo "no ripser-coeff"; exit 77; }

space() { # points, smallest distance, seed
	awk -v n="$1" -v m="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		for (i = 1; i < n; i++)
			for (j = 0; j < i; j++)
				printf "%d%s", m + int(rand() * (m + 1)), j + 1 < i ? "," : "\n"
	}'
}

compared=0 bars=0
for n in 8 20 45 80; do
	for m in 2 4 9 30 500; do
		for seed in 1 2 3; do
			space $n $m $seed >space.txt
			ripser-coeff --modulus 47 --format lower-distance space.txt |
				sed -n '/dim 1/,$p' | grep '^ \[' | tr -d ' ' | sort >theirs
			memlamp cycles --distances space.txt --json >ours.json || exit 1
			python3 -c '
import json
for b in json.load(open("ours.json"))["bars"]:
    for i in range(b["count"]):
        print("[%g,%g)" % (b["birth"], b["death"]))' | sort >ours
			if ! cmp -s ours theirs; then
				echo "differs: $n points, distances from $m, seed $seed"
				diff ours theirs | head
			fi
			compared=$((compared + 1))
			bars=$((bars + $(wc -l <ours)))
		done
	done
done
echo "compared: $compared"
test $bars -gt 1000 && echo "more than 1000 bars"
