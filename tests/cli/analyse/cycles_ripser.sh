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

for n in 8 20 45 80; do
	for m in 2 4 9 30 500; do
		for seed in 1 2 3; do
			space $n $m $seed >space.txt
			ripser-coeff --modulus 47 --format lower-distance space.txt |
				sed -n '/dim 1/,$p' | grep '^ \[' | tr -d ' ' >$n-$m-$seed.theirs
			memlamp cycles --distances space.txt --json >$n-$m-$seed.json || exit 1
		done
	done
done
python3 - <<'END'
import glob, json

compared = bars = 0
for name in sorted(glob.glob("*.json")):
    case = name[:-5]
    ours = sorted("[%g,%g)" % (b["birth"], b["death"])
                  for b in json.load(open(name))["bars"] for i in range(b["count"]))
    theirs = sorted(open(case + ".theirs").read().split())
    if ours != theirs:
        print("differs (points, smallest distance, seed):", case)
        print("ours", ours[:10], "theirs", theirs[:10])
    compared += 1
    bars += len(ours)
print("compared:", compared)
if bars > 1000:
    print("more than 1000 bars")
END
